/// The end of the bytes came before the end of a field: the offset and size of the missing field.
public struct Truncated: Error, Equatable, Sendable {
  /// Where the field should have started, in bytes from the start of the span.
  public var offset: Int
  /// How many bytes the field has.
  public var count: Int

  public init(offset: Int, count: Int) {
    self.offset = offset
    self.count = count
  }
}
