/// Something about the decisions that a run was given, not about what it read: a suppression that no
/// longer suppresses anything, one without a reason, an accepted finding that is gone.
package struct Note: Equatable, Sendable {
  /// Kinds of notes.
  package enum Code: String, CaseIterable, Sendable {
    /// A suppression comment that no finding stands beside.
    case commentUnused = "comment.unused"
    /// A suppression comment that gives no reason, or names no rule: it suppresses nothing.
    case commentIncomplete = "comment.incomplete"
    /// An entry of the baseline that matches nothing any more.
    case baselineGone = "baseline.gone"
    /// An entry of the baseline whose day has passed.
    case baselineExpired = "baseline.expired"
    /// A finding that the policy allows and that was not found.
    case policyUnused = "policy.unused"
  }

  package var code: Code
  /// The file that it is about.
  package var path: String
  /// From 1.
  package var line: Int?
  package var message: String
  package var remedy: String

  package init(code: Code, path: String, line: Int?, message: String, remedy: String) {
    self.code = code
    self.path = path
    self.line = line
    self.message = message
    self.remedy = remedy
  }
}
