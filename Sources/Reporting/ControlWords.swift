import Findings
import Languages

/// What a report says about the outcome of a control.
enum ControlWords {
  /// Which rules looked, and whether protected values were searched.
  static func checked(_ outcome: ControlOutcome, _ say: Phrasebook) -> String {
    var words: [String] = []
    if outcome.usesNeedles { words.append(say("protected values in clear")) }
    if !outcome.rules.isEmpty {
      let packs = Set(outcome.rules.map { $0.prefix { $0 != "." } }).sorted().joined(
        separator: ", ")
      words.append(say("{} rules of {}", "\(outcome.rules.count)", packs))
    }
    return words.isEmpty ? "–" : words.joined(separator: say("; "))
  }

  static func evidence(_ outcome: ControlOutcome, _ say: Phrasebook) -> String {
    var words: [String] = []
    if outcome.findings > 0 { words.append(say("findings: {}", "\(outcome.findings)")) }
    if outcome.accepted > 0 { words.append(say("accepted: {}", "\(outcome.accepted)")) }
    if outcome.passed + outcome.failed + outcome.notEvaluated > 0 {
      words.append(
        say(
          "checks: {} passed, {} failed, {} not evaluated", "\(outcome.passed)",
          "\(outcome.failed)", "\(outcome.notEvaluated)"))
    }
    guard words.isEmpty else { return words.joined(separator: say("; ")) }
    return outcome.verdict == .unchecked ? "–" : say("nothing found")
  }

  /// The standards that open findings speak against, each with the clauses.
  static func failures(in report: Report) -> [(standard: Standard, controls: [Control])] {
    let outcomes = ControlOutcomes(report)
    return report.standards.compactMap { standard in
      let failed = standard.controls.filter { outcomes.hasFailed($0) }
      return failed.isEmpty ? nil : (standard, failed)
    }
  }

  static func verdict(_ verdict: ControlOutcome.Verdict) -> String {
    switch verdict {
    case .fail: "findings"
    case .partial: "nothing found, but incomplete"
    case .pass: "nothing found"
    case .unchecked: "no rule in effect"
    }
  }
}
