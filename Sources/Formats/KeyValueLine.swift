import Bytes

/// One line of a configuration file that gives a name a value.
struct KeyValueLine {
  var key: Range<Int>
  var value: Range<Int>
  /// Columns before the key, list marks included.
  var indent: Int
  /// The quote around the value, or 0.
  var quote: UInt8 = 0

  init?(parsing text: RawSpan, in line: Range<Int>) {
    var start = text.firstNonBlank(in: line)
    // Items of a YAML list may be pairs: `- name: value`.
    while text.hasBytes("- ", at: start), start < line.upperBound {
      start = text.firstNonBlank(in: start + 2..<max(line.upperBound, start + 2))
    }
    if text.hasBytes("export ", at: start) { start += 7 }
    guard start < line.upperBound, !Self.isComment(text, at: start) else { return nil }
    indent = start - line.lowerBound
    guard let (key, separator) = Self.key(of: text, from: start, to: line.upperBound) else {
      return nil
    }
    self.key = key
    var end = line.upperBound
    while end > separator + 1, isBlank(text.known(end - 1)) { end -= 1 }
    var first = text.firstNonBlank(in: min(separator + 1, end)..<end)
    if end - first >= 2, let mark = text[at: first], mark == 0x22 || mark == 0x27 {
      // A quoted value ends at its quote: a comment or comma may follow.
      let close = text.lastOffset(of: mark, in: first + 1..<end)
      if let close {
        quote = mark
        first += 1
        end = close
      }
    }
    value = first..<max(first, end)
  }

  /// A key is a word or quoted, at most 128 bytes; nothing that a sentence would start with.
  private static func key(
    of text: RawSpan, from start: Int, to end: Int
  ) -> (key: Range<Int>, separator: Int)? {
    var offset = start
    var key: Range<Int>
    if let mark = text[at: start], mark == 0x22 || mark == 0x27 {
      guard let close = text.firstOffset(of: mark, in: start + 1..<min(end, start + 130)) else {
        return nil
      }
      key = start + 1..<close
      offset = close + 1
    } else {
      while offset < end, offset - start <= 128, isKeyByte(text.known(offset)) { offset += 1 }
      key = start..<offset
    }
    guard !key.isEmpty else { return nil }
    offset = text.firstNonBlank(in: offset..<end)
    guard offset < end else { return nil }
    switch text.known(offset) {
    case 0x3D: return text[at: offset + 1] == 0x3D ? nil : (key, offset)
    case 0x3A:
      // `http://` is no key, `10:30:00` is none.
      if text[at: offset + 1] == 0x3D { return (key, offset + 1) }
      let isFree = offset + 1 >= end || isBlank(text.known(offset + 1))
      let isQuoted = text[at: offset + 1] == 0x22
      return isFree || isQuoted ? (key, offset) : nil
    default: return nil
    }
  }

  /// The name in `[name]`.
  static func section(of text: RawSpan, in line: Range<Int>) -> Range<Int>? {
    let start = text.firstNonBlank(in: line)
    guard start < line.upperBound, text.known(start) == 0x5B,
      let close = text.firstOffset(of: 0x5D, in: start..<min(line.upperBound, start + 130)),
      text.firstNonBlank(in: close + 1..<max(line.upperBound, close + 1)) == line.upperBound
    else { return nil }
    return start + 1..<close
  }

  static func isComment(_ text: RawSpan, at offset: Int) -> Bool {
    switch text[at: offset] {
    case 0x23, 0x3B, 0x21: true
    case 0x2F: text[at: offset + 1] == 0x2F
    default: false
    }
  }

  /// Whether the value is the mark of a block: `|` or `>`, with indicators.
  func opensBlock(in text: RawSpan) -> Bool? {
    guard quote == 0, (1...3).contains(value.count), let mark = text[at: value.lowerBound],
      mark == 0x7C || mark == 0x3E
    else { return nil }
    return mark == 0x3E
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D, 0x2E, 0x2F, 0x40, 0x24: true
    default: byte >= 0x80
    }
  }
}
