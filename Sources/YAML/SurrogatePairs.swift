/// Characters beyond U+FFFF in JSON: two escapes (RFC 8259, §7), each of which libyaml refuses by itself.
enum SurrogatePairs {
  /// The text with such pairs in its strings replaced by their characters, where it is written as JSON is:
  /// elsewhere in YAML a backslash is a backslash.
  static func joined(in text: String) -> String {
    let bytes = Array(text.utf8)
    let first = bytes.first { $0 > 0x20 }
    guard first == UInt8(ascii: "[") || first == UInt8(ascii: "{"),
      bytes.contains(UInt8(ascii: "\\"))
    else { return text }
    var result: [UInt8] = []
    var isString = false
    var offset = 0
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") { isString.toggle() }
      guard isString, byte == UInt8(ascii: "\\") else {
        result.append(byte)
        offset += 1
        continue
      }
      if let high = unit(in: bytes, at: offset), 0xd800..<0xdc00 ~= high,
        let low = unit(in: bytes, at: offset + 6), 0xdc00..<0xe000 ~= low,
        let scalar = Unicode.Scalar(0x1_0000 + (high - 0xd800) << 10 + (low - 0xdc00))
      {
        result.append(contentsOf: String(Character(scalar)).utf8)
        offset += 12
      } else {
        result.append(contentsOf: bytes[offset..<min(offset + 2, bytes.count)])
        offset += 2
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The number in `\uXXXX`.
  private static func unit(in bytes: [UInt8], at offset: Int) -> UInt32? {
    guard bytes.count - offset >= 6, bytes[offset] == UInt8(ascii: "\\"),
      bytes[offset + 1] == UInt8(ascii: "u")
    else { return nil }
    let digits = String(decoding: bytes[offset + 2..<offset + 6], as: UTF8.self)
    return digits.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }
      ? UInt32(digits, radix: 16) : nil
  }
}
