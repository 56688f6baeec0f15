import Findings
import Gate
import Glibc
import Reporting
import Scanning

/// `vestige baseline`: writes down which findings are accepted, so that a gate fails on new ones only.
struct BaselineCommand: Command {
  let name = "baseline"
  let summary = "accept the findings of today, so that a gate fails on new ones"
  let operands = "create|update|show FILE..."
  let options: [Option] = [
    Option("--reason", "TEXT", "why the findings are accepted"),
    Option("--until", "DAY", "the last day it holds: 2027-01-31"),
    Option("--output", "FILE", "where create writes (default: to the terminal)"),
  ]
  let details = """
    create REPORT.json         a baseline of everything in a report that nobody
                               accepted yet
    update BASELINE REPORT.json
                               takes out what is gone and keeps all reasons; with
                               --reason it also accepts what is new
    show BASELINE              what is accepted, and why

    """

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    let operands = arguments.operands
    switch (operands.first, operands.count) {
    case ("create", 2): try create(from: operands[1], arguments, terminal)
    case ("update", 3): try update(operands[1], from: operands[2], arguments, terminal)
    case ("show", 2): try show(operands[1], terminal)
    case ("create", _): throw UsageError.missingOperand("one REPORT.json")
    case ("update", _): throw UsageError.missingOperand("a baseline and one REPORT.json")
    case ("show", _): throw UsageError.missingOperand("one baseline")
    case (let word?, _): throw UsageError.unwantedOperand(word)
    case (nil, _): throw UsageError.missingOperand("create, update or show")
    }
    return 0
  }

  private func create(
    from path: String, _ arguments: Arguments, _ terminal: Terminal
  ) throws {
    guard let reason = arguments["--reason"], reason.contains(where: { !$0.isWhitespace }) else {
      throw UsageError.missingValue("--reason", "TEXT: whoever reads the baseline asks why")
    }
    let baseline = Baseline(
      accepting: try report(at: path), reason: reason, until: try until(arguments))
    guard let output = arguments["--output"] else {
      try terminal.print(baseline.text)
      return
    }
    guard access(output, F_OK) != 0 else {
      throw UsageError.badValue("--output", "names a file that exists; update it instead")
    }
    try write(baseline, to: output)
    try tell("\(output): \(Self.counted(baseline)) accepted", terminal)
  }

  private func update(
    _ file: String, from path: String, _ arguments: Arguments, _ terminal: Terminal
  ) throws {
    let old = try Baseline(yaml: try InputFile.text(at: file), path: file)
    let report = try report(at: path)
    guard old.fingerprintKey == report.run.fingerprintKey else {
      throw Gate.Failure.otherKey(baseline: file)
    }
    let (baseline, added, removed) = old.updated(
      to: report, reason: arguments["--reason"], until: try until(arguments))
    try write(baseline, to: file)
    try tell(
      "\(file): \(added) added, \(removed) gone, \(Self.counted(baseline)) accepted", terminal)
  }

  private func show(_ file: String, _ terminal: Terminal) throws {
    let baseline = try Baseline(yaml: try InputFile.text(at: file), path: file)
    var text = ""
    for entry in baseline.entries {
      let times = entry.count == 1 ? "" : " × \(entry.count)"
      let until = entry.until.map { terminal.say(" (until \($0))") } ?? ""
      text += [
        "\(TextStyle.shown(entry.rule))  \(TextStyle.shown(entry.path))\(times)",
        "    \(TextStyle.shown(entry.reason))\(until)", "",
      ].joined(separator: "\n")
    }
    try terminal.print(text + terminal.say("\(Self.counted(baseline)) accepted") + "\n")
  }

  private func report(at path: String) throws -> Report {
    let report = try ReportFile.report(in: try InputFile.report(at: path), path: path)
    if let shard = report.run.shard {
      throw UsageError.badValue(path, "is share \(shard) of a run; merge all with vestige report")
    }
    return report
  }

  private func until(_ arguments: Arguments) throws(UsageError) -> String? {
    guard let day = arguments["--until"] else { return nil }
    guard Day.isDay(day) else { throw .badValue("--until", "must be a day such as 2027-01-31") }
    // What holds until yesterday is accepted by nobody: the next scan would fail as if it were new.
    guard day >= Timestamp.now.prefix(10) else {
      throw .badValue("--until", "must be a day that is not over: \(day) is")
    }
    return day
  }

  private func write(_ baseline: Baseline, to path: String) throws(OutputError) {
    var output = try FileOutput(creating: path)
    output.write(baseline.text)
    try output.finish()
  }

  private func tell(_ text: String, _ terminal: Terminal) throws(OutputError) {
    if !terminal.isQuiet { try terminal.print(Terminal.harmless(terminal.say(text)) + "\n") }
  }

  private static func counted(_ baseline: Baseline) -> String {
    let count = baseline.entries.reduce(0) { $0 + $1.count }
    return Findings.counted(count, "finding")
  }
}
