import Bytes

/// Control sequences of terminals (ECMA-48, §5.4): programs that colour what they write put them into the
/// middle of lines, and logs keep them.
package enum TerminalSequences {
  package static let escape: UInt8 = 0x1B
  /// Longer sequences than this are none.
  private static let longest = 64
  /// Addresses of links and titles of windows are longer.
  private static let longestString = 2_048

  /// How long the sequence at `mark` is; nothing where none starts there.
  package static func size(of text: RawSpan, at mark: Int) -> Int? {
    guard text[at: mark] == escape, let kind = text[at: mark + 1] else { return nil }
    switch kind {
    case UInt8(ascii: "["):
      var offset = mark + 2
      while offset - mark < longest, let byte = text[at: offset] {
        offset += 1
        if (0x40...0x7E).contains(byte) { return offset - mark }
        guard (0x20...0x3F).contains(byte) else { return nil }
      }
      return nil
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"), UInt8(ascii: "^"):
      return string(of: text, at: mark)
    case UInt8(ascii: "("), UInt8(ascii: ")"):
      return text[at: mark + 2].flatMap { (0x30...0x7E).contains($0) ? 3 : nil }
    case UInt8(ascii: "7"), UInt8(ascii: "8"), UInt8(ascii: "="), UInt8(ascii: ">"): return 2
    default: return nil
    }
  }

  /// A command with text: up to a bell or the sequence that ends strings.
  private static func string(of text: RawSpan, at mark: Int) -> Int? {
    var offset = mark + 2
    while offset - mark < longestString, let byte = text[at: offset] {
      if byte == 0x07 { return offset + 1 - mark }
      if byte == escape { return text[at: offset + 1] == 0x5C ? offset + 2 - mark : nil }
      guard byte >= 0x20 else { return nil }
      offset += 1
    }
    return nil
  }

  /// The text without its sequences, or nothing where there is none.
  package static func decode(_ text: RawSpan) -> DecodedBytes? {
    var result = DecodedBytes()
    var copied = 0
    var offset = 0
    var hasSequence = false
    while let mark = text.firstOffset(of: escape, from: offset) {
      offset = mark + 1
      guard let size = size(of: text, at: mark) else { continue }
      result.copy(copied..<mark, of: text)
      hasSequence = true
      offset = mark + size
      copied = offset
    }
    guard hasSequence else { return nil }
    result.copy(copied..<text.byteCount, of: text)
    return result
  }
}
