import Bytes

/// The inside of a quoted string of an OpenStep property list: octal escapes, `\UXXXX`, and those of C.
enum OpenStepString {
  static func decode(_ text: RawSpan) -> DecodedBytes {
    var result = DecodedBytes()
    var copied = 0
    while let mark = text.firstOffset(of: 0x5C, from: copied) {
      result.copy(copied..<mark, of: text)
      copied = mark + appendEscape(of: text, at: mark, to: &result)
    }
    result.copy(copied..<text.byteCount, of: text)
    return result
  }

  private static func appendEscape(
    of text: RawSpan, at mark: Int, to result: inout DecodedBytes
  ) -> Int {
    guard let kind = text[at: mark + 1] else {
      result.append(0x5C, from: mark..<mark + 1)
      return 1
    }
    switch kind {
    case 0x55, 0x75:  // U, u
      if let (scalar, size) = unit(of: text, at: mark) {
        result.append(scalar, from: mark..<mark + size)
        return size
      }
    case 0x30...0x37:
      var value: UInt32 = 0
      var size = 1
      while size < 4, let digit = text[at: mark + size], (0x30...0x37).contains(digit) {
        value = value << 3 | UInt32(digit - 0x30)
        size += 1
      }
      result.append(Unicode.Scalar(value & 0xFF) ?? .replacement, from: mark..<mark + size)
      return size
    default: break
    }
    result.append(plain[kind] ?? kind, from: mark..<mark + 2)
    return 2
  }

  private static func unit(of text: RawSpan, at mark: Int) -> (Unicode.Scalar, Int)? {
    guard let unit = hexadecimal(text, at: mark + 2) else { return nil }
    if unit & 0xFC00 == 0xD800, text[at: mark + 6] == 0x5C,
      text[at: mark + 7].map({ $0 | 0x20 }) == 0x75,
      let low = hexadecimal(text, at: mark + 8), low & 0xFC00 == 0xDC00
    {
      return (Unicode.Scalar(0x1_0000 + (unit & 0x3FF) << 10 + (low & 0x3FF)) ?? .replacement, 12)
    }
    return (Unicode.Scalar(unit) ?? .replacement, 6)
  }

  private static func hexadecimal(_ text: RawSpan, at start: Int) -> UInt32? {
    var value: UInt32 = 0
    for offset in start..<start + 4 {
      guard let digit = text[at: offset].flatMap(hexadecimalValue) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  private static let plain: [UInt8: UInt8] = [
    0x61: 7, 0x62: 8, 0x66: 12, 0x6E: 10, 0x72: 13, 0x74: 9, 0x76: 11,
  ]
}
