// swift-tools-version: 6.2
import Foundation
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

/// Where the toolchain keeps SwiftSyntax and SwiftParser: beside the library that this manifest itself
/// is built with, or beside the compiler found through `PATH`.
let parserLibraries: String = {
  let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
  var roots = maps.split(separator: "\n").compactMap { line -> String? in
    guard let path = line.range(of: "/usr/lib/swift/pm/"), let start = line.firstIndex(of: "/")
    else { return nil }
    return String(line[start..<path.lowerBound]) + "/usr"
  }
  for folder in (Context.environment["PATH"] ?? "").split(separator: ":") {
    let compiler = URL(filePath: "\(folder)/swiftc").resolvingSymlinksInPath()
    roots.append(compiler.deletingLastPathComponent().deletingLastPathComponent().path)
  }
  let folders = roots.map { $0 + "/lib/swift/host" }
  return folders.first { FileManager.default.fileExists(atPath: $0 + "/SwiftParser.swiftmodule") }
    ?? "/usr/lib/swift/host"
}()

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
    .library(name: "vestige-faults", type: .dynamic, targets: ["CFaults"]),
  ],
  targets: [
    // Tier 6
    .executableTarget(name: "vestige", dependencies: ["Commands"], swiftSettings: house),
    .target(
      name: "Commands",
      dependencies: [
        "Gate", "Inspection", "Scanning", "Artifacts", "Reporting", "Evidence", "Languages",
        "RuleEngine",
        "RulePacks", "SQLiteFormat", "Findings",
        "Bytes",
        "CMalloc", "Vault",
        "VaultKeys", "SecretBytes", "VaultBenchmark", "Proving",
      ],
      swiftSettings: house),

    // Tier 5
    .target(
      name: "Gate", dependencies: ["Scanning", "RuleEngine", "YAML", "Findings"],
      swiftSettings: house),
    .target(
      name: "Evidence", dependencies: ["Findings", "Bytes", "CCrypto"], swiftSettings: house),
    .target(
      name: "Inspection",
      dependencies: [
        "Artifacts", "Reporting", "Languages", "SQLiteFormat", "Formats", "Findings", "Bytes",
      ],
      swiftSettings: house + [.enableExperimentalFeature("Lifetimes")]),

    // Tier 4
    .target(
      name: "Scanning",
      dependencies: [
        "Artifacts", "RuleEngine", "SourceAudit", "SQLiteFormat", "Formats", "Findings", "Bytes",
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
        "CBrotli", "CAllocationBound", "ImageProtocol", "CImageProcess",
      ], swiftSettings: house + [.enableExperimentalFeature("Lifetimes")]),
    .target(
      name: "RuleEngine",
      dependencies: ["YAML", "Findings", "Bytes", "CSearch", "CPCRE2", "CCrypto"],
      swiftSettings: house + [.enableExperimentalFeature("Lifetimes")]),

    .target(
      name: "Languages", dependencies: ["YAML", "RulePacks", "Findings"], swiftSettings: house),
    // The one target with unsafe flags: its parser comes with the toolchain. It hides the parser's
    // modules, or every target above it would need the flags too; that none of its types holds one of
    // the parser's is what the compiler's remark asks for.
    .target(
      name: "SourceAudit", dependencies: ["Formats", "Findings", "Bytes"],
      swiftSettings: house + [
        .unsafeFlags(["-I", parserLibraries]),
        .treatWarning("ImplementationOnlyDeprecated", as: .warning),
      ],
      linkerSettings: [
        .linkedLibrary("SwiftSyntax"), .linkedLibrary("SwiftParser"),
        .unsafeFlags(["-L", parserLibraries, "-Xlinker", "-rpath", "-Xlinker", parserLibraries]),
      ]),

    // Tier 2
    .target(
      name: "SQLiteFormat", dependencies: ["Bytes", "CCrypto"], swiftSettings: parsing),
    .target(
      name: "Formats", dependencies: ["CSearch", "Findings", "Bytes"], swiftSettings: parsing),
    .target(name: "YAML", dependencies: ["CYAML"], swiftSettings: house),

    // Tier 1
    .target(name: "Findings", swiftSettings: parsing),
    .target(name: "Bytes", dependencies: ["CCrypto", "CSearch"], swiftSettings: parsing),
    .target(name: "CSearch"),
    .target(name: "CAllocationBound"),
    .target(
      name: "RulePacks", path: "Rules",
      exclude: ["packs", "lexicon", "controls", "languages", "policies", "README.md"],
      sources: ["RulePacks.swift"],
      swiftSettings: house, plugins: ["EmbedRules"]),
    .target(
      name: "FixtureKit", dependencies: ["Bytes", "CSQLCipher", "CArchive", "CDeflate"],
      path: "Fixtures", exclude: ["SampleContainer", "BrokenStore"], swiftSettings: house),
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
      name: "VaultFaults",
      dependencies: [
        "Vault", "VaultKeys", "CrashImages", "CVaultFaults", "CVaultSQLite", "CSQLCipher",
      ],
      swiftSettings: house),
    .target(name: "CVaultFaults", dependencies: ["CSQLCipher"]),
    .executableTarget(
      name: "vault-probe",
      dependencies: [
        "VaultFaults", "CrashImages", "Vault", "VaultKeys", "SecretBytes", "CWipingFree",
      ],
      swiftSettings: house),
    tests("CrashImages"),
    tests("SecretBytes"),
    tests("VaultKeys", uses: ["SecretBytes"]),
    tests(
      "Vault",
      uses: [
        "VaultFaults", "CrashImages", "VaultKeys", "SecretBytes", "CVaultSQLite", "CCrypto",
        "CFaultControl", "vault-probe",
      ]),

    // The proof: a store is driven from outside, through pipes and a preloaded library.
    .target(
      name: "Proving",
      dependencies: [
        "Scanning", "RuleEngine", "SQLiteFormat", "Findings", "Bytes", "CrashImages",
        "DriverProtocol", "CFaultControl",
      ],
      exclude: ["DRIVER.md"], swiftSettings: house),
    .target(name: "CrashImages", swiftSettings: house),
    .target(name: "DriverProtocol", swiftSettings: house),
    .target(name: "CFaultControl"),
    .target(name: "CFaults", dependencies: ["CFaultControl"]),
    .target(name: "CWipingFree"),
    .executableTarget(
      name: "vault-driver",
      dependencies: ["DriverProtocol", "Vault", "VaultKeys", "SecretBytes", "CWipingFree"],
      swiftSettings: house),
    .executableTarget(
      name: "broken-store", dependencies: ["DriverProtocol", "CSQLCipher", "CSodium"],
      path: "Fixtures/BrokenStore", exclude: ["plain.py", "sealed.py", "sqlcipher.py"],
      swiftSettings: house),
    tests(
      "Proving",
      uses: [
        "Scanning", "Findings", "CrashImages", "DriverProtocol", "FixtureKit",
        "vault-driver", "broken-store",
      ]),

    // Files of disk images: a program of its own, which is told apart from the scanner by a pipe.
    .executableTarget(
      name: "image-reader", dependencies: ["ImageProtocol", "CSleuthKit"], swiftSettings: house),
    .target(name: "ImageProtocol", swiftSettings: house),
    .target(name: "CImageProcess"),
    system("CSleuthKit", "tsk", apt: "libtsk-dev", brew: "sleuthkit"),
    tests("ImageProtocol"),

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
    tests("RuleEngine", uses: ["RulePacks", "Findings", "Bytes", "FixtureKit"]),
    tests("SourceAudit", uses: ["Findings"]),
    tests(
      "Scanning",
      uses: [
        "Reporting", "SQLiteFormat", "RuleEngine", "RulePacks", "Findings", "Bytes", "FixtureKit",
        "image-reader",
      ]),
    tests(
      "Gate", uses: ["Scanning", "Reporting", "RuleEngine", "Findings", "FixtureKit", "YAML"]),
    tests("Languages", uses: ["RulePacks", "Findings", "YAML"]), tests("Evidence"),
    tests("Reporting", uses: ["Languages", "Findings", "Bytes", "CZlib"]),
    tests(
      "Inspection",
      uses: [
        "Artifacts", "Reporting", "Languages", "SQLiteFormat", "Formats", "Findings", "Bytes",
        "FixtureKit",
      ]),
    tests(
      "Commands",
      uses: [
        "YAML", "Scanning", "Reporting", "RuleEngine", "Findings", "FixtureKit", "Vault",
        "VaultKeys", "SecretBytes",
      ]),
  ]
)
