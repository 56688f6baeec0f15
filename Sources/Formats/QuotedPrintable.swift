import Bytes

/// Quoted-printable, as mail and contact cards carry text (RFC 2045, §6.7).
package enum QuotedPrintable {
  /// The text with `=XX` replaced by its byte and soft line breaks (`=` at the end of a line) removed,
  /// or nothing where there is neither.
  package static func decode(_ text: RawSpan) -> DecodedBytes? {
    guard text.firstOffset(of: 0x3D) != nil else { return nil }
    var result = DecodedBytes()
    var hasEscape = false
    var copied = 0
    var offset = 0
    while let mark = text.firstOffset(of: 0x3D, from: offset) {
      offset = mark + 1
      let softBreak = softBreak(in: text, after: mark)
      if let softBreak {
        result.copy(copied..<mark, of: text)
        offset = softBreak
      } else if text.byteCount - mark >= 3, let high = hexadecimalValue(text.known(mark + 1)),
        let low = hexadecimalValue(text.known(mark + 2))
      {
        result.copy(copied..<mark, of: text)
        result.append(high << 4 | low, from: mark..<mark + 3)
        offset = mark + 3
      } else {
        continue
      }
      hasEscape = true
      copied = offset
    }
    guard hasEscape else { return nil }
    result.copy(copied..<text.byteCount, of: text)
    return result
  }

  /// Where text goes on after a soft break: blanks before the line end were added in transport.
  private static func softBreak(in text: RawSpan, after mark: Int) -> Int? {
    var offset = mark + 1
    while let byte = text[at: offset], byte == 0x20 || byte == 0x09, offset - mark < 80 {
      offset += 1
    }
    if text[at: offset] == 0x0D { offset += 1 }
    return text[at: offset] == 0x0A ? offset + 1 : nil
  }
}
