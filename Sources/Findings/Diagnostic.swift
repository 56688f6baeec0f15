/// Something that could not be looked at: what, why, and what the person can do about it.
package struct Diagnostic: Equatable, Sendable {
  /// The outermost file, relative to its root.
  package var path: String
  package var locator: String
  package var code: Code
  package var message: String
  package var remedy: String

  package init(path: String, locator: String, code: Code, message: String, remedy: String) {
    self.path = path
    self.locator = locator
    self.code = code
    self.message = message
    self.remedy = remedy
  }

  /// Kinds of what can be missed; `--allow CODE` accepts one.
  package enum Code: String, CaseIterable, Sendable {
    case readPermission = "read.permission"
    case readFailed = "read.failed"
    case readVanished = "read.vanished"
    case readChanged = "read.changed"
    case walkSpecial = "walk.special"
    case walkSymlink = "walk.symlink"
    case walkUnreadable = "walk.unreadable"
    case limitDepth = "limit.depth"
    case limitExpansion = "limit.expansion"
    case limitTime = "limit.time"
    case limitSize = "limit.size"
    case limitCount = "limit.count"
    case limitMemory = "limit.memory"
    case formatDamaged = "format.damaged"
    case formatEncrypted = "format.encrypted"
    case formatUnsupported = "format.unsupported"
    case matchLimit = "match.limit"
    /// What a policy expects could not be decided.
    case policyUndecided = "policy.undecided"
  }
}
