package import Findings

/// A way to write down a report.
package protocol ReportFormat: Sendable {
  /// As `--report` names it.
  var name: String { get }

  /// What it shows beyond findings and scope, so that a scan knows to gather it.
  var details: Report.Detail { get }

  /// Writes the report piece by piece, so that no format holds all of it twice.
  func write(_ report: Report, to output: inout some TextOutputStream)
}

/// The formats there are.
package enum ReportFormats {
  package static let builtIn: [any ReportFormat] = [
    TextReport(style: .plain),
    JSONReport(),
    SARIFReport(),
    JUnitReport(),
    GitLabReport(),
    CodeQualityReport(),
    CSVReport(),
    MarkdownReport(),
    HTMLReport(),
    CASEReport(),
    DFXMLReport(),
    CycloneDXReport(),
  ]

  package static func named(_ name: String) -> (any ReportFormat)? {
    builtIn.first { $0.name == name }
  }
}

extension ReportFormat {
  package var details: Report.Detail { [] }

  /// The whole report as one text.
  package func render(_ report: Report) -> String {
    var text = ""
    write(report, to: &text)
    return text
  }
}
