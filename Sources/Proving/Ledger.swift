import Findings
import RuleEngine
import Scanning

/// Gathers outcomes and makes the report of them.
struct Ledger {
  private let options: ProofOptions
  private let subject: Subject
  private var proof: Proof
  private var findings: [Finding] = []
  private var diagnostics: [Diagnostic] = []
  private var files = 0
  private var bytes = 0
  private let groups: [Canary.Group]

  init(_ options: ProofOptions, _ subject: Subject) {
    self.options = options
    self.subject = subject
    proof = Proof(
      driver: options.driver.text, store: subject.store, seed: options.seed,
      isExhaustive: options.isExhaustive)
    let hasKeys = !(subject.templates[.filled]?.keys.isEmpty ?? true)
    groups = Canary.Group.allCases.filter { $0 != .keys || hasKeys }
    proof.canaries = subject.engine.needles.map { needle in
      Proof.Canary(
        id: needle.id, kind: needle.kind.rawValue,
        canaries: subject.group(of: needle.id)?.rawValue ?? "")
    }
  }

  mutating func add(_ outcome: ScenarioOutcome, reporting report: (Proof.Scenario) -> Void) {
    let scenario = outcome.scenario(options, groups: groups)
    proof.scenarios.append(scenario)
    findings += outcome.findings(options)
    files += outcome.look.files
    bytes += outcome.look.bytes.values.reduce(0, +)
    for diagnostic in outcome.look.diagnostics
    where !diagnostics.contains(where: {
      $0.code == diagnostic.code && $0.message == diagnostic.message
    }) {
      diagnostics.append(diagnostic)
    }
    if outcome.left > 0 {
      diagnostics.append(
        Diagnostic(
          path: outcome.name, locator: outcome.name, code: .limitTime,
          message: outcome.skipped ?? "\(outcome.left) points were not tried: the time was over",
          remedy: "give a greater --budget"))
    }
    report(scenario)
  }

  mutating func add(_ mutants: [Proof.Mutant]) { proof.mutants += mutants }

  func report(started: String, seconds: Double) -> Report {
    var report = Report(
      toolVersion: Vestige.version,
      run: Report.Run(
        started: started, seconds: seconds, status: 0, failOn: options.failOn,
        reveals: options.reveals),
      scope: Report.Scope())
    report.run.allowed = options.allowed
    report.scope.roots = [options.driver.text]
    report.scope.files = files
    report.scope.bytes = bytes
    report.scope.needles = subject.engine.needles.count
    report.scope.forms = subject.engine.formCount
    report.findings = findings.sorted(by: Finding.precedes)
    report.diagnostics = diagnostics
    report.proof = proof
    report.run.status = report.judgement
    return report
  }
}
