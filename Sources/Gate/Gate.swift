package import Findings
package import Scanning

/// Judges a report by what a project expects and accepts. It judges a whole run once: the reports of
/// shares are merged first.
package struct Gate: Sendable {
  package var policy: Policy?
  package var baseline: (path: String, entries: Baseline)?
  package var fingerprintKey: FingerprintKey
  /// The classes of sensitive things that a name says, where it says any.
  package var classes: @Sendable (String) -> Set<String>

  package init(
    policy: Policy?, baseline: (path: String, entries: Baseline)?, fingerprintKey: FingerprintKey,
    classes: @escaping @Sendable (String) -> Set<String>
  ) {
    self.policy = policy
    self.baseline = baseline
    self.fingerprintKey = fingerprintKey
    self.classes = classes
  }

  /// Why a report cannot be judged.
  package enum Failure: Error, Equatable {
    case otherKey(baseline: String)
    case judged
  }

  /// Adds what the policy finds, marks what is accepted, and settles the status.
  package func judge(_ report: inout Report) throws(Failure) {
    guard report.run.shard == nil else { return }
    if let baseline, baseline.entries.fingerprintKey != report.run.fingerprintKey {
      throw .otherKey(baseline: baseline.path)
    }
    let day = String(report.run.started.prefix(10))
    if let policy {
      Expectations(policy: policy, key: fingerprintKey, classes: classes).judge(&report)
      Acceptance(policy: policy, key: fingerprintKey, day: day).mark(&report)
    }
    if let baseline { Acceptance.mark(&report, baseline.entries, in: baseline.path, day: day) }
    report.sort()
    report.run.status = report.judgement
  }
}

extension Gate.Failure: Explained {
  package var problem: String {
    switch self {
    case .otherKey(let path): "\(path) was made under another --fingerprint-key"
    case .judged: "the report was judged already"
    }
  }

  package var remedy: String {
    switch self {
    case .otherKey: "give the key it was made under, or make it anew"
    case .judged: "leave out --policy and --baseline, or scan again"
    }
  }
}
