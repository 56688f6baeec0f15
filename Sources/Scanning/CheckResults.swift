import Findings
import RuleEngine

/// What the checks say in the end: one outcome a check and unit (INTERFACE, "Report", `results`).
struct CheckResults {
  private let set: CheckSet
  private var tally = Tally()
  private var waiting: [WaitingRuling] = []

  init(_ set: CheckSet) {
    self.set = set
  }

  mutating func add(_ rulings: [WaitingRuling]) { waiting += rulings }

  mutating func add(_ tally: Tally) { self.tally.merge(tally) }

  /// Settles what waited for its unit and writes the outcomes.
  mutating func finish(_ report: inout Report, roots: [String], findings: FindingMaker) {
    guard !set.isEmpty else { return }
    settle(&report, findings)
    let known = Dictionary(grouping: tally.counts) { $0.key.check }
    let roots = Set(roots).sorted()
    for (index, check) in set.checks.enumerated() {
      let results = (known[index] ?? []).compactMap { result(of: check, $0.key.unit, $0.value) }
      report.results += results
      guard results.isEmpty else { continue }
      for root in roots {
        report.results.append(
          RuleResult(
            rule: check.id, path: root, outcome: .notEvaluated,
            reason: check.nothing ?? check.kind.nothingSeen))
      }
    }
  }

  /// What was decided in all units together.
  var total: Tally.Count {
    tally.counts.values.reduce(into: Tally.Count()) { $0.add($1) }
  }

  private mutating func settle(_ report: inout Report, _ findings: FindingMaker) {
    let judge = Judge(set)
    // In the order of reports, so that the one finding of a unit is the same in every run.
    waiting.sort { Finding.precedes($0.finding, $1.finding) }
    var told: Set<Tally.Key> = []
    for one in waiting {
      let (check, unit) = (one.ruling.check, one.ruling.unit)
      var ruling = one.ruling
      if ruling.verdict == .waits {
        let relations = tally[check, unit].relations
        guard let settled = judge.settle(ruling, in: one.locator, with: relations) else { continue }
        ruling = settled
      }
      guard
        !set.checks[check].isOnce || told.insert(Tally.Key(check: check, unit: unit)).inserted
      else { continue }
      var finding = one.finding
      findings.apply(ruling, to: &finding)
      report.findings.append(finding)
    }
    tally.merge(judge.tally)
  }

  private func result(of check: Check, _ unit: String, _ count: Tally.Count) -> RuleResult? {
    var result = RuleResult(rule: check.id, path: unit, outcome: .pass, reason: "")
    let looked = Self.counted(count.applied, "place")
    if count.failed > 0 {
      result.outcome = .fail
      result.reason = "\(count.failed) of \(looked) \(count.failed == 1 ? "fails" : "fail")"
    } else if !count.undecided.isEmpty {
      result.outcome = .notEvaluated
      result.reason = Self.reasons(count.undecided)
      if count.applied > 0 { result.reason += "; \(looked) looked at, none fails" }
    } else if count.applied > 0 {
      result.reason = "\(looked) looked at, none fails"
      if count.warned > 0 { result.reason += "; \(count.warned) worth a look" }
    } else {
      return nil
    }
    return result
  }

  private static func reasons(_ counts: [String: Int]) -> String {
    let all = counts.sorted { $0.key < $1.key }
    var text = all.prefix(3).map { $0.value == 1 ? $0.key : "\($0.key) (\($0.value) times)" }
      .joined(separator: "; ")
    if all.count > 3 { text += "; and \(all.count - 3) more reasons" }
    return text
  }

  private static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
