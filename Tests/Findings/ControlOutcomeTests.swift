import Findings
import Testing

@Suite struct `The outcome of a control` {
  private static let control = Control(
    id: "PIPL-51", title: LocalText(english: "", simplifiedChinese: ""),
    through: ["MASVS-STORAGE-1"], uncovered: LocalText(english: "", simplifiedChinese: ""))

  private static func report(rules: [String], needles: Int = 0) -> Report {
    var report = Report(
      toolVersion: "",
      run: Report.Run(started: "", seconds: 0, status: 0, failOn: nil, reveals: false),
      scope: Report.Scope())
    report.scope.files = 1
    report.scope.needles = needles
    report.rules = rules.enumerated().map { index, control in
      RuleDescription(id: "p.r\(index)", title: "", severity: .low, remedy: "", controls: [control])
    }
    return report
  }

  private static func finding(_ controls: [String], suppressed: Suppression? = nil) -> Finding {
    Finding(
      fingerprint: "", rule: "p.r0", title: "", severity: .low, message: "", remedy: "", path: "",
      locator: "", ranges: [], line: nil, liveness: .live, context: Context(), needle: nil,
      form: nil,
      sample: "", controls: controls, suppressed: suppressed)
  }

  @Test func `is unchecked where no rule looks for it`() {
    let outcome = ControlOutcomes(Self.report(rules: ["GDPR-32"])).outcome(of: Self.control)
    #expect(outcome.verdict == .unchecked)
  }

  @Test func `is what its rules, and those it is read through, found`() {
    var report = Self.report(rules: ["MASVS-STORAGE-1", "PIPL-51", "GDPR-32"])
    #expect(ControlOutcomes(report).outcome(of: Self.control).verdict == .pass)
    #expect(ControlOutcomes(report).outcome(of: Self.control).rules == ["p.r0", "p.r1"])
    report.findings = [Self.finding(["GDPR-32"])]
    #expect(ControlOutcomes(report).outcome(of: Self.control).verdict == .pass)
    report.findings.append(Self.finding(["MASVS-STORAGE-1", "PIPL-51"]))
    let outcome = ControlOutcomes(report).outcome(of: Self.control)
    #expect(outcome.verdict == .fail)
    // One finding that speaks to both is one.
    #expect(outcome.findings == 1)
  }

  @Test func `is incomplete where not everything was read or decided`() {
    var report = Self.report(rules: ["PIPL-51"])
    report.results = [RuleResult(rule: "p.r0", path: "", outcome: .notEvaluated, reason: "")]
    #expect(ControlOutcomes(report).outcome(of: Self.control).verdict == .partial)
    report.results = []
    report.diagnostics = [
      Diagnostic(path: "", locator: "", code: .readFailed, message: "", remedy: "")
    ]
    #expect(ControlOutcomes(report).outcome(of: Self.control).verdict == .partial)
  }

  @Test func `counts what somebody accepted apart`() {
    var report = Self.report(rules: ["PIPL-51"])
    report.findings = [
      Self.finding(["PIPL-51"], suppressed: Suppression(by: .baseline, reason: "known"))
    ]
    let outcome = ControlOutcomes(report).outcome(of: Self.control)
    #expect(outcome.verdict == .pass)
    #expect(outcome.accepted == 1)
  }

  @Test func `is checked by needles where it is about values in clear`() {
    let outcome = ControlOutcomes(Self.report(rules: [], needles: 1)).outcome(of: Self.control)
    #expect(outcome.verdict == .pass)
    #expect(outcome.usesNeedles)
  }
}
