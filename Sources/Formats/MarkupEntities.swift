import Bytes

/// Character references of XML and HTML (XML 1.0, §4.1 and §4.6). Entities that a document declares
/// itself are never expanded.
package enum MarkupEntities {
  /// The text with its references replaced, or nothing where there is none.
  package static func decode(_ text: RawSpan) -> DecodedBytes? {
    guard text.firstOffset(of: 0x26) != nil else { return nil }
    var result = DecodedBytes()
    let copied = decode(text, in: 0..<text.byteCount, into: &result)
    guard copied > 0 else { return nil }
    result.copy(copied..<text.byteCount, of: text)
    return result
  }

  /// Decodes up to the last reference of `range` and says where that ended.
  static func decode(
    _ text: RawSpan, in range: Range<Int>, into result: inout DecodedBytes
  ) -> Int {
    var copied = range.lowerBound
    var offset = range.lowerBound
    while offset < range.upperBound,
      let mark = text.firstOffset(of: 0x26, in: offset..<range.upperBound)
    {
      offset = mark + 1
      let window = mark + 1..<min(range.upperBound, mark + 12)
      guard let end = text.firstOffset(of: 0x3B, in: window),
        let scalar = scalar(named: text.clamped(to: mark + 1..<end))
      else { continue }
      result.copy(copied..<mark, of: text)
      result.append(scalar, from: mark..<end + 1)
      offset = end + 1
      copied = offset
    }
    return copied
  }

  private static func scalar(named name: RawSpan) -> Unicode.Scalar? {
    guard name[at: 0] == 0x23 else { return named[name.repairedText()] }
    let isHexadecimal = name[at: 1] == 0x78 || name[at: 1] == 0x58
    let digits = isHexadecimal ? 2 : 1
    guard name.byteCount > digits else { return nil }
    var value: UInt32 = 0
    for offset in digits..<name.byteCount {
      guard let digit = hexadecimalValue(name.known(offset)), isHexadecimal || digit < 10 else {
        return nil
      }
      value = value &* (isHexadecimal ? 16 : 10) &+ UInt32(digit)
      guard value <= 0x10_FFFF else { return nil }
    }
    return Unicode.Scalar(value)
  }

  private static let named: [String: Unicode.Scalar] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "colon": ":",
    "sol": "/", "bsol": "\\", "equals": "=", "plus": "+", "commat": "@", "num": "#", "lowbar": "_",
    "period": ".", "hyphen": "\u{2010}", "shy": "\u{AD}", "ensp": "\u{2002}", "emsp": "\u{2003}",
  ]
}
