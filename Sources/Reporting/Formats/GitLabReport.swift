package import Findings
import Languages

/// GitLab's security report for static analysis (SAST), schema 15.
package struct GitLabReport: ReportFormat {
  package let name = "gitlab"

  /// The longest name and solution that the schema takes.
  private static let mostOfName = 255
  private static let mostOfSolution = 7_000

  package init() {}

  private typealias Value = JSONWriter.Value

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    output.write("{\n  \"version\": \"15.0.7\",\n  \"scan\": \(scan(report).text),\n")
    output.write("  \"vulnerabilities\": [")
    var separator = "\n    "
    var numbers: [String: Int] = [:]
    for finding in report.findings {
      numbers[finding.fingerprint, default: 0] += 1
      let number = numbers[finding.fingerprint, default: 1]
      output.write(separator + vulnerability(finding, number, .of(report.language)).text)
      separator = ",\n    "
    }
    output.write(separator == "\n    " ? "]\n}\n" : "\n  ]\n}\n")
  }

  private func scan(_ report: Report) -> Value {
    let program: [(String, Value?)] = [
      ("id", .string("vestige")), ("name", .string("Vestige")),
      ("version", .string(report.toolVersion)),
      ("vendor", .object([("name", .string("Vestige"))])),
    ]
    let start = Self.time(report.run.started)
    let messages =
      [
        Value.object([
          ("level", .string("info")),
          ("value", .string(Phrasebook.of(report.language)(report.verdict))),
        ])
      ]
      + report.diagnostics.map { diagnostic in
        .object([
          ("level", .string("warn")),
          (
            "value",
            .string("\(diagnostic.code.rawValue) \(diagnostic.locator): \(diagnostic.message)")
          ),
        ])
      }
    return .object([
      ("analyzer", .object(program)), ("scanner", .object(program)), ("type", .string("sast")),
      ("start_time", .string(start)), ("end_time", .string(start)),
      ("status", .string(report.run.status == 2 ? "failure" : "success")),
      ("messages", .array(messages)),
    ])
  }

  private func vulnerability(
    _ finding: Finding, _ number: Int, _ say: Phrasebook
  ) -> Value {
    let identifier = number == 1 ? finding.fingerprint : "\(finding.fingerprint)-\(number)"
    let line = finding.line ?? 1
    return .object([
      ("id", .string(identifier)),
      ("name", .string(Self.cut(finding.title, Self.mostOfName))),
      ("description", .string(Self.description(finding, say))),
      ("severity", .string(Self.severity(finding.severity))),
      ("solution", .string(Self.cut(MarkdownReport.plain(finding.remedy), Self.mostOfSolution))),
      (
        "identifiers",
        .array([
          .object([
            ("type", .string("vestige_rule")),
            ("name", .string(Self.cut(finding.rule, Self.mostOfName))),
            ("value", .string(Self.cut(finding.rule, Self.mostOfName))),
          ])
        ])
      ),
      (
        "location",
        .object([("file", .string(finding.path)), ("start_line", .integer(line))])
      ),
      ("tracking", tracking(finding, identifier)),
      ("flags", finding.acceptance.map { .array([flag(say($0))]) }),
    ])
  }

  /// What GitLab recognises a finding by when its line has moved.
  private func tracking(_ finding: Finding, _ identifier: String) -> Value {
    let signature = Value.object([
      ("algorithm", .string("hash")), ("value", .string(identifier)),
    ])
    return .object([
      ("type", .string("source")),
      (
        "items",
        .array([
          .object([
            ("file", .string(finding.path)), ("start_line", .integer(finding.line ?? 1)),
            ("end_line", .integer(finding.line ?? 1)), ("signatures", .array([signature])),
          ])
        ])
      ),
    ])
  }

  /// The schema's only way to mark a finding.
  private func flag(_ acceptance: String) -> Value {
    .object([
      ("type", .string("flagged-as-likely-false-positive")), ("origin", .string("vestige")),
      ("description", .string(acceptance)),
    ])
  }

  /// Rendered as Markdown, so that what comes from the scanned files must not be any.
  private static func description(_ finding: Finding, _ say: Phrasebook) -> String {
    let places = finding.placeWords.map { MarkdownReport.code(say($0)) }
    return [
      MarkdownReport.plain(finding.message) + say(": ") + MarkdownReport.code(finding.sample),
      ([say("at {}", MarkdownReport.code(finding.locator))] + places).joined(separator: say(", ")),
    ].joined(separator: "\n\n")
  }

  /// The time as the schema writes it.
  private static func time(_ started: String) -> String {
    let shape = started.utf8.map { $0 &- UInt8(ascii: "0") < 10 ? UInt8(ascii: "0") : $0 }
    return shape == Array("0000-00-00T00:00:00Z".utf8)
      ? String(started.dropLast()) : "1970-01-01T00:00:00"
  }

  private static func severity(_ severity: Severity) -> String {
    switch severity {
    case .low: "Low"
    case .medium: "Medium"
    case .high: "High"
    case .critical: "Critical"
    }
  }

  private static func cut(_ text: String, _ most: Int) -> String {
    // The schema counts code points, and wants one at least.
    let scalars = text.unicodeScalars
    if scalars.isEmpty { return "-" }
    return scalars.count <= most ? text : String(String.UnicodeScalarView(scalars.prefix(most)))
  }
}
