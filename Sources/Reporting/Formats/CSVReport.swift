package import Findings

/// Rows of comma-separated values (RFC 4180) for spreadsheets: findings, and what was not looked at.
package struct CSVReport: ReportFormat {
  package let name = "csv"

  package init() {}

  private static let columns = [
    "kind", "severity", "rule", "title", "path", "locator", "line", "offset", "length", "liveness",
    "table", "column", "needle", "form", "sample", "message", "remedy", "controls", "accepted-by",
    "reason", "until", "fingerprint",
  ]

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    row(Self.columns, to: &output)
    for finding in report.findings { row(Self.cells(finding), to: &output) }
    for result in report.results {
      row(
        [
          "result", result.outcome.rawValue, result.rule, "", result.path, "", "", "", "", "", "",
          "", "", "", "", result.reason, "", "", "", "", "", "",
        ], to: &output)
    }
    for diagnostic in report.diagnostics {
      row(
        [
          "diagnostic", "", diagnostic.code.rawValue, "", diagnostic.path, diagnostic.locator, "",
          "", "", "", "", "", "", "", "", diagnostic.message, diagnostic.remedy, "", "", "", "", "",
        ], to: &output)
    }
    for note in report.notes {
      row(
        [
          "note", "", note.code.rawValue, "", note.path, "", note.line.map { "\($0)" } ?? "", "",
          "", "", "", "", "", "", "", note.message, note.remedy, "", "", "", "", "",
        ], to: &output)
    }
  }

  private static func cells(_ finding: Finding) -> [String] {
    let range = finding.ranges.first
    return [
      "finding", finding.severity.rawValue, finding.rule, finding.title, finding.path,
      finding.locator, finding.line.map { "\($0)" } ?? "", range.map { "\($0.offset)" } ?? "",
      range.map { "\($0.length)" } ?? "", finding.liveness.rawValue, finding.context.table ?? "",
      finding.context.column ?? "", finding.needle ?? "", finding.form ?? "", finding.sample,
      finding.message, finding.remedy, finding.controls.joined(separator: " "),
      finding.suppressed?.by.rawValue ?? "", finding.suppressed?.reason ?? "",
      finding.suppressed?.until ?? "", finding.fingerprint,
    ]
  }

  private func row(_ cells: [String], to output: inout some TextOutputStream) {
    output.write(cells.map(Self.cell).joined(separator: ",") + "\r\n")
  }

  /// A cell that no spreadsheet takes for a formula: what starts like one gets an apostrophe, which a
  /// spreadsheet shows as text. Line ends and other control characters become blanks.
  static func cell(_ text: String) -> String {
    var cell = TextStyle.shown(text)
    if let first = cell.unicodeScalars.first, isFormula(first) { cell = "'" + cell }
    guard cell.unicodeScalars.contains(where: { ",\"'\n\r ".unicodeScalars.contains($0) }) else {
      return cell
    }
    return "\"" + cell.replacing("\"", with: "\"\"") + "\""
  }

  /// Also in the wide forms that spreadsheets of East Asia take for the narrow ones.
  private static func isFormula(_ scalar: Unicode.Scalar) -> Bool {
    "=+-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".unicodeScalars.contains(scalar)
  }
}
