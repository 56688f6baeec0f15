import Bytes

/// Whether a value may be a file of its own.
enum FileSignature {
  /// Known signatures, text formats, and whatever could be a deflate stream: those have no signature,
  /// so every longer blob whose first bits can start one is handed on.
  static func mayBeFile(_ bytes: RawSpan) -> Bool {
    guard bytes.byteCount >= 8 else { return false }
    if hasSignature(bytes) || startsLikeText(bytes) { return true }
    // Core Data's mark of data that it keeps in the row.
    if bytes[at: 0] == 1, hasSignature(bytes.clamped(to: 1..<bytes.byteCount)) { return true }
    return bytes.byteCount >= 16 && mayBeDeflate(bytes)
  }

  static func hasSignature(_ bytes: RawSpan) -> Bool {
    if bytes.hasBytes([0x1f, 0x8b]) || bytes.hasBytes("bplist00") || bytes.hasBytes("PK\u{3}\u{4}")
      || bytes.hasBytes("SQLite format 3\0") || bytes.hasBytes("bvx")
    {
      return true
    }
    // zlib: method 8, window up to 32 KiB, and a header that is a multiple of 31 (RFC 1950, §2.2).
    if let first = bytes[at: 0], let second = bytes[at: 1], first & 15 == 8, first >> 4 <= 7 {
      return (Int(first) << 8 | Int(second)) % 31 == 0
    }
    return false
  }

  private static func startsLikeText(_ bytes: RawSpan) -> Bool {
    var offset = bytes.hasBytes([0xef, 0xbb, 0xbf]) ? 3 : 0
    while let byte = bytes[at: offset], byte == 0x20 || byte == 9 || byte == 10 || byte == 13 {
      offset += 1
    }
    guard let first = bytes[at: offset] else { return false }
    if first == UInt8(ascii: "B"), bytes.hasBytes("BEGIN:V", at: offset) { return true }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "<")
  }

  /// The first block of a raw deflate stream (RFC 1951, §3.2.3): a stored block repeats its length
  /// inverted, a dynamic one has at most 286 and 30 codes, a fixed one may be anything.
  static func mayBeDeflate(_ bytes: RawSpan) -> Bool {
    guard let first = bytes[at: 0], let second = bytes[at: 1] else { return false }
    switch first >> 1 & 3 {
    case 0:
      guard first & 0xf8 == 0, let low = bytes[at: 3], let high = bytes[at: 4] else { return false }
      return second == ~low && bytes[at: 2] == ~high
    case 1: return true
    case 2: return first >> 3 <= 29 && second & 31 <= 29
    default: return false
    }
  }
}
