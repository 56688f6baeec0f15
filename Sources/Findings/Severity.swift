/// How much a finding weighs; `--fail-on` compares against it.
package enum Severity: String, CaseIterable, Comparable, Sendable {
  case low, medium, high, critical

  package static func < (one: Severity, other: Severity) -> Bool {
    one.rank < other.rank
  }

  private var rank: Int {
    switch self {
    case .low: 0
    case .medium: 1
    case .high: 2
    case .critical: 3
    }
  }
}
