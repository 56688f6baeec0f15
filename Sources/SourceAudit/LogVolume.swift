/// How much of its logs a file keeps in a build that ships: CocoaLumberjack's macros compare their
/// level with the file's constant `ddLogLevel` and are left out where it is lower.
enum LogVolume: Int, Comparable {
  case off, error, warning, notice, info, debug, verbose

  static func < (one: LogVolume, other: LogVolume) -> Bool { one.rawValue < other.rawValue }

  /// The volume that a constant stands for: `DDLogLevelInfo`, `LOG_LEVEL_WARN`.
  init?(constant: String) {
    let name: Substring
    if constant.hasPrefix("DDLogLevel") {
      name = constant.dropFirst("DDLogLevel".count)
    } else if constant.hasPrefix("LOG_LEVEL_") {
      name = constant.dropFirst("LOG_LEVEL_".count)
    } else {
      return nil
    }
    switch name.lowercased() {
    case "off": self = .off
    case "error": self = .error
    case "warn", "warning": self = .warning
    case "notice": self = .notice
    case "info": self = .info
    case "debug": self = .debug
    case "verbose", "all": self = .verbose
    default: return nil
    }
  }

  /// The volume from which on a call of a macro is kept: `DDLogInfo`, `DDLogCVerbose`.
  init?(call: String) {
    guard call.hasPrefix("DDLog") else { return nil }
    let name = call.dropFirst("DDLog".count)
    self.init(constant: "DDLogLevel" + name)
    if self == .off { return nil }
  }
}
