package import Bytes

/// The header of a gzip member (RFC 1952, §2.3).
///
///     offset  size  field
///          0     2  ID: 1F 8B
///          2     1  compression method: 8 is deflate
///          3     1  flags: 1 text, 2 header CRC, 4 extra, 8 name, 16 comment
///          4     4  modification time
///          8     2  extra flags, operating system
///         10        extra (length first), name and comment (ended by 0), header CRC
package struct GzipHeader: Equatable, Sendable {
  /// Where the parts lie, from the start of the header; empty where there are none.
  package var extra = 0..<0
  package var name = 0..<0
  package var comment = 0..<0
  /// Size of the header: where the compressed data starts.
  package var size: Int

  package static let fixedSize = 10
  /// How much of a member is read for its header; a longer name is taken for damage.
  package static let largestSize = 3 * 65_536

  /// Whether the bytes start like a member; reserved flags must be zero.
  package static func isSignature(_ bytes: RawSpan) -> Bool {
    bytes.hasBytes([0x1F, 0x8B, 8]) && (bytes[at: 3] ?? 0xFF) & 0xE0 == 0
  }

  package init(parsing bytes: RawSpan) throws(Truncated) {
    let flags = try bytes.byte(at: 3)
    var offset = Self.fixedSize
    if flags & 4 != 0 {
      let length = Int(try bytes.littleEndianInteger(at: offset, as: UInt16.self))
      extra = offset + 2..<offset + 2 + length
      offset = extra.upperBound
    }
    if flags & 8 != 0 {
      name = offset..<(try Self.end(of: offset, in: bytes))
      offset = name.upperBound + 1
    }
    if flags & 16 != 0 {
      comment = offset..<(try Self.end(of: offset, in: bytes))
      offset = comment.upperBound + 1
    }
    if flags & 2 != 0 { offset += 2 }
    guard offset <= bytes.byteCount else { throw Truncated(offset: offset, count: 1) }
    size = offset
  }

  /// Offset of the zero byte that ends a text.
  private static func end(of start: Int, in bytes: RawSpan) throws(Truncated) -> Int {
    var offset = start
    while try bytes.byte(at: offset) != 0 { offset += 1 }
    return offset
  }
}
