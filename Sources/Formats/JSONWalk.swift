import Bytes

/// A walk over the strings, numbers and words of a JSON text, one document or several, with the key
/// path that leads to each. Nothing is built: a path is made when it is asked for.
package struct JSONWalk: ~Escapable {
  package struct Value: Sendable {
    package var token: JSONTokens.Token
    /// Whether this is the name of a member.
    package var isKey: Bool
  }

  /// An open object or array.
  private struct Frame {
    var isObject: Bool
    /// Offset of its bracket.
    var start: Int
    var keyStart = 0
    var keyEnd = 0
    var index = 0
    var expectsKey: Bool
  }

  /// Objects and arrays inside one another that a key path names.
  static let depthLimit = 256

  private var tokens: JSONTokens
  private var outer: [Frame] = []
  private var frame = Frame(isObject: false, start: 0, expectsKey: false)
  /// Open brackets beyond the limit.
  private var excess = 0
  /// Offset of the first thing that does not belong where it stands.
  package private(set) var firstDamage: Int?
  /// Whether something was nested deeper than key paths go.
  package private(set) var isDeep = false
  /// Changes whenever a container is entered or left.
  package private(set) var generation = 0
  /// Documents that were closed.
  package private(set) var documents = 0

  @_lifetime(copy text)
  package init(_ text: RawSpan, at offset: Int = 0) {
    tokens = JSONTokens(text, at: offset)
  }

  package var text: RawSpan {
    @_lifetime(copy self) get { tokens.text }
  }
  package var depth: Int { outer.count + excess }
  /// Offset behind the token read last.
  package var offset: Int { tokens.offset }

  package mutating func next() -> Value? {
    while let token = tokens.next() {
      switch token.kind {
      case .openObject, .openArray: open(token)
      case .closeObject, .closeArray: close(token)
      case .colon:
        if excess == 0 {
          if !frame.isObject { damage(at: token.start) }
          frame.expectsKey = false
        }
      case .comma:
        guard excess == 0 else { continue }
        frame.index += 1
        frame.expectsKey = frame.isObject
      case .string, .number, .word:
        if token.isCut { damage(at: token.start - 1) }
        guard excess == 0, frame.expectsKey else { return Value(token: token, isKey: false) }
        frame.keyStart = token.start
        frame.keyEnd = token.end
        return Value(token: token, isKey: true)
      // What follows a whole document may be anything: a signature, a comment.
      case .foreign: if depth > 0 || documents == 0 { damage(at: token.start) }
      }
    }
    if depth > 0 { damage(at: text.byteCount) }
    return nil
  }

  @inline(__always)
  private mutating func open(_ token: JSONTokens.Token) {
    guard outer.count < Self.depthLimit else {
      isDeep = true
      excess += 1
      return
    }
    generation += 1
    outer.append(frame)
    let isObject = token.kind == .openObject
    frame = Frame(isObject: isObject, start: token.start, expectsKey: isObject)
  }

  @inline(__always)
  private mutating func close(_ token: JSONTokens.Token) {
    if excess > 0 {
      excess -= 1
      return
    }
    if frame.isObject != (token.kind == .closeObject) { damage(at: token.start) }
    guard let last = outer.popLast() else {
      damage(at: token.start)
      return
    }
    frame = last
    generation += 1
    if outer.isEmpty { documents += 1 }
  }

  private mutating func damage(at offset: Int) {
    if firstDamage == nil { firstDamage = offset }
  }
}

extension JSONWalk {
  /// The names and numbers that lead to the value read last: `["accounts", "2", "token"]`.
  package func steps() -> [String] {
    containerSteps() + (outer.isEmpty ? [] : [step(of: frame)])
  }

  /// The steps to the container of the value read last, the same for a whole generation.
  package func containerSteps() -> [String] {
    outer.dropFirst().map { step(of: $0) }
  }

  /// The step inside its container of the value read last; none at the top.
  package func lastStep() -> String? { outer.isEmpty ? nil : step(of: frame) }

  /// Whether the value read last is an element of an array.
  package var isElement: Bool { !frame.isObject && !outer.isEmpty }

  /// The innermost name on the way to the value read last.
  package func key() -> String? {
    if frame.isObject, !outer.isEmpty { return step(of: frame) }
    return outer.dropFirst().last { $0.isObject }.map { step(of: $0) }
  }

  /// Offset of the innermost object, or nothing outside of one.
  package var objectStart: Int? { frame.isObject && !outer.isEmpty ? frame.start : nil }

