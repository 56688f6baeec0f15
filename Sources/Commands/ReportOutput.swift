import Findings
import Reporting

/// Where one report goes, and in which format.
struct ReportOutput {
  private let format: any ReportFormat
  /// Nothing for standard output.
  private let path: String?

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
      guard output.path == nil, output.format.name == "text", terminal.usesColor else {
        return output
      }
      return ReportOutput(format: TextReport(style: .colored), path: nil)
    }
  }

  func write(_ report: Report) throws(OutputError) {
    var output = FileOutput.standardOutput()
    if let path { output = try FileOutput(creating: path) }
    format.write(report, to: &output)
    guard output.finish() else {
      throw OutputError(path: path ?? "standard output", message: "writing failed")
    }
  }
}
