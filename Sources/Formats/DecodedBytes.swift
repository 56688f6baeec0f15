import Bytes
package import Findings

/// What an encoding hid, in UTF-8 or as bytes, and where each byte of it came from.
package struct DecodedBytes: Equatable, Sendable {
  package var bytes: [UInt8] = []
  package var map: OffsetMap

  package init(base: Int = 0) {
    map = OffsetMap(base: base)
  }

  /// Copies `range` of `text` as it lies.
  package mutating func copy(_ range: Range<Int>, of text: RawSpan) {
    guard !range.isEmpty else { return }
    text.clamped(to: range).append(to: &bytes)
    map.appendVerbatim(range)
  }

  /// Adds one decoded byte.
  mutating func append(_ byte: UInt8, from source: Range<Int>) {
    bytes.append(byte)
    map.append(unit: 1, source: source.lowerBound, sourceUnit: source.count)
  }

  /// Adds one decoded character.
  mutating func append(_ scalar: Unicode.Scalar, from source: Range<Int>) {
    let start = bytes.count
    scalar.appendUTF8(to: &bytes)
    map.append(
      unit: bytes.count - start, source: source.lowerBound, sourceUnit: source.count)
  }

  /// Counts the source from `offset` bytes earlier: the decoded text was a part of something.
  package mutating func moveSource(by offset: Int) {
    map = map.shifted(by: offset)
  }

  /// The bytes as text; what is not UTF-8 becomes U+FFFD.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension Unicode.Scalar {
  /// What stands for bytes that are no character.
  static var replacement: Unicode.Scalar { "\u{FFFD}" }

  func appendUTF8(to bytes: inout [UInt8]) {
    switch value {
    case 0..<0x80:
      bytes.append(UInt8(truncatingIfNeeded: value))
    case 0x80..<0x800:
      bytes.append(UInt8(truncatingIfNeeded: 0xC0 | value >> 6))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | value & 0x3F))
    case 0x800..<0x1_0000:
      bytes.append(UInt8(truncatingIfNeeded: 0xE0 | value >> 12))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | value >> 6 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | value & 0x3F))
    default:
      bytes.append(UInt8(truncatingIfNeeded: 0xF0 | value >> 18))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | value >> 12 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | value >> 6 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | value & 0x3F))
    }
  }
}

extension RawSpan {
  /// Appends a copy of the bytes to `array`.
  func append(to array: inout [UInt8]) {
    unsafe withUnsafeBytes { unsafe array.append(contentsOf: $0) }
  }
}
