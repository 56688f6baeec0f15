import Findings
import Glibc
import Reporting
import RuleEngine
import Scanning

/// `vestige scan`: looks for what should not be there and writes reports; its status is the gate.
struct ScanCommand: Command {
  let name = "scan"
  let summary = "look for what should not be there, and report it"
  let operands = "PATH..."
  /// Whether only checklist rules count; needles then say which literals are sensitive.
  var isChecksOnly = false

  let options: [Option] =
    GateSelection.options + [
      Option(
        "--needles", "FILE", isRepeatable: true,
        "protected values to look for: a YAML or JSON list of {id, kind, value}; - is standard input"
      ),
      Option(
        "--needle", "KIND=VALUE", isRepeatable: true,
        "one protected value; VALUE may be @FILE or env:NAME. Kinds: text, date, number, phone, email,"
          + " bytes-hex, key-hex, passphrase"),
      Option(
        "--key", "KIND=VALUE", isRepeatable: true,
        "a database key to try: hex=VALUE or passphrase=VALUE, where VALUE may be @FILE or env:NAME;"
          + " salt=VALUE for files whose salt is elsewhere; what it opens is searched and is no leak."
          + " old=hex=VALUE is a key that was replaced: what still opens under it is reported"),
      Option(
        "--packs", "LIST", "rule packs to use, by name, with commas (default: all; none: no rules)"),
      Option("--rules", "DIR", isRepeatable: true, "add a folder of rule packs"),
      Option(
        "--lexicon", "FILE", isRepeatable: true,
        "add names that checklist rules take for sensitive: a YAML file like those of Rules/lexicon"
      ),
      Option("--include", "GLOB", isRepeatable: true, "scan only paths that match"),
      Option("--exclude", "GLOB", isRepeatable: true, "leave out paths that match"),
      Option(
        "--advisories", "PATH", isRepeatable: true,
        "known vulnerabilities (OSV, JSON): a file, or a folder of files; dependencies are compared"
          + " with them"),
      Option(
        "--fail-on", "SEVERITY", choices: ["low", "medium", "high", "critical", "never"],
        "exit 1 from this severity on: low, medium (default), high, critical or never"),
      ReportOutput.optionWithBundle,
      BundleOutput.keyOption,
      Option(
        "--allow", "CODE", isRepeatable: true,
        "accept a kind of thing that was not looked at: it does not make the scan incomplete"),
      Option("--reveal", "show values in clear"),
      Option("--jobs", "N", "tasks at the same time (default: the number of processors)"),
      Option("--max-depth", "N", "how deep containers and encodings may nest (default 16)"),
      Option(
        "--max-expansion", "SIZE", "bytes that may come out of one file when unpacked (default 4G)"),
      Option("--max-time", "SECONDS", "seconds for one file (default 300)"),
      Option("--shard", "I/N", "scan only this machine's share of the files"),
      FingerprintSelection.option,
      Option("--pid", "N", isRepeatable: true, "scan the memory of a running process"),
    ]

