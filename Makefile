# Everything a person or a machine does with the repository. `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

SWIFT ?= swift
PREFIX ?= /usr/local
# Goes before PREFIX while a package is made.
DESTDIR ?=

RELEASE := .build/release
# Where the clone lies must not show in what is built, or two builds would differ.
OPTIMISED := $(SWIFT) build -c release -Xswiftc -gnone \
  -Xswiftc -file-prefix-map -Xswiftc "$(CURDIR)=." -Xcc "-ffile-prefix-map=$(CURDIR)=." \
  -Xlinker --build-id=none
SOURCES := Sources Tests Fixtures Rules Plugins Package.swift

.PHONY: help deps build test style rules completions page self self-package demo bench prove companions \
  install install-built uninstall deb format clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

deps: ## install what the build and the tests need and is missing
	@.ci/deps

build: ## the program, optimised: .build/release/vestige, and its reader of disk images
	$(OPTIMISED) --product vestige
	$(OPTIMISED) --product image-reader
	@.ci/settle $(RELEASE)/vestige $(RELEASE)/image-reader

test: deps ## build, run all tests, the style gate, and every rule on its own examples
	$(SWIFT) build --build-tests
	$(SWIFT) test --skip-build --disable-xctest
	@$(MAKE) --no-print-directory style rules completions

style: ## fail where the layout is not what `make format` makes
	$(SWIFT) format lint --strict --recursive $(SOURCES)

rules: ## run every rule on its own examples
	$(SWIFT) build --product vestige
	.build/debug/vestige rules test

completions: ## load the completion scripts in the shells that are installed
	$(SWIFT) build --product vestige
	@.ci/completions .build/debug/vestige

page: ## use the HTML report in a headless Chromium; says so where there is none
	$(OPTIMISED) --product vestige
	$(OPTIMISED) --product sample-container
	@Tests/readers/check-html $(RELEASE)/vestige || [ $$? -eq 77 ]

self: ## scan and check this repository's source with its own policy and baseline (.vestige)
	$(SWIFT) build --product vestige
	.build/debug/vestige scan . --policy .vestige/policy.yaml --baseline .vestige/baseline.yaml \
	  --exclude .git --exclude .build
	.build/debug/vestige check Sources Plugins Package.swift

self-package: deb ## scan and check the program and its package, and that the package can be made again
	@.ci/self-package $(RELEASE)/vestige

demo: deps build ## scan a sample container that leaks, and explain what is found
	$(OPTIMISED) --product sample-container
	@Fixtures/SampleContainer/demo $(RELEASE)/sample-container $(RELEASE)/vestige

bench: deps build ## time, memory and recall on a tree of planted secrets (PEERS=DIR adds peers)
	@python3 bench/run.py --vestige $(RELEASE)/vestige $(if $(PEERS),--peers $(PEERS)) $(BENCH)

prove: deps build companions ## drive the vault and stores with one fault each through their life (PROVE=OPTIONS)
	$(OPTIMISED) --product broken-store
	@python3 .ci/prove --program $(RELEASE)/vestige --broken $(RELEASE)/broken-store $(PROVE)

companions: ## what the proof needs beside the program: the vault's driver, the library of faults
	$(OPTIMISED) --product vault-driver
	$(OPTIMISED) --product vestige-faults -Xlinker -soname=libvestige-faults.so
	@.ci/settle $(RELEASE)/vault-driver $(RELEASE)/libvestige-faults.so

install: build companions install-built ## the program, its manual page and completions, below PREFIX (default /usr/local)

install-built:
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/share/man/man1"
	install -m 755 $(RELEASE)/vestige gate/vestige-gate "$(DESTDIR)$(PREFIX)/bin"
	install -d "$(DESTDIR)$(PREFIX)/lib/vestige" "$(DESTDIR)$(PREFIX)/libexec/vestige"
	install -m 755 $(RELEASE)/vault-driver $(RELEASE)/image-reader "$(DESTDIR)$(PREFIX)/libexec/vestige"
	install -m 755 $(RELEASE)/libvestige-faults.so \
	  "$(DESTDIR)$(PREFIX)/lib/vestige/libvestige-faults.so"
	$(RELEASE)/vestige completions man >"$(DESTDIR)$(PREFIX)/share/man/man1/vestige.1"
	install -d "$(DESTDIR)$(PREFIX)/share/bash-completion/completions" \
	  "$(DESTDIR)$(PREFIX)/share/zsh/site-functions" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d"
	$(RELEASE)/vestige completions bash \
	  >"$(DESTDIR)$(PREFIX)/share/bash-completion/completions/vestige"
	$(RELEASE)/vestige completions zsh \
	  >"$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_vestige"
	$(RELEASE)/vestige completions fish \
	  >"$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/vestige.fish"

uninstall: ## remove what `make install` put below PREFIX
	rm -f "$(DESTDIR)$(PREFIX)/bin/vestige" "$(DESTDIR)$(PREFIX)/bin/vestige-gate" \
	  "$(DESTDIR)$(PREFIX)/share/man/man1/vestige.1" \
	  "$(DESTDIR)$(PREFIX)/libexec/vestige/vault-driver" \
	  "$(DESTDIR)$(PREFIX)/libexec/vestige/image-reader" \
	  "$(DESTDIR)$(PREFIX)/lib/vestige/libvestige-faults.so" \
	  "$(DESTDIR)$(PREFIX)/share/bash-completion/completions/vestige" \
	  "$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_vestige" \
	  "$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/vestige.fish"

deb: build companions ## a Debian package of the program for this Debian: .build/vestige_*.deb
	@.ci/deb $(RELEASE)/vestige .build

format: ## lay out all sources
	$(SWIFT) format --in-place --recursive $(SOURCES)

clean: ## remove what was built
	rm -rf .build
