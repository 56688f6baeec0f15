import Bytes

/// Names that the Swift compiler makes up for symbols and their debug information. They are full of
/// words such as `key`, and hold hashes and long rows of letters that look like keys beside them.
enum SwiftSymbol {
  /// A name is not longer than this before what lies in it.
  private static let longestName = 4_096
  /// Characters of the hash of a file's name that tells private declarations apart.
  private static let discriminator = 32

  static func covers(_ value: Range<Int>, in bytes: RawSpan) -> Bool {
    var start = value.lowerBound
    let least = max(0, start - longestName)
    while start > least, let byte = bytes[at: start - 1], isOfName(byte) { start -= 1 }
    return isMangled(start, value, in: bytes) || isDiscriminator(start, value, in: bytes)
  }

  /// `$s`, or `$S` and `_T0` of older compilers, starts a mangled name (Swift's docs/ABI/Mangling.rst).
  private static func isMangled(_ start: Int, _ value: Range<Int>, in bytes: RawSpan) -> Bool {
    if bytes[at: start - 1] == UInt8(ascii: "$") {
      guard let kind = bytes[at: start] else { return false }
      return kind | 0x20 == UInt8(ascii: "s")
    }
    return bytes[at: start] == UInt8(ascii: "_") && bytes[at: start + 1] == UInt8(ascii: "T")
      && bytes[at: start + 2] == UInt8(ascii: "0") && value.lowerBound >= start + 3
  }

  /// `_0F3A…`: an underscore and 32 digits in upper case, and nothing else.
  private static func isDiscriminator(
    _ start: Int, _ value: Range<Int>, in bytes: RawSpan
  ) -> Bool {
    guard start == value.lowerBound - 1, value.count == discriminator,
      bytes[at: start] == UInt8(ascii: "_")
    else { return false }
    let after = bytes[at: value.upperBound] ?? 0
    return (after == 0 || after == 0x0a) && isUpperCase(bytes.clamped(to: value))
  }

  private static func isUpperCase(_ digits: RawSpan) -> Bool {
    (0..<digits.byteCount).allSatisfy { index in
      let byte = digits[at: index] ?? 0
      return byte.isASCIIDigit || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte)
    }
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || byte.isASCIILetter || byte == UInt8(ascii: "_")
  }
}
