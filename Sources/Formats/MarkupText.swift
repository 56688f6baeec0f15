import Bytes

/// Character data between two tags: references, CDATA sections and comments (XML 1.0, §2.4 to §2.7).
package enum MarkupText {
  /// Where the content that starts at `start` ends: at the next tag, or at the end of a cut file.
  static func end(of text: RawSpan, from start: Int) -> (end: Int, isPlain: Bool) {
    var offset = start
    var isPlain = true
    while let mark = text.firstOffset(of: 0x3C, from: offset) {
      guard let section = section(of: text, at: mark) else {
        let hasReference = text.firstOffset(of: 0x26, in: start..<mark) != nil
        return (mark, isPlain && !hasReference)
      }
      isPlain = false
      offset = section.end
    }
    let hasReference = text.firstOffset(of: 0x26, from: start) != nil
    return (text.byteCount, isPlain && !hasReference)
  }

  package static func decode(_ text: RawSpan) -> DecodedBytes {
    var result = DecodedBytes()
    var offset = 0
    while offset < text.byteCount {
      let mark = text.firstOffset(of: 0x3C, from: offset) ?? text.byteCount
      let copied = MarkupEntities.decode(text, in: offset..<mark, into: &result)
      result.copy(copied..<mark, of: text)
      guard mark < text.byteCount else { break }
      if let section = section(of: text, at: mark) {
        result.copy(section.content, of: text)
        offset = section.end
      } else {
        result.copy(mark..<mark + 1, of: text)
        offset = mark + 1
      }
    }
    return result
  }

  /// The CDATA section or comment at `mark`; a comment has no content.
  private static func section(of text: RawSpan, at mark: Int) -> (content: Range<Int>, end: Int)? {
    if text.hasBytes("<![CDATA[", at: mark) {
      let start = mark + 9
      let end = text.firstOffset(of: "]]>", in: start..<text.byteCount)
      return (start..<(end ?? text.byteCount), end.map { $0 + 3 } ?? text.byteCount)
    }
    guard text.hasBytes("<!--", at: mark) else { return nil }
    let end = text.firstOffset(of: "-->", in: min(mark + 4, text.byteCount)..<text.byteCount)
    return (mark..<mark, end.map { $0 + 3 } ?? text.byteCount)
  }
}
