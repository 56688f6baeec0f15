import Bytes

/// Lines of `key: value` and `key = value` as configuration files hold them: YAML (nesting by
/// indentation, block scalars), INI, `.env`, Java properties. It is no parser of any of them: it says
/// which name a value stands under.
package struct KeyValueText: ~Escapable {
  package struct Entry: Sendable {
    /// Key, without quotes.
    package var key: Range<Int>
    /// Value, without quotes; several lines of a block.
    package var value: Range<Int>
    package var form: Form
    /// Line of the key, from 1.
    package var line: Int
  }

  package enum Form: Equatable, Sendable {
    /// The bytes are the value.
    case plain
    /// Backslash escapes.
    case escaped
    /// Lines whose indentation is no part of the value (YAML, §8.1); folded ones become one line.
    case block(isFolded: Bool)
  }

  private struct Level {
    var indent: Int
    var key: Range<Int>
  }

  private static let depthLimit = 64

  private let text: RawSpan
  package private(set) var offset: Int
  private var line: Int
  private var levels: [Level] = []
  private var section: Range<Int>?

  @_lifetime(copy text)
  package init(_ text: RawSpan, at offset: Int = 0, line: Int = 1) {
    self.text = text
    self.offset = offset
    self.line = line
  }

  /// The next line with a key and a value.
  package mutating func next() -> Entry? {
    while offset < text.byteCount {
      let start = offset
      let number = line
      let end = lineEnd(from: start)
      advance(past: end)
      guard var parsed = KeyValueLine(parsing: text, in: start..<end) else {
        if let name = KeyValueLine.section(of: text, in: start..<end) {
          section = name
          levels = []
        }
        continue
      }
      enter(parsed)
      let form = form(of: &parsed)
      guard !parsed.value.isEmpty else { continue }
      return Entry(key: parsed.key, value: parsed.value, form: form, line: number)
    }
    return nil
  }

  /// Names that lead to the entry read last, its own last.
  package var path: [Range<Int>] { (section.map { [$0] } ?? []) + levels.map(\.key) }

  private mutating func enter(_ parsed: KeyValueLine) {
    while let last = levels.last, last.indent >= parsed.indent { levels.removeLast() }
    if levels.count < Self.depthLimit {
      levels.append(Level(indent: parsed.indent, key: parsed.key))
    }
  }

  private mutating func form(of parsed: inout KeyValueLine) -> Form {
    if let isFolded = parsed.opensBlock(in: text) {
      parsed.value = block(above: parsed.indent)
      return .block(isFolded: isFolded)
    }
    let hasEscape = text.firstOffset(of: 0x5C, in: parsed.value) != nil
    return hasEscape && parsed.quote != 0x27 ? .escaped : .plain
  }

  /// The lines that follow and are indented more than the key.
  private mutating func block(above indent: Int) -> Range<Int> {
    let start = offset
    var end = start
    while offset < text.byteCount {
      let lineEnd = lineEnd(from: offset)
      let content = text.firstNonBlank(in: offset..<lineEnd)
      if content < lineEnd {
        guard content - offset > indent else { break }
        end = lineEnd
      }
      advance(past: lineEnd)
    }
    return start..<end
  }

  private func lineEnd(from start: Int) -> Int {
    text.firstOffset(of: 0x0A, from: start) ?? text.byteCount
  }

  private mutating func advance(past end: Int) {
    offset = min(end + 1, text.byteCount)
    line += 1
  }

  /// The value of an entry, or nothing where its bytes are the value.
  package static func decode(_ entry: Entry, of text: RawSpan) -> DecodedBytes? {
    switch entry.form {
    case .plain: return nil
    case .escaped:
      guard var decoded = BackslashEscapes.decode(text.clamped(to: entry.value)) else { return nil }
      decoded.moveSource(by: entry.value.lowerBound)
      return decoded
    case .block(let isFolded):
      var result = DecodedBytes()
      var offset = entry.value.lowerBound
      while offset < entry.value.upperBound {
        let end = text.firstOffset(of: 0x0A, in: offset..<entry.value.upperBound)
        let stop = end ?? entry.value.upperBound
        result.copy(text.firstNonBlank(in: offset..<stop)..<stop, of: text)
        if end != nil { result.append(isFolded ? 0x20 : 0x0A, from: stop..<stop + 1) }
        offset = stop + 1
      }
      return result
    }
  }

  /// Whether most lines of `head` have a key; `isWhole` says that the head is all there is.
  package static func recognises(_ head: RawSpan, isWhole: Bool) -> Bool {
    let mostLines = 60
    var offset = head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    var lines = 0
    var known = 0
    var values = 0
    var block: Int?
    while offset < head.byteCount, lines < mostLines {
      // So many others leave too few, however many lines follow.
      if (lines - known) * 4 > mostLines { return false }
      let stop = head.firstOffset(of: 0x0A, from: offset)
      if stop == nil, !isWhole { break }
      let end = stop ?? head.byteCount
      let content = head.firstNonBlank(in: offset..<end)
      defer { offset = end + 1 }
      guard content < end, !KeyValueLine.isComment(head, at: content) else { continue }
      // Lines of a block scalar are whatever they are.
      if let indent = block, content - offset > indent { continue }
      block = nil
      lines += 1
      if let parsed = KeyValueLine(parsing: head, in: offset..<end) {
        known += 1
        if !parsed.value.isEmpty { values += 1 }
        if parsed.opensBlock(in: head) != nil { block = parsed.indent }
      } else if KeyValueLine.section(of: head, in: offset..<end) != nil
        || head.hasBytes("- ", at: content) || head.hasBytes("---", at: content)
      {
        known += 1
      }
    }
    return values >= 1 && known * 4 >= lines * 3
  }
}

extension RawSpan {
  /// Where the first byte of `range` that is no blank stands, or its end.
  func firstNonBlank(in range: Range<Int>) -> Int {
    var offset = range.lowerBound
    while offset < range.upperBound, offset < byteCount, isBlank(known(offset)) { offset += 1 }
    return min(offset, range.upperBound)
  }
}
