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
  private struct Tally: Sendable {
    var rules: [String] = []
    var findings = 0
    var accepted = 0
    var passed = 0
    var failed = 0
    var notEvaluated = 0
  }

  private var tallies: [String: Tally] = [:]
  private let isIncomplete: Bool
  private let hasNeedles: Bool

  /// Controls that a protected value in clear speaks to (CHECKLIST §4, "plaintext at rest").
  package static let ofNeedles = [
    "MASVS-STORAGE-1", "PIPL-51", "GBT35273-6.3", "GDPR-32", "NIST-SC-28", "PCI-3.5.1",
    "ISO-A.8.24",
  ]

  package init(_ report: Report) {
    isIncomplete = !report.diagnostics.isEmpty || report.scope.files == 0
    hasNeedles = report.scope.needles > 0
    var controls: [String: [String]] = [:]
    for rule in report.rules {
      controls[rule.id] = rule.controls
      for control in rule.controls { tallies[control, default: Tally()].rules.append(rule.id) }
    }
    for finding in report.findings {
      for control in finding.controls {
        if finding.suppressed == nil {
          tallies[control, default: Tally()].findings += 1
        } else {
          tallies[control, default: Tally()].accepted += 1
        }
      }
    }
    for result in report.results {
      for control in controls[result.rule] ?? [] {
        switch result.outcome {
        case .pass: tallies[control, default: Tally()].passed += 1
        case .fail: tallies[control, default: Tally()].failed += 1
        case .notEvaluated: tallies[control, default: Tally()].notEvaluated += 1
        }
      }
    }
  }

  /// The outcome of a control, with what its rules and those of the controls it is read through found.
  package func outcome(of control: Control) -> ControlOutcome {
    let names = [control.id] + control.through
    var outcome = ControlOutcome(verdict: .unchecked)
    var rules: Set<String> = []
    for name in names {
      guard let tally = tallies[name] else { continue }
      rules.formUnion(tally.rules)
      outcome.findings += tally.findings
      outcome.accepted += tally.accepted
      outcome.passed += tally.passed
      outcome.failed += tally.failed
      outcome.notEvaluated += tally.notEvaluated
    }
    outcome.rules = rules.sorted()
    outcome.usesNeedles = hasNeedles && names.contains { Self.ofNeedles.contains($0) }
    if outcome.findings > 0 || outcome.failed > 0 {
      outcome.verdict = .fail
    } else if !outcome.rules.isEmpty || outcome.usesNeedles {
      outcome.verdict = isIncomplete || outcome.notEvaluated > 0 ? .partial : .pass
    }
    return outcome
  }
}
