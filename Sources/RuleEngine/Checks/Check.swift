package import Findings

/// A checklist rule: it decides on facts that readers and the source audit state, and says pass, fail
/// or why it cannot tell (DESIGN, "Rules, packs, policy").
package struct Check: Equatable, Sendable {
  /// What a check looks at; the raw values are the words of rule files.
  package enum Kind: String, CaseIterable, Sendable {
    case source, plist, schema, binary, name, file
  }

  /// What a check speaks about as one: its outcome is given once for each.
  package enum Unit: String, CaseIterable, Sendable {
    /// Everything below a path that was named.
    case root
    /// The innermost bundle: an app, an extension, a framework; the file where it lies in none.
    case bundle
    /// The outermost bundle.
    case app
    /// The file, or the member of an archive.
    case file
  }

  /// `<pack>.<rule>`, the path of its file below `packs/`.
  package var id: String
  package var kind: Kind
  package var title: String
  package var severity: Severity
  package var remedy: String
  package var controls: [String] = []
  /// Other names of the same check: MASWE aliases, numbers of older catalogues.
  package var aliases: [String] = []
  package var references: [String] = []
  package var profiles: [String] = []
  /// What a published text says wrongly about it, and what is right.
  package var note: String?

  /// The facts it looks at: any of these.
  package var facts: [FactPattern] = []
  package var unit: Unit
  /// What must hold for a fact to count as something to decide; all of it.
  package var applies = Condition.all([])
  /// What makes it impossible to tell; the first that holds counts.
  package var undecided: [Clause] = []
  /// What makes a fact a violation; the first that holds counts.
  package var fail: [Clause] = []
  /// What is worth a look, and no violation.
  package var warn: [Clause] = []
  /// Whether one finding a unit says it all: what is missing is missing once.
  package var isOnce = false
  /// Whether it looks at code that does not ship too: tests, mocks, previews, `#if DEBUG`.
  package var looksAtTests = false
  /// Words of which one stands in every file that it could find something in.
  package var triggers: [String] = []
  /// Said where no fact was there to decide on.
  package var nothing: String?
  package var examples = Examples()

  /// A condition, and what is said where it holds.
  package struct Clause: Equatable, Sendable {
    package var when: Condition
    package var severity: Severity
    package var message: String?
  }

  /// A text or a set of files that the check decides in a known way.
  package struct Example: Equatable, Sendable {
    /// File name, which tells the reader, and text.
    package var files: [File] = []
    /// Facts, for what no text can hold.
    package var facts: [Fact] = []

    package init(files: [File] = [], facts: [Fact] = []) {
      self.files = files
      self.facts = facts
    }

    package struct File: Equatable, Sendable {
      package var name: String
      package var text: String

      package init(name: String, text: String) {
        self.name = name
        self.text = text
      }
    }
  }

  /// The check's own tests.
  package struct Examples: Equatable, Sendable {
    /// Each of these fails.
    package var match: [Example] = []
    /// Each of these is worth a warning and does not fail.
    package var warn: [Example] = []
    /// In these is nothing to say.
    package var clean: [Example] = []
    /// Of these nobody can tell.
    package var undecided: [Example] = []
  }

  package init(
    id: String, kind: Kind, title: String, severity: Severity, remedy: String
  ) {
    self.id = id
    self.kind = kind
    self.title = title
    self.severity = severity
    self.remedy = remedy
    unit = kind.usualUnit
  }
}

extension Check.Kind {
  /// What rules of this kind speak about unless they say otherwise.
  package var usualUnit: Check.Unit {
    switch self {
    case .source, .name, .file: .root
    case .plist, .binary: .bundle
    case .schema: .file
    }
  }

  /// The name that an example without one is read under.
  package var exampleName: String {
    switch self {
    case .source, .name: "Example.swift"
    case .plist: "Info.plist"
    case .schema: "schema.sql"
    case .binary, .file: "example"
    }
  }

  /// Why there was nothing to decide, unless the check says it itself.
  package var nothingSeen: String {
    switch self {
    case .source: "no call, value or declaration that it decides on was seen in source"
    case .plist: "no property list with keys that it decides on was seen"
    case .schema: "no table, entity or column that it decides on was seen"
    case .binary: "no program or library that it decides on was seen"
    case .name: "no name that it decides on was seen"
    case .file: "no file that it decides on was seen"
    }
  }
}

/// Which facts a check looks at.
package struct FactPattern: Equatable, Sendable {
  package var subjects: [Fact.Subject]
  /// Any of these names; every name where there is none.
  package var names: [NamePattern] = []
  package var conditions = Condition.all([])
  /// Of what a unit is asked for: a value that both facts must have in common.
  package var shared: String?
}

/// Something that holds of a fact or does not, or of which it cannot be told yet.
package indirect enum Condition: Equatable, Sendable {
  case all([Condition])
  case any([Condition])
  case not(Condition)
  /// A value of the fact passes a test: any of them, where it was given several times.
  case value(ValueKey, ValueTest)
  /// A fact like this was stated in the same unit.
  case unitHas(FactPattern)
  /// A test that has a name and is written in code.
  case predicate(String)
}

/// Which values of a fact are looked at.
package enum ValueKey: Equatable, Sendable {
  case name
  case path
  case key(String)
  /// Every key that starts so: `argument*`.
  case prefix(String)
}

/// What is asked of a value.
package enum ValueTest: Equatable, Sendable {
  case oneOf([String])
  case matches(String)
  case contains([String])
  case starts([String])
  case ends([String])
  case less(Double)
  case greater(Double)
  case present
  /// The value, or an identifier in it, is sensitive: of one of these classes, or of any.
  case classified([String])
}

extension Condition {
  /// The patterns of facts that it asks the unit for.
  package var relations: [FactPattern] {
    switch self {
    case .all(let inner), .any(let inner): inner.flatMap(\.relations)
    case .not(let inner): inner.relations
    case .unitHas(let pattern): [pattern]
    case .value, .predicate: []
    }
  }
}

extension Check {
  /// The patterns of facts that it asks its unit for, each once, in the order of the file.
  package var relations: [FactPattern] {
    let conditions = [applies] + (undecided + fail + warn).map(\.when)
    return conditions.flatMap(\.relations).reduce(into: []) { all, pattern in
      if !all.contains(pattern) { all.append(pattern) }
    }
  }
}
