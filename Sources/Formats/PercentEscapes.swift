import Bytes

/// Percent-encoding of URLs and form bodies (RFC 3986, §2.1).
package enum PercentEscapes {
  /// The text with every `%XX` replaced by its byte, or nothing where there is none.
  package static func decode(_ text: RawSpan) -> DecodedBytes? {
    var decoded: DecodedBytes?
    var copied = 0
    var offset = 0
    while let mark = text.firstOffset(of: 0x25, from: offset) {
      offset = mark + 1
      guard text.byteCount - mark >= 3, let high = hexadecimalValue(text.known(mark + 1)),
        let low = hexadecimalValue(text.known(mark + 2))
      else { continue }
      var result = decoded ?? DecodedBytes()
      decoded = nil  // Keeps the arrays uniquely owned.
      result.copy(copied..<mark, of: text)
      result.append(high << 4 | low, from: mark..<mark + 3)
      decoded = result
      offset = mark + 3
      copied = offset
    }
    decoded?.copy(copied..<text.byteCount, of: text)
    return decoded
  }
}
