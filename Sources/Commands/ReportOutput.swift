import Findings
import Languages
import Reporting

/// Where one report goes, and in which format.
struct ReportOutput {
  private var format: any ReportFormat
  /// Nothing for standard output.
  private let path: String?
  private var language = Language.english

  /// What the format shows beyond findings and scope.
  var details: Report.Detail { format.details }

  /// The outputs that `--report` asks for; text to the terminal where it asks for none.
  static func outputs(_ arguments: [String], _ terminal: Terminal) throws(UsageError)
    -> [ReportOutput]
  {
    var outputs: [ReportOutput] = []
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
      guard let name = parts.first, let format = ReportFormats.named(name) else {
        let known = ReportFormats.builtIn.map(\.name).joined(separator: ", ")
        let later = ["junit", "markdown", "csv", "gitlab", "bundle"]
        if let name = parts.first, later.contains(name) { throw .notYet("--report \(name)") }
        throw .badValue("--report", "must be one of \(known)")
      }
      outputs.append(ReportOutput(format: format, path: parts.count == 2 ? parts[1] : nil))
    }
    guard outputs.count(where: { $0.path == nil }) <= 1 else {
      throw .badValue("--report", "can go to the terminal only once; give FORMAT=PATH")
    }
    if outputs.isEmpty || terminal.isQuiet == false && !outputs.contains(where: { $0.path == nil })
    {
      outputs.insert(ReportOutput(format: TextReport(style: .plain), path: nil), at: 0)
    }
    return outputs.map { output in
      var output = output
      output.language = terminal.language
      guard output.path == nil, output.format.name == "text", terminal.usesColor else {
        return output
      }
      output.format = TextReport(style: .colored)
      return output
    }
  }

  /// What the format is for decides what it is given: JSON stays in English, so that a program, and
  /// `vestige report` in any language, can read it.
  private func prepared(_ report: Report) throws(OutputError) -> Report {
    guard format.name != "json" else { return report }
    var report = report.translated(into: language)
    guard format.details.contains(.standards) else { return report }
    do throws(StandardFileError) {
      report.standards = try StandardFile.builtIn()
    } catch {
      throw OutputError(path: path ?? "standard output", message: error.problem)
    }
    return report
  }

  func write(_ report: Report) throws(OutputError) {
    let report = try prepared(report)
    var output = FileOutput.standardOutput()
    if let path { output = try FileOutput(creating: path) }
    format.write(report, to: &output)
    guard output.finish() else {
      throw OutputError(path: path ?? "standard output", message: "writing failed")
    }
  }
}
