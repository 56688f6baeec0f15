import Findings
import Gate
import RuleEngine
import Scanning

/// The policy and the baseline of a command line, and what the policy chooses that the command line
/// does not.
struct GateSelection {
  static let options: [Option] = [
    Option("--policy", "FILE", "what must hold: needles, expectations, packs, threshold (YAML)"),
    Option("--baseline", "FILE", "findings accepted so far; vestige baseline writes one"),
    Option("--no-suppressions", "show what comments, policy and baseline accept as if nobody had"),
  ]

  let policy: Policy?
  private let baseline: (path: String, entries: Baseline)?

  init(_ arguments: Arguments) throws {
    let heeds = !arguments.has("--no-suppressions")
    var policy = try arguments["--policy"].map { path in
      try Policy(yaml: try InputFile.text(at: path), path: path)
    }
    if !heeds { policy?.allowances = [] }
    self.policy = policy
    baseline = try arguments["--baseline"].flatMap { path in
      let entries = try Baseline(yaml: try InputFile.text(at: path), path: path)
      return heeds ? (path, entries) : nil
    }
  }

  /// The arguments with what the policy chooses; what stands on the command line wins.
  func completing(_ arguments: Arguments) -> Arguments {
    guard let policy else { return arguments }
    var arguments = arguments
    if let packs = policy.packs {
      arguments.setDefault("--packs", packs.isEmpty ? "none" : packs.joined(separator: ","))
    }
    switch policy.threshold {
    case .never: arguments.setDefault("--fail-on", "never")
    case .from(let severity): arguments.setDefault("--fail-on", severity.rawValue)
    case nil: break
    }
    for code in policy.allow.map(\.rawValue).sorted() { arguments.add("--allow", code) }
    for folder in policy.rules { arguments.add("--rules", beside(folder)) }
    for file in policy.needleFiles { arguments.add("--needles", beside(file)) }
    for file in policy.lexiconFiles { arguments.add("--lexicon", beside(file)) }
    for key in policy.keys {
      let parts = key.split(separator: "=", maxSplits: 1).map(String.init)
      arguments.add("--key", "\(parts[0])=\(reference(parts[1]))")
    }
    return arguments
  }

  /// The needles that the policy names, with their values from where it says they are.
  func needles() throws -> [Needle] {
    try (policy?.needles ?? []).map { source in
      let value = try SecretArgument.value(reference(source.source))
      guard !value.isEmpty else {
        throw UsageError.badValue("needle \"\(source.id)\" of the policy", "has an empty value")
      }
      return Needle(
        id: source.id, kind: source.kind, value: value, severity: source.severity, note: source.note
      )
    }
  }

  /// The lexicon with the policy's own names.
  func completing(_ lexicon: Lexicon) throws -> Lexicon {
    guard let policy, let names = policy.lexicon else { return lexicon }
    var lexicon = lexicon
    try LexiconFile.add(names, path: policy.path, to: &lexicon)
    return lexicon
  }

  /// Judges a report that covers a whole run.
  func judge(_ report: inout Report, _ key: FingerprintKey, _ lexicon: Lexicon) throws {
    report.run.policy = policy?.name
    report.run.baseline = baseline?.path
    let gate = Gate(policy: policy, baseline: baseline, fingerprintKey: key) { name in
      lexicon.classes(of: name)
    }
    try gate.judge(&report)
  }

  /// Whether there is anything to judge by.
  var isEmpty: Bool { policy == nil && baseline == nil }

  /// A path that the policy names, seen from the folder it stands in.
  private func beside(_ path: String) -> String {
    guard let folder = policy?.path.lastIndex(of: "/"), !path.hasPrefix("/") else { return path }
    return String(policy?.path[...folder] ?? "") + path
  }

  private func reference(_ source: String) -> String {
    source.hasPrefix("@") ? "@" + beside(String(source.dropFirst())) : source
  }
}

/// The key of fingerprints on a command line.
enum FingerprintSelection {
  static let option = Option(
    "--fingerprint-key", "VALUE",
    "key of the findings' fingerprints, @FILE or env:NAME; without one a published key is used")

  static func key(_ arguments: Arguments) throws -> FingerprintKey {
    guard let argument = arguments["--fingerprint-key"] else { return .published }
    let secret = Array(try SecretArgument.value(argument).utf8)
    // Under an empty key anybody could confirm a guessed value.
    guard !secret.isEmpty else {
      throw UsageError.badValue("--fingerprint-key", "has an empty value")
    }
    return .secret(secret)
  }
}
