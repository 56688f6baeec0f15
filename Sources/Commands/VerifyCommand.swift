import Evidence
import Findings
import Reporting
import Scanning

/// `vestige verify`: checks an evidence bundle: its signature, the hash of everything in it, and, with the
/// inputs at hand, that they are the same and show every finding again.
struct VerifyCommand: Command {
  let name = "verify"
  let summary = "check an evidence bundle, and find its findings again"
  let operands = "BUNDLE"
  let options: [Option] = [
    Option(
      "--signer", "KEY",
      "the public key that must have signed: 64 hexadecimal digits, or @FILE (PEM)"),
    Option(
      "--inputs", "PATH", isRepeatable: true,
      "what was scanned, in the order in which it was named then: scan it again and compare"),
    Option(
      "--needles", "FILE", isRepeatable: true, "the protected values of that scan, to look for them"
    ),
    Option("--needle", "KIND=VALUE", isRepeatable: true, "one of them"),
    Option("--key", "KIND=VALUE", isRepeatable: true, "a database key of that scan"),
    Option("--rules", "DIR", isRepeatable: true, "a folder of rule packs of that scan"),
    Option("--lexicon", "FILE", isRepeatable: true, "a list of sensitive names of that scan"),
    Option("--jobs", "N", "tasks at the same time (default: the number of processors)"),
  ]
  let details = """
    The exit status is 0 where everything holds, 1 where anything does not, and 3
    where something could not be checked: no signature, an input that is gone, a
    needle that was not given.

    """

  /// What came of the checks so far.
  private enum Outcome: Int32, Comparable {
    case holds = 0
    case unchecked = 3
    case broken = 1

    static func < (one: Outcome, other: Outcome) -> Bool { one.rank < other.rank }

