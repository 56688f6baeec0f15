package import Findings
import Languages

/// JUnit XML, as CI servers show test results: a finding that counts is a failure, an accepted one is
/// skipped, what was not looked at is an error.
package struct JUnitReport: ReportFormat {
  package let name = "junit"

  package init() {}

  private func say(_ report: Report) -> Phrasebook { .of(report.language) }

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    let failures = report.findings.count { report.fails($0) }
    let skipped = report.findings.count { $0.suppressed != nil }
    let results = report.results.filter { $0.outcome != .fail }
    let undecided = results.count { $0.outcome == .notEvaluated }
    let errors = report.diagnostics.count { !report.run.allowed.contains($0.code) }
    let read = 1 + report.diagnostics.count
    let tests = report.findings.count + results.count + read
    output.write("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    output.write("<testsuites name=\"vestige\"")
    counts(tests, failures, errors, skipped + undecided, to: &output)
    output.write(">\n")
    suite("findings", report, (report.findings.count, failures, 0, skipped), to: &output)
    for finding in report.findings { testCase(finding, in: report, to: &output) }
    output.write("  </testsuite>\n")
    suite("checks", report, (results.count, 0, 0, undecided), to: &output)
    for result in results { testCase(result, to: &output) }
    output.write("  </testsuite>\n")
    suite("scope", report, (read, 0, errors, 0), to: &output)
    scopeCase(report, to: &output)
    for diagnostic in report.diagnostics { testCase(diagnostic, in: report, to: &output) }
    output.write("  </testsuite>\n</testsuites>\n")
  }

  private func counts(
    _ tests: Int, _ failures: Int, _ errors: Int, _ skipped: Int,
    to output: inout some TextOutputStream
  ) {
    output.write(
      " tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\"")
  }

  private func suite(
    _ name: String, _ report: Report, _ numbers: (Int, Int, Int, Int),
    to output: inout some TextOutputStream
  ) {
    let start = report.run.started.replacing("Z", with: "")
    output.write("  <testsuite name=\"\(name)\"")
    counts(numbers.0, numbers.1, numbers.2, numbers.3, to: &output)
    let seconds = name == "scope" ? JSONWriter.Value.number(report.run.seconds).text : "0"
    output.write(
      " time=\"\(seconds == "null" ? "0" : seconds)\" timestamp=\"\(XMLText.escaped(start))\">\n")
  }

  private func open(
    _ className: String, _ name: String, to output: inout some TextOutputStream
  ) {
    output.write(
      "    <testcase classname=\"\(XMLText.escaped(className))\" name=\"\(XMLText.escaped(name))\"")
  }

  private func testCase(
    _ finding: Finding, in report: Report, to output: inout some TextOutputStream
  ) {
    open(
      finding.rule, finding.locator + (finding.line.map { ":\($0)" } ?? ""), to: &output)
    output.write(" file=\"\(XMLText.escaped(finding.path))\"")
    if let line = finding.line { output.write(" line=\"\(line)\"") }
    output.write(" time=\"0\">\n")
    let say = say(report)
    let message = XMLText.escaped(
      say(finding.severity.rawValue) + say(": ") + finding.message)
    let details = XMLText.escaped(
      ([say(finding.headline), finding.sample] + finding.placeWords.map { say($0) }
        + [finding.locator, finding.remedy, say("fingerprint {}", finding.fingerprint)])
        .joined(separator: "\n"))
    if let acceptance = finding.acceptance {
      output.write("      <skipped message=\"\(XMLText.escaped(say(acceptance)))\"/>\n")
    } else if report.fails(finding) {
      output.write(
        "      <failure type=\"\(finding.severity.rawValue)\" message=\"\(message)\">\(details)</failure>\n"
      )
    } else {
      output.write("      <system-out>\(message)&#10;\(details)</system-out>\n")
    }
    output.write("    </testcase>\n")
  }

  private func testCase(_ result: RuleResult, to output: inout some TextOutputStream) {
    open(result.rule, result.path.isEmpty ? result.rule : result.path, to: &output)
    guard result.outcome == .notEvaluated else {
      output.write(" time=\"0\"/>\n")
      return
    }
    output.write(
      " time=\"0\">\n      <skipped message=\"\(XMLText.escaped(result.reason))\"/>\n    </testcase>\n"
    )
  }

  private func scopeCase(_ report: Report, to output: inout some TextOutputStream) {
    open("scope", say(report)("what was looked at"), to: &output)
    let (scope, say) = (report.scope, say(report))
    let counts = [
      (scope.files, "file"), (scope.bytes, "byte"), (scope.rules, "rule"),
      (scope.needles, "needle"),
    ].map { say(TextReport.counted($0.0, $0.1)) }
    let text = counts.joined(separator: say(", ")) + say("; ") + say(report.verdict)
    output.write(
      " time=\"0\">\n      <system-out>\(XMLText.escaped(text))</system-out>\n    </testcase>\n")
  }

  private func testCase(
    _ diagnostic: Diagnostic, in report: Report, to output: inout some TextOutputStream
  ) {
    open(diagnostic.code.rawValue, diagnostic.locator, to: &output)
    let text = XMLText.escaped(
      diagnostic.message + say(report)("; ") + diagnostic.remedy)
    let element =
      report.run.allowed.contains(diagnostic.code)
      ? "<system-out>\(text)</system-out>"
      : "<error type=\"\(diagnostic.code.rawValue)\" message=\"\(text)\"/>"
    output.write(" time=\"0\">\n      \(element)\n    </testcase>\n")
  }
}
