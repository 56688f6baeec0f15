import Bytes

/// Text that a page of a PDF file shows in pieces: `[(Orchid-) -20 (Zebra)] TJ` moves the pen between
/// strings to set letters closer, so that no search sees the words (ISO 32000-1, §9.4.3).
package enum PDFShownText {
  /// A move to the right of a fifth of the type size or more is a space between words.
  private static let space = -200.0
  private static let longestArray = 1 << 16

  /// Whether a stream may be the content of a page: it chooses a font and shows text.
  package static func recognises(_ head: RawSpan) -> Bool {
    let whole = 0..<head.byteCount
    guard head.firstOffset(of: " Tf", in: whole) != nil else { return false }
    return head.firstOffset(of: "TJ", in: whole) != nil
      || head.firstOffset(of: "Tj", in: whole) != nil
  }

  /// Calls `body` with each text that is shown in more than one piece.
  package static func divided(in stream: RawSpan, _ body: (DecodedBytes) -> Void) {
    var offset = 0
    while let start = stream.firstOffset(of: UInt8(ascii: "["), from: offset) {
      offset = start + 1
      guard let array = array(at: offset, in: stream) else { continue }
      offset = array.end
      if array.pieces > 1 { body(array.text) }
    }
  }

  /// The strings of an array up to the bracket that ends it; nothing where it holds anything but strings
  /// and numbers.
  private static func array(
    at start: Int, in stream: RawSpan
  ) -> (text: DecodedBytes, pieces: Int, end: Int)? {
    var text = DecodedBytes()
    var pieces = 0
    var offset = start
    let most = min(stream.byteCount, start + longestArray)
    while offset < most, let byte = stream[at: offset] {
      switch byte {
      case UInt8(ascii: "]"): return (text, pieces, offset + 1)
      case UInt8(ascii: "("):
        guard let end = string(at: offset + 1, in: stream, into: &text) else { return nil }
        pieces += 1
        offset = end
      case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), 0x30...0x39:
        let end = endOfNumber(at: offset, in: stream)
        let digits = stream.clamped(to: offset..<end).repairedText()
        if let move = Double(digits), move <= space, pieces > 0 {
          text.append(0x20, from: offset..<end)
        }
        offset = end
      case 0x20, 0x09, 0x0a, 0x0d: offset += 1
      default: return nil
      }
    }
    return nil
  }

  private static func endOfNumber(at start: Int, in stream: RawSpan) -> Int {
    var end = start + 1
    while let byte = stream[at: end], 0x30...0x39 ~= byte || byte == UInt8(ascii: ".") { end += 1 }
    return end
  }

  /// Adds a literal string (ISO 32000-1, §7.3.4.2) and says where it ends.
  private static func string(
    at start: Int, in stream: RawSpan, into text: inout DecodedBytes
  ) -> Int? {
    var offset = start
    var depth = 1
    while let byte = stream[at: offset] {
      switch byte {
      case UInt8(ascii: "\\"):
        guard let next = stream[at: offset + 1] else { return nil }
        if next != 0x0a { text.append(next, from: offset..<offset + 2) }
        offset += 2
        continue
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        depth -= 1
        if depth == 0 { return offset + 1 }
      default: break
      }
      text.append(byte, from: offset..<offset + 1)
      offset += 1
    }
    return nil
  }
}
