import Bytes

/// The 512-byte header of a tar member, as far as it takes to know one: POSIX and GNU archives have a
/// magic, the oldest have only the checksum (tar(5)).
///
///     offset  size  field
///        148     8  checksum in octal: the sum of all bytes, these eight counted as spaces
///        257     6  "ustar" (not in old archives)
package enum TarHeader {
  package static let size = 512

  package static func isHeader(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount >= size, let stated = octal(in: bytes, at: 148, count: 8), stated > 0
    else { return false }
    var unsigned = 8 * 0x20
    var signed = 8 * 0x20
    for offset in 0..<size where !(148..<156).contains(offset) {
      guard let byte = bytes[at: offset] else { return false }
      unsigned += Int(byte)
      // Some old systems summed signed characters.
      signed += Int(Int8(bitPattern: byte))
    }
    return stated == unsigned || stated == signed
  }

  /// A number in octal digits between spaces and zeros.
  static func octal(in bytes: RawSpan, at start: Int, count: Int) -> Int? {
    var value: Int?
    for offset in start..<start + count {
      guard let byte = bytes[at: offset] else { return nil }
      switch byte {
      case 0x30...0x37: value = (value ?? 0) * 8 + Int(byte - 0x30)
      case 0x20, 0: if value != nil { return value }
      default: return nil
      }
    }
    return value
  }
}
