import Bytes

/// JSON as SQLite stores it in blobs since 3.45 (JSONB format, §3).
///
///     bits 0-3  type: 0 null, 1 true, 2 false, 3-4 integer, 5-6 real, 7 text as it is, 8 text with
///               escapes of JSON, 9 with those of JSON5, 10 raw text, 11 array, 12 object
///     bits 4-7  size of what follows, or 12 to 15: the size stands in the next 1, 2, 4 or 8 bytes
///
/// The elements of an array follow one another in it; in an object every other one is a label.
package enum JSONBText {
  /// An element without what it holds.
  private struct Element {
    var type: UInt8
    var content: Range<Int>

    var isText: Bool { (7...10).contains(type) }
    var isContainer: Bool { type == 11 || type == 12 }

    /// Nothing where no element can start like this, or it ends behind `end`.
    init?(_ bytes: RawSpan, at offset: Int, end: Int) {
      guard let first = bytes[at: offset], first & 15 <= 12 else { return nil }
      type = first & 15
      let width = first >> 4 < 12 ? 0 : 1 << Int(first >> 4 - 12)
      var size = UInt64(width == 0 ? first >> 4 : 0)
      for place in 0..<width {
        guard size >> 56 == 0, let byte = bytes[at: offset + 1 + place] else { return nil }
        size = size << 8 | UInt64(byte)
      }
      let start = offset + 1 + width
      guard start <= end, size <= UInt64(end - start) else { return nil }
      guard type > 2 || size == 0, type != 3 && type != 5 || size > 0 else { return nil }
      content = start..<start + Int(size)
    }
  }

  /// SQLite nests no deeper.
  private static let mostDepth = 1000

  /// Whether an array or object that fills `byteCount` bytes starts here, as far as they are there: all its
  /// elements fill what they lie in, and at least one of them is a text.
  package static func isLikely(_ bytes: RawSpan, byteCount: Int) -> Bool {
    // Asked of every blob: the first bytes say no to nearly all.
    guard byteCount >= 4, let first = bytes[at: 0], first & 15 == 11 || first & 15 == 12,
      let whole = Element(bytes, at: 0, end: byteCount), whole.content.upperBound == byteCount
    else { return false }
    var hasText = false
    let isWhole = walk(bytes, end: byteCount) { element, isLabel in
      hasText = hasText || element.isText
      return isText(bytes, element)
    }
    return isWhole && hasText
  }

  /// Numbers and texts read as such, as far as they are there.
  private static func isText(_ bytes: RawSpan, _ element: Element) -> Bool {
    guard element.type >= 3, !element.isContainer else { return true }
    let end = min(element.content.upperBound, bytes.byteCount)
    guard element.content.lowerBound < end else { return true }
    return (element.content.lowerBound..<end).allSatisfy { offset in
      let byte = bytes[at: offset] ?? 0
      if element.isText { return byte >= 0x20 || element.type == 10 && byte != 0 }
      return byte > 0x20 && byte < 0x7f
    }
  }

  /// Every element in order, for as long as `body` takes them; false where one is damaged or refused.
  /// What lies behind the bytes that are there is taken for sound.
  private static func walk(
    _ bytes: RawSpan, end: Int, _ body: (Element, _ isLabel: Bool) -> Bool
  ) -> Bool {
    // Where containers end, and whether the next element of each is a label.
    var open: [(end: Int, isObject: Bool, isLabel: Bool)] = [(end, false, false)]
    var offset = 0
    while offset < min(end, bytes.byteCount), let last = open.last {
      guard offset < last.end else {
        if last.isObject, !last.isLabel { return false }
        open.removeLast()
        continue
      }
      guard let element = Element(bytes, at: offset, end: last.end) else {
        return bytes.byteCount < end && bytes.byteCount - offset < 9
      }
      guard !last.isLabel || element.isText, body(element, last.isLabel) else { return false }
      open[open.count - 1].isLabel = last.isObject && !last.isLabel
      if element.isContainer {
        guard open.count < mostDepth else { return false }
        open.append((element.content.upperBound, element.type == 12, element.type == 12))
        offset = element.content.lowerBound
      } else {
        offset = element.content.upperBound
      }
    }
    return offset <= end
  }

  /// The text of JSON that the bytes stand for, and where each byte of it came from.
  package static func text(of bytes: RawSpan) -> DecodedBytes {
    var text = DecodedBytes()
    var open: [(end: Int, closes: UInt8)] = []
    var separator: UInt8?
    func close(before offset: Int) {
      while let last = open.last, offset >= last.end {
        text.append(last.closes, from: offset..<offset)
        open.removeLast()
        separator = 0x2c
      }
    }
    _ = walk(bytes, end: bytes.byteCount) { element, isLabel in
      let start = element.content.lowerBound
      close(before: start - 1)
      if let separator { text.append(separator, from: start..<start) }
      separator = isLabel ? 0x3a : 0x2c
      if element.isContainer {
        let isObject = element.type == 12
        text.append(isObject ? 0x7b : 0x5b, from: start..<start)
        open.append((element.content.upperBound, isObject ? 0x7d : 0x5d))
        separator = nil
      } else {
        append(element, of: bytes, to: &text)
      }
      return true
    }
    close(before: bytes.byteCount)
    return text
  }

  private static func append(
    _ element: Element, of bytes: RawSpan, to text: inout DecodedBytes
  ) {
    let range = element.content
    switch element.type {
    case 0...2:
      let word: StaticString = element.type == 0 ? "null" : element.type == 1 ? "true" : "false"
      for index in 0..<word.utf8CodeUnitCount {
        let letter = unsafe word.utf8Start[index]
        text.append(letter, from: range)
      }
    case 7...10:
      text.append(0x22, from: range.lowerBound..<range.lowerBound)
      if element.type == 10 {
        appendEscaped(range, of: bytes, to: &text)
      } else {
        text.copy(range, of: bytes)
      }
      text.append(0x22, from: range.upperBound..<range.upperBound)
    default: text.copy(range, of: bytes)
    }
  }

  /// Raw text may hold what ends a text of JSON.
  private static func appendEscaped(
    _ range: Range<Int>, of bytes: RawSpan, to text: inout DecodedBytes
  ) {
    var copied = range.lowerBound
    for offset in range {
      guard let byte = bytes[at: offset], byte == 0x22 || byte == 0x5c || byte < 0x20 else {
        continue
      }
      text.copy(copied..<offset, of: bytes)
      text.append(0x5c, from: offset..<offset)
      if byte < 0x20 {
        for digit in "u00".utf8 { text.append(digit, from: offset..<offset) }
        text.append(byte >> 4 + 0x30, from: offset..<offset)
        let low = byte & 15
        text.append(low + (low < 10 ? 0x30 : 0x57), from: offset..<offset + 1)
      } else {
        text.append(byte, from: offset..<offset + 1)
      }
      copied = offset + 1
    }
    text.copy(copied..<range.upperBound, of: bytes)
  }
}
