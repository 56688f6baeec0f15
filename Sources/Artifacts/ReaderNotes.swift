import Findings

/// The diagnostics of one archive: the first of a kind one by one, the rest as a number, so that a million
/// bad members do not make a million lines.
struct ReaderNotes {
  private static let listed = 64

  private var counts: [Diagnostic.Code: Int] = [:]

  mutating func add(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String] = [],
    to sink: inout some FragmentSink
  ) {
    counts[code, default: 0] += 1
    guard counts[code, default: 0] <= Self.listed else { return }
    sink.diagnostic(code, message, remedy: remedy, steps: steps)
  }

  /// Says how many were not listed.
  func finish(_ sink: inout some FragmentSink) {
    for code in Diagnostic.Code.allCases {
      guard let count = counts[code], count > Self.listed else { continue }
      sink.diagnostic(
        code, "\(count - Self.listed) more members of this archive have the same problem",
        remedy: "extract the archive and scan its files to see each", steps: [])
    }
  }
}

/// What a person can do about what readers of archives could not read.
enum Remedy {
  static let damaged = "get an undamaged copy; what could be read was searched"
  static let encrypted = "decrypt it and scan what it holds"
  static let unsupported = "unpack it with a tool that knows the format and scan the result"
  static let memory = "unpack it with a tool that takes so much memory and scan the result"
  static let limit = "unpack it and scan the result, or raise the limit"
  static let failed = "check the storage and read it again"
}