    private var rank: Int {
      switch self {
      case .holds: 0
      case .unchecked: 1
      case .broken: 2
      }
    }
  }

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    guard let path = arguments.operands.first else { throw UsageError.missingOperand("BUNDLE") }
    if arguments.operands.count > 1 { throw UsageError.unwantedOperand(arguments.operands[1]) }
    let file = try InputFile.bundle(at: path)
    let bundle: EvidenceBundle
    do throws(EvidenceBundle.Damage) {
      bundle = try EvidenceBundle(parsing: file)
    } catch {
      throw BundleError(path: path, damage: error)
    }
    var outcome = try checkSignature(of: bundle, arguments, terminal)
    outcome = try max(outcome, checkMembers(of: bundle, terminal))
    guard let bytes = bundle.member("report.json") else {
      throw BundleError(path: path, damage: .manifest)
    }
    let report = try ReportFile.report(in: bytes, path: "\(path): report.json")
    guard !arguments.all("--inputs").isEmpty else {
      try say("inputs", "not checked: \(report.inputs.count) are listed; give --inputs", terminal)
      return outcome.rawValue
    }
    outcome = max(outcome, try checkRules(of: bundle, arguments, terminal))
    let again = try await scan(bundle, arguments, terminal)
    outcome = try max(outcome, checkInputs(report, again, terminal))
    outcome = try max(outcome, checkFindings(report, again, terminal))
    return outcome.rawValue
  }

  private func say(_ what: String, _ text: String, _ terminal: Terminal) throws(OutputError) {
    guard !terminal.isQuiet else { return }
    let label = TextLayout.padded(what.isEmpty ? "" : terminal.say(what), 11)
    try terminal.print("\(label)\(Terminal.harmless(terminal.say(text)))\n")
  }

  private func checkSignature(
    of bundle: EvidenceBundle, _ arguments: Arguments, _ terminal: Terminal
  ) throws -> Outcome {
    let wanted = try arguments["--signer"].map { value in
      let text = value.hasPrefix("@") ? try SecretArgument.value(value) : value
      guard let key = VerifyingKey(text: text) else {
        throw UsageError.badValue("--signer", "holds no Ed25519 public key")
      }
      return key
    }
    guard let signature = bundle.signature else {
      try say("signature", "none: nobody vouches for this bundle", terminal)
      return wanted == nil ? .unchecked : .broken
    }
    let name = "ed25519 \(signature.signer.text)"
    guard bundle.hasValidSignature else {
      try say("signature", "does not fit, for \(name)", terminal)
      return .broken
    }
    guard let wanted else {
      try say("signature", "fits, by \(name); --signer checks whose that is", terminal)
      return .holds
    }
    guard wanted == signature.signer else {
      try say("signature", "fits, but by another key: \(name)", terminal)
      return .broken
    }
    try say("signature", "fits, by the key given", terminal)
    return .holds
  }

  private func checkMembers(
    of bundle: EvidenceBundle, _ terminal: Terminal
  ) throws(OutputError) -> Outcome {
    let changed = bundle.changedMembers
    try say(
      "members",
      changed.isEmpty
        ? "\(bundle.members.count) as the manifest lists them"
        : "changed: \(changed.joined(separator: ", "))", terminal)
    return changed.isEmpty ? .holds : .broken
  }

  /// Other rules may find other things: it is told, and what they find decides.
  private func checkRules(
    of bundle: EvidenceBundle, _ arguments: Arguments, _ terminal: Terminal
  ) throws -> Outcome {
    let own = try BundleOutput.rules(arguments)
    let known = Set(own.map { "\($0.path) \($0.sha256)" })
    let other = bundle.manifest.rules.count { !known.contains("\($0.path) \($0.sha256)") }
    try say(
      "rules",
      other == 0
        ? "\(bundle.manifest.rules.count), the same as here"
        : "\(other) of \(bundle.manifest.rules.count) are others here", terminal)
    return .holds
  }

  /// The same scan, with what this command line adds: nothing secret stands in a bundle.
  private func scan(
    _ bundle: EvidenceBundle, _ arguments: Arguments, _ terminal: Terminal
  ) async throws -> Report {
    let scan = ScanCommand()
    var words = arguments.all("--inputs") + bundle.manifest.options
    for name in ["--needles", "--needle", "--key", "--rules", "--lexicon", "--jobs"] {
      words += arguments.all(name).map { "\(name)=\($0)" }
    }
    let parsed = try Arguments(words, options: scan.options + Option.global)
    let options = try scan.scanOptions(parsed, GateSelection(parsed))
    let progress = Progress()
    return try await ProgressBar.drawn(terminal.showsProgress, progress) {
      try await Scanner.scan(options, reporting: progress)
    }
  }

  private func checkInputs(
    _ report: Report, _ again: Report, _ terminal: Terminal
  ) throws(OutputError) -> Outcome {
    let now = Dictionary(
      again.inputs.map { (Array($0.path.utf8), $0) }, uniquingKeysWith: { first, _ in first })
    var changed: [String] = []
    var missing: [String] = []
    var unhashed = 0
    for input in report.inputs {
      guard let sha256 = input.sha256 else {
        unhashed += 1
        continue
      }
      guard let other = now[Array(input.path.utf8)] else {
        missing.append(input.path)
        continue
      }
      if other.sha256 != sha256 { changed.append(input.path) }
    }
    let same = report.inputs.count - changed.count - missing.count - unhashed
    try say("inputs", "\(same) of \(report.inputs.count) are the same", terminal)
    try list(changed, as: "changed", terminal)
    try list(missing, as: "not here", terminal)
    if unhashed > 0 { try say("", "\(unhashed) had not been read to their end", terminal) }
    if !changed.isEmpty { return .broken }
    return missing.isEmpty && unhashed == 0 ? .holds : .unchecked
  }

  private func checkFindings(
    _ report: Report, _ again: Report, _ terminal: Terminal
  ) throws(OutputError) -> Outcome {
    var found: [FindingPlace: Int] = [:]
    for finding in again.findings { found[FindingPlace(finding), default: 0] += 1 }
    let rules = Set(again.rules.map(\.id))
    let needles = again.scope.needles
    var missing: [String] = []
    var unsought: [String] = []
    for finding in report.findings {
      let place = FindingPlace(finding)
      if let count = found[place], count > 0 {
        found[place] = count - 1
      } else if needles < report.scope.needles,
        finding.needle != nil || finding.locator.contains(Redaction.dots)
      {
        // A name that shows a needle was covered, which cannot be done without it.
        unsought.append("\(finding.rule) at \(finding.locator)")
      } else if finding.needle == nil, !rules.contains(finding.rule) {
        unsought.append("\(finding.rule) at \(finding.locator)")
      } else {
        missing.append("\(finding.rule) at \(finding.locator)")
      }
    }
    let count = report.findings.count - missing.count - unsought.count
    try say("findings", "\(count) of \(report.findings.count) found again", terminal)
    try list(missing, as: "not found", terminal)
    try list(unsought, as: "not looked for", terminal)
    if !missing.isEmpty { return .broken }
    return unsought.isEmpty ? .holds : .unchecked
  }

  private func list(
    _ names: [String], as what: String, _ terminal: Terminal
  ) throws(OutputError) {
    for name in names.prefix(20) { try say("", "\(what): \(name)", terminal) }
    if names.count > 20 { try say("", "\(names.count - 20) more \(what)", terminal) }
  }
}

/// What makes two findings the same: the rule or needle and the place, whatever key made the fingerprint.
private struct FindingPlace: Hashable {
  private let parts: [String]
  private let ranges: [ByteRange]

  init(_ finding: Finding) {
    parts = [finding.rule, finding.locator, finding.needle ?? "", finding.form ?? ""]
    ranges = finding.ranges
  }
}

/// A file is no evidence bundle, or no longer one.
struct BundleError: Error, Equatable {
  var path: String
  var damage: EvidenceBundle.Damage
}

extension BundleError: Explained {
  var problem: String {
    switch damage {
    case .archive(let offset):
      "\(path) is no bundle, or was changed: it is damaged at byte \(offset)"
    case .manifest: "\(path) is no bundle, or was changed: its manifest cannot be read"
    case .signature: "\(path) is no bundle, or was changed: its signature cannot be read"
    }
  }

  var remedy: String {
    "get the file again from who wrote it; vestige scan --report bundle=PATH does"
  }
}
