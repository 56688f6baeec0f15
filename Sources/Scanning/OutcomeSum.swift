import Findings
import RuleEngine

/// What many files brought up, all in one: what is empty of most files is not kept for each.
struct OutcomeSum: Sendable {
  private(set) var inputs: [InputRecord] = []
  private(set) var findings: [Finding] = []
  private(set) var waiting: [WaitingRuling] = []
  private(set) var diagnostics: [Diagnostic] = []
  private(set) var fragments = 0
  private(set) var comments: [SourceComment] = []
  private(set) var scopes: Set<StorageRule.Scope> = []
  private(set) var dependencies: [ComponentList.Statement] = []
  private(set) var keys: [KeyCandidate] = []

  mutating func add(_ outcome: FileOutcome) {
    if let input = outcome.input { inputs.append(input) }
    findings += outcome.findings
    waiting += outcome.waiting
    diagnostics += outcome.diagnostics
    fragments += outcome.fragments
    comments += outcome.comments
    scopes.formUnion(outcome.scopes)
    dependencies += outcome.dependencies
    keys += outcome.keys
  }

  /// Adds all of another, which is given up: the first is taken over as it is.
  mutating func add(_ other: consuming OutcomeSum) {
    guard !inputs.isEmpty || !findings.isEmpty || !diagnostics.isEmpty else {
      let mine = self
      self = other
      return addRest(of: mine)
    }
    inputs += other.inputs
    findings += other.findings
    diagnostics += other.diagnostics
    addRest(of: other)
  }

  private mutating func addRest(of other: OutcomeSum) {
    waiting += other.waiting
    fragments += other.fragments
    comments += other.comments
    scopes.formUnion(other.scopes)
    dependencies += other.dependencies
    keys += other.keys
  }
}

extension Report {
  /// Adds what files brought up.
  mutating func add(_ sum: consuming OutcomeSum) {
    scope.files += sum.inputs.count
    scope.bytes += sum.inputs.reduce(0) { $0 + $1.bytes }
    scope.fragments += sum.fragments
    // The first are taken over, not copied.
    if inputs.isEmpty { inputs = sum.inputs } else { inputs += sum.inputs }
    if findings.isEmpty { findings = sum.findings } else { findings += sum.findings }
    diagnostics += sum.diagnostics
  }
}
