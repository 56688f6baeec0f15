import Findings
import Reporting
import Scanning

/// `vestige report`: renders JSON reports again, and merges those of a run's shares into one.
struct ReportCommand: Command {
  let name = "report"
  let summary = "render JSON reports again in other formats, and merge shards"
  let operands = "REPORT.json..."
  let options: [Option] = [ReportOutput.option]
  let details = """
    REPORT.json is what --report json=FILE wrote; - is standard input. Several
    must be the reports of all of a run's --shard I/N: together they give the
    report that one machine would have written. The exit status is that of the
    run.

    """

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    guard !arguments.operands.isEmpty else { throw UsageError.missingOperand("REPORT.json") }
    let outputs = try ReportOutput.outputs(arguments.all("--report"), terminal)
    let reports = try arguments.operands.map { path in
      try ReportFile.report(in: try InputFile.report(at: path), path: path)
    }
    let report = try Report(merging: reports)
    for output in outputs { try output.write(report) }
    return report.run.status
  }
}