  private func step(of frame: Frame) -> String {
    guard frame.isObject else { return String(frame.index) }
    let stored = text.clamped(
      to: frame.keyStart..<max(min(frame.keyEnd, frame.keyStart + 128), frame.keyStart))
    return BackslashEscapes.decode(stored)?.text ?? stored.repairedText()
  }

  /// Names and short texts of the members of the object at `start`, each with the range of its value,
  /// from a look at its first members: at most `limit` tokens and 4 KiB.
  package static func members(
    of text: RawSpan, at start: Int, limit: Int = 96
  ) -> [(name: String, value: Range<Int>, text: String?)] {
    var tokens = JSONTokens(text.clamped(to: 0..<min(text.byteCount, start + 4096)), at: start + 1)
    var members: [(name: String, value: Range<Int>, text: String?)] = []
    var name: String?
    var depth = 0
    var read = 0
    while read < limit, members.count < 16, let token = tokens.next() {
      read += 1
      switch token.kind {
      case .openObject, .openArray: depth += 1
      case .closeObject, .closeArray:
        depth -= 1
        if depth < 0 { return members }
      case .comma where depth == 0: name = nil
      case .string where depth == 0 && !token.isCut:
        let short = token.range.count <= 128 ? text.clamped(to: token.range) : RawSpan()
        let value = BackslashEscapes.decode(short)?.text ?? short.repairedText()
        if let known = name {
          members.append((known, token.range, value.count <= 64 && !value.isEmpty ? value : nil))
        } else {
          name = value
        }
      case .number where depth == 0:
        if let known = name { members.append((known, token.range, nil)) }
      default: break
      }
    }
    return members
  }

  /// Whether `head` starts as JSON does: its tokens stand in an order the grammar allows.
  package static func recognises(_ head: RawSpan) -> Bool {
    startsDocument(head) && TextLikeness.isText(head)
  }

  private static func hasNothing(behind start: Int, in text: RawSpan) -> Bool {
    (start..<max(start, text.byteCount)).allSatisfy { text.known($0) <= 0x20 }
  }

  private static func startsDocument(_ head: RawSpan) -> Bool {
    var tokens = JSONTokens(head, at: head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0)
    guard let first = tokens.next(), first.kind == .openObject || first.kind == .openArray else {
      return false
    }
    var open = [first.kind]
    var last = first.kind
    for count in 0..<24 {
      guard let token = tokens.next() else {
        // Links of wikis, `[//site/page words]`, are no array that holds a comment and no end.
        return count > 0 || hasNothing(behind: first.end, in: head)
      }
      guard JSONGrammar.allows(token.kind, after: last, in: open.last) else { return false }
      if token.kind == .word, !JSONGrammar.isLiteral(token, of: head) { return false }
      switch token.kind {
      case .openObject, .openArray: open.append(token.kind)
      case .closeObject, .closeArray: open.removeLast()
      default: break
      }
      last = token.kind
    }
    return true
  }
}

/// Which token may follow which, of the strict grammar but for trailing commas.
private enum JSONGrammar {
  static func allows(
    _ kind: JSONTokens.Kind, after last: JSONTokens.Kind, in open: JSONTokens.Kind?
  ) -> Bool {
    guard let open else { return kind == .openObject || kind == .openArray }
    let isObject = open == .openObject
    switch last {
    case .openObject: return kind == .string || kind == .closeObject
    case .openArray: return startsValue(kind) || kind == .closeArray
    case .colon: return startsValue(kind)
    case .comma:
      return isObject
        ? kind == .string || kind == .closeObject : startsValue(kind) || kind == .closeArray
    case .string where isObject: return [.colon, .comma, .closeObject].contains(kind)
    default: return kind == .comma || kind == (isObject ? .closeObject : .closeArray)
    }
  }

  private static func startsValue(_ kind: JSONTokens.Kind) -> Bool {
    [.string, .number, .word, .openObject, .openArray].contains(kind)
  }

  private static let literals = ["true", "false", "null", "NaN", "Infinity"]

  /// Whether a word is one of the few that JSON has, or the start of one that the end cuts.
  static func isLiteral(_ token: JSONTokens.Token, of text: RawSpan) -> Bool {
    let word = text.clamped(to: token.range).repairedText()
    return literals.contains(word)
      || token.end == text.byteCount && literals.contains { $0.hasPrefix(word) }
  }
}
