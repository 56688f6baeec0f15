// swift-tools-version: 6.2
import PackageDescription

/// What every target of ours is built with: a warning is an error.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
]

/// Targets that turn hostile bytes into values: no unsafe construct without saying so.
let parsing: [SwiftSetting] =
  house + [
    .enableExperimentalFeature("Lifetimes"), .strictMemorySafety(),
  ]

/// A C library of the system, found through pkg-config, one module map each.
func system(_ name: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
    providers: [.apt([apt]), .brew([brew])])
}

func tests(_ name: String, uses others: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + others, path: "Tests/\(name)",
    swiftSettings: house + [.enableExperimentalFeature("Lifetimes")])
}

let package = Package(
  name: "vestige",
  platforms: [.macOS(.v26)],
  products: [
    .executable(name: "vestige", targets: ["vestige"]),
    .library(name: "Vault", targets: ["Vault", "VaultKeys", "SecretBytes"]),
  ],
  targets: [
    // Tier 6
    .executableTarget(name: "vestige", dependencies: ["Commands"], swiftSettings: house),
    .target(
      name: "Commands",
      dependencies: [
        "Gate", "Scanning", "Reporting", "Evidence", "Languages", "RuleEngine", "RulePacks",
        "SQLiteFormat", "Findings",
        "Bytes",
        "CMalloc", "Vault",
        "VaultKeys", "SecretBytes", "VaultBenchmark",
      ],
      swiftSettings: house),

    // Tier 5
    .target(
      name: "Gate", dependencies: ["Scanning", "RuleEngine", "YAML", "Findings"],
      swiftSettings: house),
    .target(
      name: "Evidence", dependencies: ["Findings", "Bytes", "CCrypto"], swiftSettings: house),

    // Tier 4
    .target(
      name: "Scanning",
      dependencies: [
        "Artifacts", "RuleEngine", "SQLiteFormat", "Formats", "Findings", "Bytes",
      ],
      swiftSettings: house),
    .target(
      name: "Reporting", dependencies: ["Languages", "Findings", "Bytes", "CZlib"],
      exclude: ["Page"], swiftSettings: house, plugins: ["EmbedPage"]),

    // Tier 3
    .target(
      name: "Artifacts",
      dependencies: [
        "Formats", "SQLiteFormat", "Findings", "Bytes", "CArchive", "CMagic", "CDeflate", "CZlib",
        "CBrotli",
      ], swiftSettings: house + [.enableExperimentalFeature("Lifetimes")]),
    .target(
      name: "RuleEngine",
      dependencies: ["YAML", "Findings", "Bytes", "CSearch", "CPCRE2", "CCrypto"],
      swiftSettings: house + [.enableExperimentalFeature("Lifetimes")]),

    .target(
      name: "Languages", dependencies: ["YAML", "RulePacks", "Findings"], swiftSettings: house),

    // Tier 2
    .target(
      name: "SQLiteFormat", dependencies: ["Bytes", "CCrypto"], swiftSettings: parsing),
    .target(name: "Formats", dependencies: ["Findings", "Bytes"], swiftSettings: parsing),
    .target(name: "YAML", dependencies: ["CYAML"], swiftSettings: house),

    // Tier 1
    .target(name: "Findings", swiftSettings: parsing),
    .target(name: "Bytes", dependencies: ["CCrypto", "CSearch"], swiftSettings: parsing),
    .target(name: "CSearch"),
    .target(
      name: "RulePacks", path: "Rules",
      exclude: ["packs", "lexicon", "controls", "languages", "policies", "README.md"],
      sources: ["RulePacks.swift"],
      swiftSettings: house, plugins: ["EmbedRules"]),
    .target(
      name: "FixtureKit", dependencies: ["Bytes", "CSQLCipher", "CArchive", "CDeflate"],
      path: "Fixtures", exclude: ["SampleContainer"], swiftSettings: house),
    .executableTarget(
      name: "sample-container", dependencies: ["FixtureKit"], path: "Fixtures/SampleContainer",
      exclude: ["demo"], swiftSettings: house),
    .executableTarget(
      name: "embed-rules", path: "Plugins/EmbedRulesTool", swiftSettings: house),
    .plugin(
      name: "EmbedPage", capability: .buildTool(), dependencies: ["embed-rules"],
      path: "Plugins/EmbedPage"),
    .plugin(
      name: "EmbedRules", capability: .buildTool(), dependencies: ["embed-rules"],
      path: "Plugins/EmbedRules"),

    // The vault, tiers 4 to 2: a library of its own, which knows nothing of the scanner.
    .target(
      name: "Vault",
      dependencies: [
        "VaultKeys", "SecretBytes", "CVaultSQLite", "CSQLCipher", "CSodium", "CCrypto",
      ],
      swiftSettings: house),
    .target(
      name: "VaultKeys", dependencies: ["SecretBytes", "CVaultShim", "CSodium"],
      swiftSettings: house),
    .target(name: "SecretBytes", dependencies: ["CVaultShim", "CSodium"], swiftSettings: house),
    .target(name: "CVaultShim"),
    .target(
      name: "VaultBenchmark",
      dependencies: ["Vault", "VaultKeys", "SecretBytes", "CSQLCipher", "CCrypto"],
      swiftSettings: house),
    .target(name: "CVaultSQLite", dependencies: ["CSQLCipher"]),
    system("CSodium", "libsodium", apt: "libsodium-dev", brew: "libsodium"),
    .target(
      name: "VaultFaults", dependencies: ["Vault", "VaultKeys", "CVaultFaults", "CSQLCipher"],
      swiftSettings: house),
    .target(name: "CVaultFaults", dependencies: ["CSQLCipher"]),
    .executableTarget(
      name: "vault-probe", dependencies: ["VaultFaults", "Vault", "VaultKeys", "SecretBytes"],
      swiftSettings: house),
    tests("SecretBytes"),
    tests("VaultKeys", uses: ["SecretBytes"]),
    tests(
      "Vault",
      uses: ["VaultFaults", "VaultKeys", "SecretBytes", "CVaultSQLite", "CCrypto", "vault-probe"]),

    // System libraries
    system("CPCRE2", "libpcre2-8", apt: "libpcre2-dev", brew: "pcre2"),
    system("CArchive", "libarchive", apt: "libarchive-dev", brew: "libarchive"),
    system("CMagic", "libmagic", apt: "libmagic-dev", brew: "libmagic"),
    system("CCrypto", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    system("CYAML", "yaml-0.1", apt: "libyaml-dev", brew: "libyaml"),
    system("CDeflate", "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
    system("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
    system("CBrotli", "libbrotlidec", apt: "libbrotli-dev", brew: "brotli"),
    .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),
    system("CSQLCipher", "sqlcipher", apt: "libsqlcipher-dev", brew: "sqlcipher"),

    // Tests
    tests("Bytes", uses: ["FixtureKit"]), tests("Findings"), tests("YAML"),
    tests("Formats", uses: ["FixtureKit", "Findings", "Bytes"]),
    tests("SQLiteFormat", uses: ["Bytes", "FixtureKit"]),
    tests("Artifacts", uses: ["Formats", "Findings", "Bytes", "FixtureKit"]),
    tests("RuleEngine", uses: ["RulePacks", "Findings", "Bytes"]),
    tests(
      "Scanning",
      uses: [
        "Reporting", "SQLiteFormat", "RuleEngine", "RulePacks", "Findings", "Bytes", "FixtureKit",
      ]),
    tests(
      "Gate", uses: ["Scanning", "Reporting", "RuleEngine", "Findings", "FixtureKit", "YAML"]),
    tests("Languages", uses: ["Findings"]), tests("Evidence"),
    tests("Reporting", uses: ["Languages", "Findings", "Bytes", "CZlib"]),
    tests(
      "Commands",
      uses: ["Scanning", "Reporting", "RuleEngine", "Findings", "FixtureKit", "VaultKeys"]),
  ]
)