  /// The files that are named to be read, by themselves or as `@FILE` behind what their secret is.
  private static func inputs(_ arguments: Arguments) -> [String] {
    let named = ["--needles", "--policy", "--baseline", "--lexicon", "--advisories"]
    let secrets = ["--needle", "--key", "--sign-key", "--fingerprint-key"].flatMap(arguments.all)
    return arguments.operands + named.flatMap(arguments.all)
      + secrets.compactMap { secret in
        guard let mark = secret.firstIndex(of: "@"),
          mark == secret.startIndex || secret[..<mark].hasSuffix("=")
        else { return nil }
        return String(secret[secret.index(after: mark)...])
      }
  }

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    let gate = try GateSelection(arguments)
    var options = try scanOptions(gate.completing(arguments), gate)
    let leftOut = try leaveOutChecks(of: &options)
    let (bundle, others) = try BundleOutput.split(gate.completing(arguments), terminal)
    let outputs =
      try bundle != nil && others.isEmpty && terminal.isQuiet
      ? []
      : ReportOutput.outputs(
        others, terminal, showsReasons: isChecksOnly,
        choices: ReportOutput.optionWithBundle.choices)
    for output in outputs { options.details.formUnion(output.details) }
    // What a scan of hours comes to must not be lost for a wrong name.
    for output in outputs { try output.check() }
    if let bundle { try FileOutput.check(bundle.path) }
    let inputs = Self.inputs(arguments)
    for output in outputs {
      try output.check(isNoneOf: inputs)
      try output.check(isNoneScannedBy: options)
    }
    if let bundle {
      try FileOutput.check(bundle.path, isNoneOf: inputs)
      try FileOutput.check(bundle.path, isNoneScannedBy: options)
    }
    if bundle != nil { options.details.formUnion(BundleOutput.details) }
    let progress = Progress()
    var report = try await ProgressBar.drawn(terminal.showsProgress, progress) { [options] in
      try await Scanner.scan(options, reporting: progress)
    }
    report.results += leftOut
    report.sort()
    try gate.judge(&report, options.fingerprintKey, options.lexicon)
    if options.reveals, !terminal.isQuiet {
      let note = terminal.say("note: values are shown in clear because of --reveal")
      Terminal.write(note + "\n", to: STDERR_FILENO)
    }
    for output in outputs { try output.write(report) }
    try bundle?.write(report)
    return report.run.status
  }

  /// A checklist rule is decided on all of a bundle or source tree, of which a share sees a part: the
  /// shares leave it undecided, and say so.
  private func leaveOutChecks(of options: inout ScanOptions) throws(UsageError) -> [RuleResult] {
    guard options.shard != nil else { return [] }
    guard !isChecksOnly else {
      throw .badValue("--shard", "cannot share out checklist rules: they are decided on the whole")
    }
    let results = options.checks.map { check in
      RuleResult(
        rule: check.id, path: ".", outcome: .notEvaluated,
        reason: "not decided on shares: run vestige check on the whole")
    }
    options.checks = []
    return results
  }

  func scanOptions(_ arguments: Arguments, _ gate: GateSelection) throws -> ScanOptions {
    var options = ScanOptions()
    options.processes = try processes(arguments)
    guard !arguments.operands.isEmpty || !options.processes.isEmpty else {
      throw UsageError.missingOperand("PATH")
    }
    options.paths = arguments.operands
    let pack = try RuleSelection.pack(arguments)
    options.checks = pack.checks
    options.lexicon = try gate.completing(RuleSelection.lexicon(arguments))
    let needles = try NeedleSelection.needles(arguments, and: gate.needles())
    options.lexicon.add(values: needles.map(\.value))
    options.storageRules = pack.storage
    if isChecksOnly {
      guard !options.checks.isEmpty || !pack.storage.isEmpty else {
        throw Engine.BuildError.nothingToFind
      }
    } else {
      options.rules = pack.rules
      options.needles = needles
    }
    let paths = arguments.all("--advisories")
    if !paths.isEmpty {
      options.advisories = AdvisoryBook(try paths.flatMap { try InputFile.advisories(at: $0) })
    }
    options.listsComponents =
      options.advisories != nil
      || arguments.all("--report").contains { $0.hasPrefix(CycloneDXReport().name) }
    options.keys = try KeySelection.keys(arguments)
    options.include = arguments.all("--include").map(Glob.init)
    options.exclude = arguments.all("--exclude").map(Glob.init)
    options.failOn = try Self.threshold(arguments)
    options.allowed = try Self.allowed(arguments)
    options.reveals = arguments.has("--reveal")
    options.heedsComments = !arguments.has("--no-suppressions")
    options.jobs =
      try arguments.integer("--jobs", in: 1...256) ?? Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    options.limits.depth = try arguments.integer("--max-depth", in: 0...64) ?? options.limits.depth
    options.limits.expansion = try arguments.size("--max-expansion") ?? options.limits.expansion
    if let seconds = try arguments.integer("--max-time", in: 1...86_400) {
      options.limits.seconds = Double(seconds)
    }
    options.shard = try shard(arguments)
    options.fingerprintKey = try FingerprintSelection.key(arguments)
    return options
  }

  private func processes(_ arguments: Arguments) throws(UsageError) -> [Int32] {
    var processes: [Int32] = []
    for value in arguments.all("--pid") {
      guard let number = Int32(value), number > 0 else {
        throw .badValue("--pid", "must be the number of a process")
      }
      processes.append(number)
    }
    return processes
  }

  static func threshold(_ arguments: Arguments) throws(UsageError) -> Severity? {
    let names = Severity.allCases.map(\.rawValue) + ["never"]
    let name = try arguments.choice("--fail-on", of: names) ?? "medium"
    return Severity(rawValue: name)
  }

  static func allowed(_ arguments: Arguments) throws(UsageError) -> Set<Diagnostic.Code> {
    var codes: Set<Diagnostic.Code> = []
    for name in arguments.all("--allow").flatMap({ $0.split(separator: ",").map(String.init) }) {
      guard let code = Diagnostic.Code(rawValue: name) else {
        let known = Diagnostic.Code.allCases.map(\.rawValue).joined(separator: ", ")
        throw .badValue("--allow", "must be one of \(known)")
      }
      codes.insert(code)
    }
    return codes
  }

  private func shard(_ arguments: Arguments) throws(UsageError) -> Report.Shard? {
    guard let value = arguments["--shard"] else { return nil }
    let parts = value.split(separator: "/").map { Int($0) }
    guard parts.count == 2, let index = parts[0], let count = parts[1], count >= 1,
      (1...count).contains(index)
    else { throw .badValue("--shard", "must be I/N with I from 1 to N") }
    return Report.Shard(index: index, count: count)
  }
}
