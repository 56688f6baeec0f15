import Findings
import Gate
import Reporting
import Scanning

/// `vestige report`: renders JSON reports again, and merges those of a run's shares into one.
struct ReportCommand: Command {
  let name = "report"
  let summary = "render JSON reports again in other formats, and merge shards"
  let operands = "REPORT.json..."
  let options: [Option] =
    [ReportOutput.option] + GateSelection.options + [
      FingerprintSelection.option,
      Option("--lexicon", "FILE", isRepeatable: true, "add names that count as sensitive"),
    ]
  let details = """
    REPORT.json is what --report json=FILE wrote; - is standard input. Several
    must be the reports of all of a run's --shard I/N: together they give the
    report that one machine would have written, but for checklist rules, which
    vestige check decides on the whole. Shares are not judged by policy and
    baseline, which are about the whole: give both here again. The exit status
    is that of the run.

    """

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    guard !arguments.operands.isEmpty else { throw UsageError.missingOperand("REPORT.json") }
    let outputs = try ReportOutput.outputs(arguments.all("--report"), terminal)
    for output in outputs {
      try output.check()
      // One of several shares would be lost.
      if arguments.operands.count > 1 { try output.check(isNoneOf: arguments.operands) }
    }
    let gate = try GateSelection(arguments)
    var reports: [Report] = []
    for path in arguments.operands {
      reports.append(try ReportFile.report(in: try InputFile.report(at: path), path: path))
    }
    var report = try Report(merging: reports)
    try judge(&report, isMerged: reports.count > 1, gate, arguments)
    for output in outputs { try output.write(report) }
    return report.run.status
  }

  private func judge(
    _ report: inout Report, isMerged: Bool, _ gate: GateSelection, _ arguments: Arguments
  ) throws {
    let run = report.run
    if isMerged {
      if let name = run.policy, gate.policy?.name != name {
        throw UsageError.badValue("--policy", "must name the policy of the shares, \"\(name)\"")
      }
      if let path = run.baseline, !arguments.has("--baseline") {
        throw UsageError.badValue("--baseline", "must name the baseline of the shares, \(path)")
      }
    }
    guard !gate.isEmpty else { return }
    guard isMerged || run.policy == nil && run.baseline == nil && run.shard == nil else {
      throw UsageError.badValue(
        "--policy and --baseline", "cannot judge one share, nor what was judged before")
    }
    let key = try FingerprintSelection.key(arguments)
    guard key.name == run.fingerprintKey else {
      throw UsageError.badValue(
        "--fingerprint-key", "is not the one that the report was made under")
    }
    let lexicon = try RuleSelection.lexicon(gate.completing(arguments))
    try gate.judge(&report, key, try gate.completing(lexicon))
  }
}
