package import Findings
import Languages

/// GitLab's code quality report, which merge requests show beside the changed lines.
package struct CodeQualityReport: ReportFormat {
  package let name = "codequality"

  package init() {}

  private typealias Value = JSONWriter.Value

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    let say = Phrasebook.of(report.language)
    output.write("[")
    var separator = "\n  "
    var numbers: [String: Int] = [:]
    func issue(
      _ check: String, _ description: String, _ severity: String, _ path: String, _ line: Int,
      _ fingerprint: String
    ) -> String {
      // GitLab shows one issue a fingerprint, so that of rows with one value only one would show.
      numbers[fingerprint, default: 0] += 1
      let number = numbers[fingerprint, default: 1]
      defer { separator = ",\n  " }
      return separator
        + Value.object([
          ("description", .string(description)), ("check_name", .string(check)),
          ("fingerprint", .string(number == 1 ? fingerprint : "\(fingerprint)-\(number)")),
          ("severity", .string(severity)),
          (
            "location",
            .object([
              ("path", .string(path)), ("lines", .object([("begin", .integer(line))])),
            ])
          ),
        ]).text
    }
    for finding in report.findings {
      let what = finding.message + say(": ") + finding.sample
      output.write(
        issue(
          finding.rule, finding.acceptance.map { say("{} ({})", say($0), what) } ?? what,
          finding.suppressed == nil ? Self.severity(finding.severity) : "info", finding.path,
          finding.line ?? 1, finding.fingerprint))
    }
    for diagnostic in report.diagnostics {
      output.write(
        issue(
          diagnostic.code.rawValue,
          say("not looked at: {}", diagnostic.locator) + say(": ") + diagnostic.message + say("; ")
            + diagnostic.remedy,
          report.run.allowed.contains(diagnostic.code) ? "info" : "minor", diagnostic.path, 1,
          "\(diagnostic.code.rawValue) \(diagnostic.locator)"))
    }
    output.write(separator == "\n  " ? "]\n" : "\n]\n")
  }

  private static func severity(_ severity: Severity) -> String {
    switch severity {
    case .low: "minor"
    case .medium: "major"
    case .high: "critical"
    case .critical: "blocker"
    }
  }
}
