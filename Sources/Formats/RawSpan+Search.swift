import Bytes
import CSearch
import Glibc

extension RawSpan {
  /// The byte at an offset the caller has checked against `byteCount`.
  @inline(__always)
  func known(_ offset: Int) -> UInt8 {
    assert(offset >= 0 && offset < byteCount)
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// Where `byte` next stands in `range`, by the C library's vectorised search.
  package func firstOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
    let lower = Swift.max(range.lowerBound, 0)
    let upper = Swift.min(range.upperBound, byteCount)
    guard lower < upper else { return nil }
    return unsafe withUnsafeBytes { buffer in
      guard let start = buffer.baseAddress,
        let hit = unsafe memchr(start + lower, Int32(byte), upper - lower)
      else { return nil }
      return unsafe UnsafeRawPointer(hit) - start
    }
  }

  /// Where `byte` next stands from `offset` on.
  package func firstOffset(of byte: UInt8, from offset: Int = 0) -> Int? {
    firstOffset(of: byte, in: Swift.max(offset, 0)..<Swift.max(byteCount, Swift.max(offset, 0)))
  }

  /// Where `byte` last stands in `range`.
  package func lastOffset(of byte: UInt8, in range: Range<Int>) -> Int? {
    var offset = Swift.min(range.upperBound, byteCount)
    while offset > range.lowerBound {
      offset -= 1
      if known(offset) == byte { return offset }
    }
    return nil
  }

  /// Where `literal` next stands in `range`, by the C library's search.
  package func firstOffset(of literal: StaticString, in range: Range<Int>) -> Int? {
    let lower = Swift.max(range.lowerBound, 0)
    let upper = Swift.min(range.upperBound, byteCount)
    guard literal.utf8CodeUnitCount > 0, lower < upper else { return nil }
    return unsafe withUnsafeBytes { buffer in
      guard let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self),
        let hit = unsafe vestige_find(
          start + lower, upper - lower, literal.utf8Start, literal.utf8CodeUnitCount)
      else { return nil }
      return unsafe hit - start
    }
  }

  /// How often `byte` stands in `range`.
  package func count(of byte: UInt8, in range: Range<Int>) -> Int {
    let part = clamped(to: range)
    return unsafe part.withUnsafeBytes { buffer in
      guard let start = unsafe buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
        return 0
      }
      return unsafe vestige_count(start, buffer.count, byte)
    }
  }
}

/// The value of a hexadecimal digit in ASCII.
@inline(__always)
func hexadecimalValue(_ byte: UInt8) -> UInt8? {
  switch byte {
  case 0x30...0x39: byte - 0x30
  case 0x41...0x46: byte - 0x37
  case 0x61...0x66: byte - 0x57
  default: nil
  }
}

/// Space, tab and line ends: what text formats skip between tokens.
@inline(__always)
func isBlank(_ byte: UInt8) -> Bool {
  byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
}
