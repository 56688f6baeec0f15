/// A pattern for paths: `*` and `?` stay within a name, `**` crosses folders, `[a-z]` is a set. A
/// pattern without a `/` is compared with the last name of a path.
package struct Glob: Equatable, Sendable {
  package let pattern: String
  private let tokens: [Token]
  private let matchesNameOnly: Bool

  private enum Token: Equatable, Sendable {
    case character(UInt8)
    case anyCharacter
    case anyRun
    case anyPath
    case set([ClosedRange<UInt8>], negated: Bool)
  }

  package init(_ pattern: String) {
    self.pattern = pattern
    matchesNameOnly = !pattern.contains("/")
    tokens = Self.tokens(Array(pattern.utf8))
  }

  /// Whether the path, or a folder above it, is what the pattern means.
  package func matches(_ path: String) -> Bool {
    let bytes = Array(path.utf8)
    if matchesNameOnly {
      return bytes.split(separator: UInt8(ascii: "/")).contains { Self.match(tokens[...], $0) }
    }
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "/") } + [bytes.count]
    return ends.contains { Self.match(tokens[...], bytes[..<$0]) }
  }

  private static func tokens(_ pattern: [UInt8]) -> [Token] {
    var tokens: [Token] = []
    var index = 0
    while index < pattern.count {
      switch pattern[index] {
      case UInt8(ascii: "*"):
        if index + 1 < pattern.count, pattern[index + 1] == UInt8(ascii: "*") {
          tokens.append(.anyPath)
          index += 1
          // `**/x` also means `x` itself.
          if index + 1 < pattern.count, pattern[index + 1] == UInt8(ascii: "/") { index += 1 }
        } else if tokens.last != .anyRun {
          tokens.append(.anyRun)
        }
      case UInt8(ascii: "?"):
        tokens.append(.anyCharacter)
      case UInt8(ascii: "["):
        guard let (set, end) = set(pattern, from: index + 1) else { fallthrough }
        tokens.append(set)
        index = end
      default:
        tokens.append(.character(pattern[index]))
      }
      index += 1
    }
    return tokens
  }

  private static func set(_ pattern: [UInt8], from start: Int) -> (Token, Int)? {
    guard let end = pattern[start...].dropFirst().firstIndex(of: UInt8(ascii: "]")) else {
      return nil
    }
    var body = pattern[start..<end]
    let negated = body.first == UInt8(ascii: "!") || body.first == UInt8(ascii: "^")
    if negated { body = body.dropFirst() }
    var ranges: [ClosedRange<UInt8>] = []
    while let lower = body.popFirst() {
      if body.count >= 2, body.first == UInt8(ascii: "-") {
        body.removeFirst()
        let upper = body.removeFirst()
        ranges.append(min(lower, upper)...max(lower, upper))
      } else {
        ranges.append(lower...lower)
      }
    }
    return (.set(ranges, negated: negated), end)
  }

  private static func match(_ tokens: ArraySlice<Token>, _ text: ArraySlice<UInt8>) -> Bool {
    var tokens = tokens
    var text = text
    // The last `*` and the last `**`, each with what it had eaten: where to go on after a mismatch.
    var star: (tokens: ArraySlice<Token>, text: ArraySlice<UInt8>)?
    var path: (tokens: ArraySlice<Token>, text: ArraySlice<UInt8>)?
    while true {
      switch (tokens.first, text.first) {
      case (nil, nil): return true
      case (.anyRun?, _):
        tokens = tokens.dropFirst()
        star = (tokens, text)
        continue
      case (.anyPath?, _):
        tokens = tokens.dropFirst()
        (path, star) = ((tokens, text), nil)
        continue
      case (let token?, let byte?) where accepts(token, byte):
        tokens = tokens.dropFirst()
        text = text.dropFirst()
        continue
      default:
        break
      }
      if let next = star, let eaten = next.text.first, eaten != UInt8(ascii: "/") {
        star = (next.tokens, next.text.dropFirst())
        (tokens, text) = (next.tokens, next.text.dropFirst())
      } else if let next = path, !next.text.isEmpty {
        (path, star) = ((next.tokens, next.text.dropFirst()), nil)
        (tokens, text) = (next.tokens, next.text.dropFirst())
      } else {
        return false
      }
    }
  }

  private static func accepts(_ token: Token, _ byte: UInt8) -> Bool {
    switch token {
    case .character(let wanted): byte == wanted
    case .anyCharacter: byte != UInt8(ascii: "/")
    case .set(let ranges, let negated):
      byte != UInt8(ascii: "/") && ranges.contains { $0.contains(byte) } != negated
    case .anyRun, .anyPath: false
    }
  }
}
