import Bytes

/// A sorted table of LevelDB and RocksDB's older format: blocks of keys and values, an index of them, and a
/// footer (google/leveldb, doc/table_format.md).
package enum LevelDBTable {
  /// Two handles, padded, and the magic number.
  package static let footerSize = 48
  /// A block is followed by how it is compressed, and a checksum.
  package static let trailerSize = 5

  /// Where a block lies in the file.
  package struct Handle: Equatable, Sendable {
    package var offset: Int
    package var count: Int

    init?(_ input: inout ByteCursor) {
      guard let offset = try? input.nextBase128(), let count = try? input.nextBase128(),
        offset < 1 << 48, count < 1 << 32
      else { return nil }
      (self.offset, self.count) = (Int(offset), Int(count))
    }
  }

  package static func isFooter(_ footer: RawSpan) -> Bool {
    footer.byteCount == footerSize
      && footer.hasBytes([0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB], at: footerSize - 8)
  }

  /// The handle of the index: the second of the footer.
  package static func index(of footer: RawSpan) -> Handle? {
    guard isFooter(footer) else { return nil }
    var input = ByteCursor(footer)
    guard Handle(&input) != nil else { return nil }
    return Handle(&input)
  }

  /// The handles that an index holds, as far as it is sound: each entry shares the start of its key with the
  /// one before, and its value is a handle.
  package static func blocks(of index: RawSpan) -> (handles: [Handle], isSound: Bool) {
    guard index.byteCount >= 4,
      let restarts = try? index.littleEndianInteger(at: index.byteCount - 4, as: UInt32.self),
      Int(restarts) <= (index.byteCount - 4) / 4
    else { return ([], false) }
    var input = ByteCursor(index.clamped(to: 0..<index.byteCount - 4 - Int(restarts) * 4))
    var handles: [Handle] = []
    while input.remaining > 0 {
      guard (try? input.nextBase128()) != nil, let key = try? input.nextBase128(),
        let value = try? input.nextBase128(), key <= input.remaining,
        (try? input.next(count: Int(key))) != nil, value <= input.remaining,
        let bytes = try? input.next(count: Int(value))
      else { return (handles, false) }
      var part = ByteCursor(bytes)
      guard let handle = Handle(&part) else { return (handles, false) }
      handles.append(handle)
    }
    return (handles, true)
  }
}
