import Bytes

/// A JSON text as a small tree: for lock files and advisories, which are read as a whole. Depth and
/// count are bounded; what is past them is left out.
package struct JSONValue: Sendable {
  package indirect enum Content: Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])
  }

  package var content: Content
  /// Where it starts, from 1.
  package var line: Int

  private static let depthLimit = 64
  private static let countLimit = 2_000_000

  /// The first value of a text; nothing where there is none.
  package init?(parsing text: RawSpan) {
    var parser = Parser(tokens: JSONTokens(text), budget: Self.countLimit)
    guard let first = parser.tokens.next(), let value = parser.value(first, depth: Self.depthLimit)
    else { return nil }
    self = value
  }

  fileprivate init(_ content: Content, line: Int) {
    self.content = content
    self.line = line
  }

  package subscript(key: String) -> JSONValue? {
    if case .object(let members) = content { return members[key] }
    return nil
  }

  package var text: String? {
    if case .text(let text) = content { return text }
    return nil
  }

  package var number: Double? {
    if case .number(let number) = content { return number }
    return nil
  }

  package var members: [JSONValue] {
    if case .array(let members) = content { return members }
    return []
  }

  private struct Parser: ~Escapable {
    var tokens: JSONTokens
    var budget: Int
    var line = 1
    var counted = 0

    @_lifetime(copy tokens)
    init(tokens: consuming JSONTokens, budget: Int) {
      self.tokens = tokens
      self.budget = budget
    }

    mutating func value(_ token: JSONTokens.Token, depth: Int) -> JSONValue? {
      guard depth > 0, budget > 0 else { return nil }
      budget -= 1
      line += tokens.text.count(of: 0x0A, in: counted..<max(counted, token.start))
      counted = max(counted, token.start)
      let start = line
      switch token.kind {
      case .openObject: return JSONValue(.object(object(depth: depth)), line: start)
      case .openArray: return JSONValue(.array(array(depth: depth)), line: start)
      case .string: return JSONValue(.text(string(token)), line: start)
      case .number:
        let digits = tokens.text.clamped(to: token.range).repairedText()
        return Double(digits).map { JSONValue(.number($0), line: start) }
      case .word:
        switch tokens.text.clamped(to: token.range).repairedText() {
        case "true": return JSONValue(.boolean(true), line: start)
        case "false": return JSONValue(.boolean(false), line: start)
        default: return JSONValue(.null, line: start)
        }
      case .closeObject, .closeArray, .colon, .comma, .foreign: return nil
      }
    }

    private func string(_ token: JSONTokens.Token) -> String {
      let stored = tokens.text.clamped(to: token.range)
      guard token.isEscaped, let decoded = BackslashEscapes.decode(stored) else {
        return stored.repairedText()
      }
      return decoded.text
    }

    private mutating func array(depth: Int) -> [JSONValue] {
      var members: [JSONValue] = []
      while let token = tokens.next(), token.kind != .closeArray {
        if token.kind == .comma { continue }
        guard let member = value(token, depth: depth - 1) else { break }
        members.append(member)
      }
      return members
    }

    private mutating func object(depth: Int) -> [String: JSONValue] {
      var members: [String: JSONValue] = [:]
      while let token = tokens.next(), token.kind != .closeObject {
        if token.kind == .comma { continue }
        guard token.kind == .string, let colon = tokens.next(), colon.kind == .colon,
          let first = tokens.next(), let value = value(first, depth: depth - 1)
        else { break }
        members[string(token)] = value
      }
      return members
    }
  }
}
