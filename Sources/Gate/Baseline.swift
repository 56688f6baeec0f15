package import Findings
import YAML

/// The findings accepted so far: what a gate switched on in an old project starts from.
package struct Baseline: Equatable, Sendable {
  /// Which key the fingerprints were made with.
  package var fingerprintKey: String
  package var entries: [Entry] = []

  /// An accepted finding.
  package struct Entry: Equatable, Sendable {
    package var fingerprint: String
    /// How many live copies of it; rows with the same value in one table share a fingerprint.
    package var count: Int
    package var rule: String
    package var path: String
    package var reason: String
    package var until: String?
    /// Where it stands in its file, from 1.
    package var line = 0

    package init(
      fingerprint: String, count: Int, rule: String, path: String, reason: String, until: String?
    ) {
      self.fingerprint = fingerprint
      self.count = count
      self.rule = rule
      self.path = path
      self.reason = reason
      self.until = until
    }
  }

  package init(fingerprintKey: String) {
    self.fingerprintKey = fingerprintKey
  }

  /// What says that the gate itself is broken is never accepted.
  static func canAccept(_ finding: Finding) -> Bool {
    finding.rule != "policy.expired" && finding.rule != "policy.required"
  }

  /// Whether one more copy is one more leak. Residue comes and goes with every page that is written;
  /// once it was accepted, how much of it there is says nothing new.
  static func counts(_ finding: Finding) -> Bool { finding.liveness == .live }
}

extension Baseline {
  /// What a report found and nobody accepted yet, accepted from now on.
  package init(accepting report: Report, reason: String, until: String?) {
    self.init(fingerprintKey: report.run.fingerprintKey)
    add(report.findings.filter { $0.suppressed == nil }, reason: reason, until: until)
  }

  /// The baseline brought up to a report: what is gone leaves, what is new enters, reasons stay.
  package func updated(
    to report: Report, reason: String?, until: String?
  ) -> (baseline: Baseline, added: Int, removed: Int) {
    let relevant = report.findings.filter { $0.suppressed == nil || $0.suppressed?.by == .baseline }
    var found: [String: Int] = [:]
    for finding in relevant where Self.canAccept(finding) {
      found[finding.fingerprint, default: 0] += 1
    }
    var next = Baseline(fingerprintKey: fingerprintKey)
    var known: Set<String> = []
    for var entry in entries {
      guard let count = found[entry.fingerprint], known.insert(entry.fingerprint).inserted else {
        continue
      }
      entry.count = min(entry.count, count)
      next.entries.append(entry)
    }
    let removed = entries.count - next.entries.count
    guard let reason else { return (next, 0, removed) }
    var left = Dictionary(
      uniqueKeysWithValues: next.entries.map { ($0.fingerprint, $0.count) })
    let new = relevant.filter { finding in
      guard let count = left[finding.fingerprint] else { return true }
      if !Self.counts(finding) { return false }
      left[finding.fingerprint] = count - 1
      return count <= 0
    }
    let before = next.entries.reduce(0) { $0 + $1.count }
    next.add(new, reason: reason, until: until)
    return (next, next.entries.reduce(0) { $0 + $1.count } - before, removed)
  }

  private mutating func add(_ findings: [Finding], reason: String, until: String?) {
    var positions = Dictionary(
      uniqueKeysWithValues: entries.indices.map { (entries[$0].fingerprint, $0) })
    for finding in findings where Self.canAccept(finding) {
      if let position = positions[finding.fingerprint] {
        if Self.counts(finding) { entries[position].count += 1 }
      } else {
        positions[finding.fingerprint] = entries.count
        entries.append(
          Entry(
            fingerprint: finding.fingerprint, count: 1, rule: finding.rule, path: finding.path,
            reason: reason, until: until))
      }
    }
  }
}
