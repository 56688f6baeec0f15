import Findings
import Scanning

/// Marks what somebody accepted, and says which decisions have had their day.
struct Acceptance {
  let policy: Policy
  let key: FingerprintKey
  /// The day of the run, ISO 8601.
  let day: String

  func mark(_ report: inout Report) {
    for allowance in policy.allowances {
      let positions = report.findings.indices.filter {
        report.findings[$0].suppressed == nil && Baseline.canAccept(report.findings[$0])
          && allowance.covers(report.findings[$0])
      }
      guard allowance.until >= day else {
        report.findings.append(expired(allowance))
        continue
      }
      let suppression = Suppression(
        by: .policy, reason: "\(allowance.reason) (\(allowance.owner))", until: allowance.until)
      for position in positions { report.findings[position].suppressed = suppression }
      if positions.isEmpty {
        report.notes.append(
          Note(
            code: .policyUnused, path: policy.path, line: allowance.line,
            message: "nothing was found that this entry allows",
            remedy: "take it out, so that it does not allow something else one day"))
      }
    }
  }

  private func expired(_ allowance: Policy.Allowance) -> Finding {
    let what = [allowance.rule, allowance.fingerprint].compactMap(\.self).joined(separator: " ")
    return Finding(
      fingerprint: key.fingerprint(of: [
        "policy.expired", policy.path, what, allowance.paths.map(\.pattern).joined(separator: " "),
        allowance.until,
      ]),
      rule: "policy.expired", title: "An allowed finding has had its day", severity: .medium,
      message: "\(what) was allowed until \(allowance.until): \(allowance.reason)",
      remedy: "\(allowance.owner): correct what it allowed, or decide again", path: policy.path,
      locator: policy.path, ranges: [], line: allowance.line, liveness: .live, context: Context(),
      needle: nil, form: nil, sample: "", controls: [])
  }

  /// Marks what a baseline accepts.
  static func mark(_ report: inout Report, _ baseline: Baseline, in path: String, day: String) {
    var left: [String: Baseline.Entry] = [:]
    for entry in baseline.entries { left[entry.fingerprint] = entry }
    var seen: Set<String> = []
    for index in report.findings.indices {
      let finding = report.findings[index]
      guard let entry = left[finding.fingerprint] else { continue }
      seen.insert(finding.fingerprint)
      guard finding.suppressed == nil, Baseline.canAccept(finding), entry.until ?? day >= day else {
        continue
      }
      if Baseline.counts(finding) {
        guard entry.count > 0 else { continue }
        left[finding.fingerprint]?.count -= 1
      }
      report.findings[index].suppressed = Suppression(
        by: .baseline, reason: entry.reason, until: entry.until)
    }
    // Where single files were named (before a commit, say) the rest was not looked at.
    let read = Set(report.inputs.map(\.path))
    let isPart = !report.inputs.isEmpty && report.scope.roots.allSatisfy(read.contains)
    for entry in baseline.entries where !isPart || read.contains(entry.path) {
      if !seen.contains(entry.fingerprint) {
        report.notes.append(
          Note(
            code: .baselineGone, path: path, line: entry.line,
            message: "accepted \(entry.rule) in \(entry.path), which is gone",
            remedy: "take it out with vestige baseline update"))
      } else if let until = entry.until, until < day {
        report.notes.append(
          Note(
            code: .baselineExpired, path: path, line: entry.line,
            message: "accepted \(entry.rule) in \(entry.path) until \(until) only",
            remedy: "correct the finding, or accept it again"))
      }
    }
  }
}

extension Policy.Allowance {
  /// Whether it is about a finding.
  func covers(_ finding: Finding) -> Bool {
    if let fingerprint, fingerprint != finding.fingerprint { return false }
    if let rule {
      let isMeant =
        rule.hasSuffix(".*") ? finding.rule.isIn(String(rule.dropLast(2))) : finding.rule == rule
      if !isMeant { return false }
    }
    return paths.isEmpty || paths.contains { $0.matches(finding.path) }
  }
}
