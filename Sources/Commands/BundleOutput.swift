import Bytes
import Evidence
import Findings
import Languages
import Reporting
import RulePacks
import Scanning

/// `--report bundle=PATH`: the report in the formats that people and programs want, with everything that a
/// second person needs to check it.
struct BundleOutput {
  let path: String
  private let arguments: Arguments
  private let language: Language
  /// What `--sign-key` means, checked before any work is done: a pipe can be read only once.
  private let signing: String?

  static let keyOption = Option(
    "--sign-key", "VALUE",
    "sign the bundle with this Ed25519 key: @FILE (PEM, or 64 hexadecimal digits) or env:NAME")

  /// What a bundle shows is what its HTML report shows.
  static let details: Report.Detail = [.excerpts, .standards]

  /// The output that `--report` asks for, and the other values of `--report`.
  static func split(
    _ arguments: Arguments, _ terminal: Terminal
  ) throws -> (bundle: BundleOutput?, others: [String]) {
    let all = arguments.all("--report")
    let bundles = all.filter { $0 == "bundle" || $0.hasPrefix("bundle=") }
    let others = all.filter { !bundles.contains($0) }
    guard bundles.count <= 1 else { throw UsageError.badValue("--report", "can write one bundle") }
    guard let first = bundles.first else {
      guard arguments["--sign-key"] == nil else {
        throw UsageError.badValue("--sign-key", "signs a bundle: give --report bundle=PATH")
      }
      return (nil, others)
    }
    let path = first.dropFirst("bundle=".count)
    guard !path.isEmpty else { throw UsageError.badValue("--report", "needs a path: bundle=PATH") }
    let bundle = BundleOutput(
      path: String(path), arguments: arguments, language: terminal.language,
      signing: try signing(arguments))
    return (bundle, others)
  }

  private static func signing(_ arguments: Arguments) throws -> String? {
    guard let value = arguments["--sign-key"] else { return nil }
    guard value.hasPrefix("@") || value.hasPrefix("env:") else {
      // A key in argv is everybody's.
      throw UsageError.badValue("--sign-key", "must be @FILE or env:NAME")
    }
    let secret = try SecretArgument.value(value)
    _ = try signingKey(secret)
    return secret
  }

  private static func signingKey(_ secret: String) throws(UsageError) -> SigningKey {
    do throws(SigningKey.Failure) {
      return try SigningKey(text: secret)
    } catch {
      throw .badValue("--sign-key", "holds no Ed25519 private key")
    }
  }

  func write(_ report: Report) throws {
    var manifest = Manifest()
    manifest.tool = "vestige \(report.toolVersion)"
    manifest.made = report.run.started
    manifest.environment = Scanner.environment
    manifest.options = Self.repeatable(arguments)
    manifest.rules = try Self.rules(arguments)
    var bundle = EvidenceBundle(
      manifest,
      members: [
        member("report.json", JSONReport().render(report)),
        member(
          "report.html", HTMLReport().render(try ReportOutput.standards(in: report, language))),
        member("report.txt", TextReport(style: .plain).render(report.translated(into: language))),
        member(InputList.name, InputList.text(of: report)),
      ])
    if let signing { try bundle.sign(with: Self.signingKey(signing)) }
    try FileOutput.write(bundle.bytes, to: path)
  }

  private func member(_ name: String, _ text: String) -> Tar.Member {
    Tar.Member(name: name, bytes: Array(text.utf8))
  }

  /// Options that say what was looked for, none of which is secret: a second run needs them.
  private static let repeatedOptions = [
    "--packs", "--include", "--exclude", "--max-depth", "--max-expansion", "--fail-on", "--allow",
  ]

  private static func repeatable(_ arguments: Arguments) -> [String] {
    repeatedOptions.flatMap { name in arguments.all(name).map { "\(name)=\($0)" } }
  }

  /// Every rule file there was, with its hash: those that ship, and a person's own.
  static func rules(_ arguments: Arguments) throws -> [Manifest.Rule] {
    var rules = RulePacks.files.map { Manifest.Rule(path: $0.path, text: $0.text) }
    rules += RulePacks.lexicon.map { Manifest.Rule(path: "lexicon/\($0.path)", text: $0.text) }
    for folder in arguments.all("--rules") {
      rules += try InputFile.yamlFiles(below: folder).map {
        Manifest.Rule(path: "own/\($0.path)", text: $0.text)
      }
    }
    return rules.sorted { $0.path < $1.path }
  }
}
