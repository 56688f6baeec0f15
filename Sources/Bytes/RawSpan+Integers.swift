extension RawSpan {
  /// The big-endian integer at `offset`, as file formats from networks and SQLite store it.
  @inlinable
  public func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type = Value.self
  ) throws(Truncated) -> Value {
    Value(bigEndian: try stored(at: offset))
  }

  /// The little-endian integer at `offset`, as zip, Mach-O on Apple's processors and ELF store it.
  @inlinable
  public func littleEndianInteger<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, as type: Value.Type = Value.self
  ) throws(Truncated) -> Value {
    Value(littleEndian: try stored(at: offset))
  }

  /// The byte at `offset`.
  @inlinable
  public func byte(at offset: Int) throws(Truncated) -> UInt8 {
    guard offset >= 0, offset < byteCount else { throw Truncated(offset: offset, count: 1) }
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The byte at `offset`, or nothing past either end: for scans where an end is not an error.
  @inlinable
  public subscript(at offset: Int) -> UInt8? {
    guard offset >= 0, offset < byteCount else { return nil }
    return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }

  /// The bytes from `offset`, `count` of them, without copying.
  @inlinable @_lifetime(copy self)
  public func bytes(at offset: Int, count: Int) throws(Truncated) -> RawSpan {
    guard offset >= 0, count >= 0, offset <= byteCount, byteCount - offset >= count else {
      throw Truncated(offset: offset, count: count)
    }
    return extracting(offset..<offset + count)
  }

  /// As much of `range` as the span holds, without copying.
  @inlinable @_lifetime(copy self)
  public func clamped(to range: Range<Int>) -> RawSpan {
    let lower = Swift.min(Swift.max(range.lowerBound, 0), byteCount)
    let upper = Swift.min(Swift.max(range.upperBound, lower), byteCount)
    return extracting(lower..<upper)
  }

  /// Whether the bytes at `offset` are exactly `literal`.
  @inlinable
  public func hasBytes(_ literal: StaticString, at offset: Int = 0) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard offset >= 0, offset <= byteCount, byteCount - offset >= count else { return false }
    let start = unsafe literal.utf8Start
    for index in 0..<count {
      let stored = unsafe unsafeLoad(fromByteOffset: offset + index, as: UInt8.self)
      if unsafe stored != start[index] { return false }
    }
    return true
  }

  /// Whether the bytes at `offset` are exactly `literal`.
  @inlinable
  public func hasBytes(_ literal: [UInt8], at offset: Int = 0) -> Bool {
    guard offset >= 0, offset <= byteCount, byteCount - offset >= literal.count else {
      return false
    }
    for index in literal.indices {
      if unsafe unsafeLoad(fromByteOffset: offset + index, as: UInt8.self) != literal[index] {
        return false
      }
    }
    return true
  }

  /// A copy of the bytes, for what must outlive the span.
  @inlinable
  public func copied() -> [UInt8] {
    unsafe withUnsafeBytes { unsafe Array($0) }
  }

  /// The bytes as text, or nothing where they are not UTF-8.
  @inlinable
  public func utf8Text() -> String? {
    unsafe withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
  }

  /// The bytes as text; what is not UTF-8 becomes U+FFFD.
  @inlinable
  public func repairedText() -> String {
    unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  @inlinable
  func stored<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int
  ) throws(Truncated) -> Value {
    let size = MemoryLayout<Value>.size
    guard offset >= 0, offset <= byteCount, byteCount - offset >= size else {
      throw Truncated(offset: offset, count: size)
    }
    return unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: Value.self)
  }
}
