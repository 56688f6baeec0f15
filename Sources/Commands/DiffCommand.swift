import Findings
import Gate
import Reporting
import Scanning

/// `vestige diff`: what is new, gone and unchanged between two reports.
struct DiffCommand: Command {
  let name = "diff"
  let summary = "compare two JSON reports: what is new, gone, unchanged"
  let operands = "OLD.json NEW.json"
  let options: [Option] = [
    Option(
      "--fail-on", "SEVERITY", choices: ["low", "medium", "high", "critical", "never"],
      "exit 1 where something new is of this severity (default: the newer report's)")
  ]
  let details = """
    A finding is the same where its fingerprint is: lines, offsets, pages and
    temporary folders may have changed. What somebody accepted does not fail.

    """

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    guard arguments.operands.count == 2 else {
      throw UsageError.missingOperand("an older and a newer report")
    }
    let reports = try arguments.operands.map { path in
      try ReportFile.report(in: try InputFile.report(at: path), path: path)
    }
    let difference = try ReportDifference(from: reports[0], to: reports[1])
    var threshold = reports[1].run.failOn
    if let name = try arguments.choice(
      "--fail-on", of: Severity.allCases.map(\.rawValue) + ["never"])
    {
      threshold = Severity(rawValue: name)
    }
    let failures = difference.failures(from: threshold)
    if !terminal.isQuiet {
      for finding in difference.new { try terminal.print(line("new", finding, terminal)) }
      for finding in difference.gone { try terminal.print(line("gone", finding, terminal)) }
    }
    let counts =
      "\(difference.new.count) new, \(difference.gone.count) gone,"
      + " \(difference.unchanged.count) unchanged;"
      + " \(failures.count) new at or above \(threshold?.rawValue ?? "never")"
    try terminal.print(terminal.say(counts) + "\n")
    return failures.isEmpty ? 0 : 1
  }

  private func line(_ word: String, _ finding: Finding, _ terminal: Terminal) -> String {
    let place = finding.locator + (finding.line.map { ":\($0)" } ?? "")
    let accepted = finding.suppressed.map { terminal.say(" (accepted by \($0.by.rawValue))") } ?? ""
    return [terminal.say(word), finding.severity.rawValue, finding.rule, place, finding.sample]
      .map(TextStyle.shown).joined(separator: "  ") + accepted + "\n"
  }
}
