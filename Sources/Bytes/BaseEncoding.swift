/// Text encodings of bytes by groups of bits (RFC 4648): base64, its URL form, base32.
public struct BaseEncoding: Sendable {
  let alphabet: [UInt8]
  let bitsPerCharacter: Int

  public static let base64 = BaseEncoding(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", bits: 6)
  public static let base64URL = BaseEncoding(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", bits: 6)
  public static let base32 = BaseEncoding("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5)

  private init(_ alphabet: StaticString, bits: Int) {
    self.alphabet = Array("\(alphabet)".utf8)
    bitsPerCharacter = bits
  }

  /// The characters that stand for `bytes` wherever they start `shift` bytes into a group: only those
  /// that depend on no other byte, so that they are found in the middle of longer encoded text.
  public func encode(_ bytes: [UInt8], shift: Int) -> [UInt8] {
    let lead = shift * 8
    let first = (lead + bitsPerCharacter - 1) / bitsPerCharacter
    let last = (lead + bytes.count * 8) / bitsPerCharacter
    guard first < last else { return [] }
    return (first..<last).map { index in
      var value = 0
      for bit in index * bitsPerCharacter..<(index + 1) * bitsPerCharacter {
        let position = bit - lead
        let byte = bytes[position / 8]
        value = value << 1 | Int(byte >> UInt8(7 - position % 8) & 1)
      }
      return alphabet[value]
    }
  }
}

/// Decoding of base64 in either alphabet, white space between lines allowed.
public enum Base64 {
  @usableFromInline
  static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in BaseEncoding.base64.alphabet.enumerated() {
      values[Int(character)] = UInt8(value)
    }
    values[Int(UInt8(ascii: "-"))] = 62
    values[Int(UInt8(ascii: "_"))] = 63
    for blank in " \t\r\n".utf8 { values[Int(blank)] = 254 }
    return values
  }()

  /// The six bits that a character of either alphabet stands for.
  public static func value(of character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }

  /// The bytes that `text` stands for, up to the first character that is not base64.
  public static func decode(_ text: RawSpan) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(text.byteCount / 4 * 3 + 3)
    unsafe values.withUnsafeBufferPointer { values in
      unsafe text.withUnsafeBytes { text in
        var bits: UInt32 = 0
        var held = 0
        for index in text.indices {
          let value = unsafe values[Int(text[index])]
          if value >= 254 {
            if value == 254 { continue }
            break
          }
          bits = bits << 6 | UInt32(value)
          held += 6
          if held >= 8 {
            held -= 8
            decoded.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
          }
        }
      }
    }
    return decoded
  }
}
