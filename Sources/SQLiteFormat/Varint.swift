import Bytes

/// A variable-length integer and how many bytes it takes, 1 to 9 (SQLite file format, §1.6).
package struct Varint: Equatable, Sendable {
  package var value: UInt64
  package var count: Int
}

extension RawSpan {
  /// The big-endian base-128 integer at `offset`: seven bits a byte, eight in a ninth one.
  @inline(__always)
  package func varint(at offset: Int) -> Varint? {
    guard offset >= 0, offset < byteCount else { return nil }
    let first = unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    if first < 0x80 { return Varint(value: UInt64(first), count: 1) }
    return longVarint(at: offset, first: first)
  }

  private func longVarint(at offset: Int, first: UInt8) -> Varint? {
    var value = UInt64(first & 0x7f)
    let most = Swift.min(byteCount - offset, 9)
    var index = 1
    while index < most {
      let byte = unsafe unsafeLoad(fromByteOffset: offset + index, as: UInt8.self)
      index += 1
      if index == 9 { return Varint(value: value << 8 | UInt64(byte), count: 9) }
      value = value << 7 | UInt64(byte & 0x7f)
      if byte < 0x80 { return Varint(value: value, count: index) }
    }
    return nil
  }

  /// The varint at `offset` as a length, or nothing where no file can hold as much.
  @inline(__always)
  func length(at offset: Int) -> (value: Int, count: Int)? {
    guard let stored = varint(at: offset), stored.value <= 0x7fff_ffff else { return nil }
    return (Int(stored.value), stored.count)
  }
}
