/// What a run has to say about one clause of a standard.
package struct ControlOutcome: Equatable, Sendable {
  /// From what was found to what nobody looked for.
  package enum Verdict: String, CaseIterable, Sendable {
    /// Something was found that speaks against it.
    case fail
    /// Nothing was found, but not everything could be read or decided.
    case partial
    /// Nothing was found, and everything was read.
    case pass
    /// No rule in effect looks for what the clause is about.
    case unchecked
  }

  package var verdict: Verdict
  /// Rules in effect that are evidence for it, by id.
  package var rules: [String] = []
  /// Needles were searched for, and it is about them.
  package var usesNeedles = false
  /// Open findings against it, and those that somebody accepted.
  package var findings = 0
  package var accepted = 0
  /// Decisions of checklist rules.
  package var passed = 0
  package var failed = 0
  package var notEvaluated = 0

  package init(verdict: Verdict) {
    self.verdict = verdict
  }
}

/// The outcomes of all controls of a report, made in one pass over its findings.
package struct ControlOutcomes: Sendable {
  /// Controls that a protected value in clear speaks to.
  package static let ofNeedles = [
    "MASVS-STORAGE-1", "PIPL-51", "GBT35273-6.3", "GDPR-32", "NIST-SC-28", "PCI-3.5.1",
    "ISO-A.8.24",
  ]

  /// Findings that name the same controls, so that one that names two of a kind counts once.
  private struct Group: Sendable {
    var open = 0
    var accepted = 0
  }

  private struct Decisions: Sendable {
    var passed = 0
    var failed = 0
    var notEvaluated = 0
  }

  private var groups: [[String]: Group] = [:]
  private var decisions: [String: Decisions] = [:]
  private let rules: [String]
  /// Which rules name a control, by their place among the rules.
  private var naming: [String: [Int]] = [:]
  private let isIncomplete: Bool
  private let hasNeedles: Bool

  package init(_ report: Report) {
    isIncomplete = !report.diagnostics.isEmpty || report.scope.files == 0
    hasNeedles = report.scope.needles > 0
    rules = report.rules.map(\.id)
    for (index, rule) in report.rules.enumerated() {
      for control in rule.controls { naming[control, default: []].append(index) }
    }
    for finding in report.findings {
      if finding.suppressed == nil {
        groups[finding.controls, default: Group()].open += 1
      } else {
        groups[finding.controls, default: Group()].accepted += 1
      }
    }
    for result in report.results {
      switch result.outcome {
      case .pass: decisions[result.rule, default: Decisions()].passed += 1
      case .fail: decisions[result.rule, default: Decisions()].failed += 1
      case .notEvaluated: decisions[result.rule, default: Decisions()].notEvaluated += 1
      }
    }
  }

  /// Whether an open finding speaks against a control: what its outcome says, for a tenth of the work.
  package func hasFailed(_ control: Control) -> Bool {
    let names = Set([control.id] + control.through)
    return groups.contains { $0.value.open > 0 && !names.isDisjoint(with: $0.key) }
  }

  /// The outcome of a control, with what its rules and those of the controls it is read through found.
  package func outcome(of control: Control) -> ControlOutcome {
    let names = Set([control.id] + control.through)
    var outcome = ControlOutcome(verdict: .unchecked)
    for (controls, group) in groups where !names.isDisjoint(with: controls) {
      outcome.findings += group.open
      outcome.accepted += group.accepted
    }
    for index in Set(names.flatMap { naming[$0] ?? [] }) {
      outcome.rules.append(rules[index])
      guard let decided = decisions[rules[index]] else { continue }
      outcome.passed += decided.passed
      outcome.failed += decided.failed
      outcome.notEvaluated += decided.notEvaluated
    }
    outcome.rules.sort()
    outcome.usesNeedles = hasNeedles && !names.isDisjoint(with: Self.ofNeedles)
    if outcome.findings > 0 {
      outcome.verdict = .fail
    } else if !outcome.rules.isEmpty || outcome.usesNeedles {
      let isUndecided = outcome.notEvaluated > 0 && outcome.passed == 0
      outcome.verdict = isIncomplete || isUndecided ? .partial : .pass
    }
    return outcome
  }
}
