package import Findings

/// What two reports of the same thing, an older and a newer one, do not have in common. Findings are
/// the same by their fingerprints, wherever they lie now.
package struct ReportDifference: Equatable, Sendable {
  package private(set) var new: [Finding] = []
  package private(set) var gone: [Finding] = []
  package private(set) var unchanged: [Finding] = []

  package init(from old: Report, to new: Report) throws(Incomparable) {
    guard old.run.fingerprintKey == new.run.fingerprintKey else { throw Incomparable() }
    var left: [String: [Finding]] = [:]
    for finding in old.findings.reversed() {
      left[finding.fingerprint, default: []].append(finding)
    }
    var residue: Set<String> = []
    for finding in old.findings where !Baseline.counts(finding) {
      residue.insert(finding.fingerprint)
    }
    for finding in new.findings {
      if left[finding.fingerprint]?.popLast() != nil {
        unchanged.append(finding)
      } else if residue.contains(finding.fingerprint) {
        // More residue of what was residue before.
        unchanged.append(finding)
      } else {
        self.new.append(finding)
      }
    }
    let kept = Set(new.findings.filter { !Baseline.counts($0) }.map(\.fingerprint))
    gone = left.values.joined().filter { Baseline.counts($0) || !kept.contains($0.fingerprint) }
      .sorted(by: Finding.precedes)
  }

  /// The fingerprints of the reports were made under different keys.
  package struct Incomparable: Equatable {}

  /// What is new and reaches the threshold; nothing where somebody accepted it.
  package func failures(from threshold: Severity?) -> [Finding] {
    guard let threshold else { return [] }
    return new.filter { $0.suppressed == nil && $0.severity >= threshold }
  }
}

extension ReportDifference.Incomparable: Explained {
  package var problem: String { "the reports were made under different keys of fingerprints" }
  package var remedy: String { "scan both with the same --fingerprint-key" }
}
