import Findings
import RuleEngine

/// What rules of the `storage` kind decided: fail for each file with a finding, pass where there was
/// something to decide on, and otherwise why not.
enum StorageResults {
  static func results(
    of options: ScanOptions, _ scopes: Set<StorageRule.Scope>, _ findings: [Finding]
  ) -> [RuleResult] {
    let wanted = Set(options.storageRules.map(\.id))
    var failed: [String: Set<String>] = [:]
    for finding in findings where wanted.contains(finding.rule) && finding.suppressed == nil {
      failed[finding.rule, default: []].insert(finding.path)
    }
    let root = options.paths.count == 1 ? RawPath(options.paths[0]).description : "."
    return options.storageRules.flatMap { rule -> [RuleResult] in
      if let paths = failed[rule.id] {
        return paths.sorted().map {
          RuleResult(rule: rule.id, path: $0, outcome: .fail, reason: rule.title)
        }
      }
      let isDecided = scopes.contains(rule.applies)
      return [
        RuleResult(
          rule: rule.id, path: root, outcome: isDecided ? .pass : .notEvaluated,
          reason: isDecided ? "nothing of the kind was seen" : rule.applies.missing)
      ]
    }
  }

  /// Leaves one finding of each rule that says all with one: the first by path, with the other places
  /// beside it.
  static func fold(_ findings: [Finding], of rules: [StorageRule]) -> [Finding] {
    let once = Set(rules.filter(\.isOnce).map(\.id))
    var first: [String: Int] = [:]
    var folded: [Finding] = []
    for finding in findings.sorted(by: Finding.precedes) {
      guard once.contains(finding.rule), finding.suppressed == nil else {
        folded.append(finding)
        continue
      }
      if let index = first[finding.rule] {
        folded[index].also.append(finding.locator)
      } else {
        first[finding.rule] = folded.count
        folded.append(finding)
      }
    }
    for index in first.values where !folded[index].also.isEmpty {
      let count = folded[index].also.count
      folded[index].message += ", and so are \(count) more"
    }
    return folded
  }
}
