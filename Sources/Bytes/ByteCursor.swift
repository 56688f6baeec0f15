/// A reader of fields that follow one another; it remembers where it is and never passes the end.
public struct ByteCursor: ~Escapable {
  /// The whole span, from which offsets are counted.
  public let span: RawSpan
  /// Offset of the next field.
  public private(set) var offset = 0

  @inlinable @_lifetime(copy span)
  public init(_ span: RawSpan) {
    self.span = span
  }

  /// How many bytes are left.
  public var remaining: Int { span.byteCount - offset }

  /// The next big-endian integer.
  public mutating func next<Value: FixedWidthInteger & BitwiseCopyable>(
    as type: Value.Type = Value.self
  ) throws(Truncated) -> Value {
    let value: Value = try span.integer(at: offset)
    offset += MemoryLayout<Value>.size
    return value
  }

  /// The next little-endian integer.
  public mutating func nextLittleEndian<Value: FixedWidthInteger & BitwiseCopyable>(
    as type: Value.Type = Value.self
  ) throws(Truncated) -> Value {
    let value: Value = try span.littleEndianInteger(at: offset)
    offset += MemoryLayout<Value>.size
    return value
  }

  /// The next `count` bytes.
  @_lifetime(copy self)
  public mutating func next(count: Int) throws(Truncated) -> RawSpan {
    let bytes = try span.bytes(at: offset, count: count)
    offset += count
    return bytes
  }

  /// Moves over `count` bytes.
  public mutating func skip(_ count: Int) throws(Truncated) {
    guard count >= 0, remaining >= count else { throw Truncated(offset: offset, count: count) }
    offset += count
  }

  /// Moves to `offset`, which may be the end.
  public mutating func seek(to offset: Int) throws(Truncated) {
    guard offset >= 0, offset <= span.byteCount else { throw Truncated(offset: offset, count: 0) }
    self.offset = offset
  }
}
