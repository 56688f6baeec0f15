import Bytes

/// A row or index entry: a header of serial types, then the values (SQLite file format, §2.1).
///
///     varint     size of the header, this varint included
///     varint...  one serial type a value
///     values
package struct Record: Equatable, Sendable {
  package var headerCount: Int
  package var values: [RecordValue]
  /// Bytes of header and values together; less than the payload where something follows them.
  package var byteCount: Int

  /// More values than any table has columns (SQLITE_MAX_COLUMN allows 32767).
  static let mostValues = 32_767
  /// Types of more than four bytes are those of values larger than any file holds.
  static let mostHeader = 4 * mostValues

  /// Reads the header at the start of `payload`; values may lie past its end (in overflow pages).
  /// Nothing where the header is not one, or is cut off.
  package init?(parsing payload: RawSpan, payloadCount: Int) {
    guard let header = payload.length(at: 0), header.value >= header.count,
      header.value <= payload.byteCount, header.value <= payloadCount
    else { return nil }
    headerCount = header.value
    values = []
    var place = header.count
    var offset = headerCount
    while place < headerCount {
      guard let type = payload.varint(at: place), values.count < Self.mostValues else { return nil }
      let serial = SerialType(type.value)
      guard let count = serial.byteCount, count <= payloadCount - offset else { return nil }
      values.append(RecordValue(type: serial, offset: offset, count: count))
      place += type.count
      offset += count
    }
    guard place == headerCount else { return nil }
    byteCount = offset
  }

  /// A record whose header was put together from what is left of it.
  package init(headerCount: Int, values: [RecordValue], byteCount: Int) {
    self.headerCount = headerCount
    self.values = values
    self.byteCount = byteCount
  }
}
