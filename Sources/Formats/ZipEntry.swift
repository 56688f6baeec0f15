package import Bytes

/// What a zip archive says of one member: in the central directory, or in the local header before its
/// data. The two may disagree, and a reader that trusts one misses what the other hides.
package struct ZipEntry: Equatable, Sendable {
  package var versionNeeded: Int
  package var flags: UInt16
  package var method: Method
  package var crc: UInt32
  package var compressedSize: Int
  package var uncompressedSize: Int
  /// The name as stored, in whatever encoding.
  package var name: [UInt8]
  package var extra: [UInt8]
  package var comment: [UInt8]
  /// Offset of the local header as the central directory gives it; nothing in a local header.
  package var localOffset: Int?
  /// Size of the header itself, name, extra fields and comment included.
  package var headerSize: Int
  /// Whether the member was made as a symbolic link (Unix mode in the upper half of the external
  /// attributes).
  package var isSymbolicLink = false

  /// How a member's bytes are stored (APPNOTE §4.4.5).
  package struct Method: Equatable, Sendable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) {
      self.rawValue = rawValue
    }

    package static let stored = Method(rawValue: 0)
    package static let deflate = Method(rawValue: 8)
    /// WinZip's AES wrapper; the real method is in extra field 0x9901.
    package static let aes = Method(rawValue: 99)

    /// The word the field uses for it.
    package var name: String {
      switch rawValue {
      case 0: "stored"
      case 1: "shrink"
      case 2...5: "reduce"
      case 6: "implode"
      case 8: "deflate"
      case 9: "deflate64"
      case 10: "PKWARE implode"
      case 12: "bzip2"
      case 14: "LZMA"
      case 18: "IBM TERSE"
      case 19: "LZ77"
      case 93: "zstd"
      case 94: "MP3"
      case 95: "xz"
      case 96: "JPEG variant"
      case 97: "WavPack"
      case 98: "PPMd"
      case 99: "AES"
      default: "method \(rawValue)"
      }
    }
  }

  package var isEncrypted: Bool { flags & 1 != 0 || method == .aes }
  /// Sizes and CRC follow the data (bit 3, §4.4.4).
  package var hasDataDescriptor: Bool { flags & 8 != 0 }
  package var isUTF8: Bool { flags & 0x800 != 0 }
  package var isDirectory: Bool { name.last == 0x2F && uncompressedSize == 0 }
}

extension ZipEntry {
  /// "PK" 1 2.
  package static let centralSignature: [UInt8] = [0x50, 0x4B, 1, 2]
  /// "PK" 3 4.
  package static let localSignature: [UInt8] = [0x50, 0x4B, 3, 4]
  package static let centralSize = 46
  package static let localSize = 30

  /// A header of the central directory (§4.3.12), or nothing where there is another signature.
  ///
  ///     offset  size  field                     offset  size  field
  ///          4     2  version made by               28     2  name length
  ///          6     2  version needed                30     2  extra length
  ///          8     2  flags                         32     2  comment length
  ///         10     2  method                        38     4  external attributes
  ///         16     4  CRC-32                        42     4  offset of the local header
  ///         20     4  compressed size               46        name, extra, comment
  ///         24     4  uncompressed size
  package init?(central bytes: RawSpan, at start: Int) throws(Truncated) {
    var cursor = ByteCursor(bytes)
    try cursor.seek(to: start)
    guard try cursor.next(count: 4).hasBytes(Self.centralSignature) else { return nil }
    let madeBy: UInt16 = try cursor.nextLittleEndian()
    versionNeeded = Int(try cursor.nextLittleEndian(as: UInt16.self))
    flags = try cursor.nextLittleEndian()
    method = Method(rawValue: try cursor.nextLittleEndian())
    try cursor.skip(4)
    crc = try cursor.nextLittleEndian()
    compressedSize = Int(try cursor.nextLittleEndian(as: UInt32.self))
    uncompressedSize = Int(try cursor.nextLittleEndian(as: UInt32.self))
    let nameLength = Int(try cursor.nextLittleEndian(as: UInt16.self))
    let extraLength = Int(try cursor.nextLittleEndian(as: UInt16.self))
    let commentLength = Int(try cursor.nextLittleEndian(as: UInt16.self))
    try cursor.skip(4)
    let attributes: UInt32 = try cursor.nextLittleEndian()
    localOffset = Int(try cursor.nextLittleEndian(as: UInt32.self))
    name = try cursor.next(count: nameLength).copied()
    extra = try cursor.next(count: extraLength).copied()
    comment = try cursor.next(count: commentLength).copied()
    headerSize = cursor.offset - start
    isSymbolicLink = madeBy >> 8 == 3 && (attributes >> 16) & 0xF000 == 0xA000
    widen()
  }

  /// A local header (§4.3.7), or nothing where there is another signature.
  ///
  ///     offset  size  field                     offset  size  field
  ///          4     2  version needed                18     4  compressed size
  ///          6     2  flags                         22     4  uncompressed size
  ///          8     2  method                        26     2  name length
  ///         14     4  CRC-32                        28     2  extra length
  package init?(local bytes: RawSpan, at start: Int) throws(Truncated) {
    var cursor = ByteCursor(bytes)
    try cursor.seek(to: start)
    guard try cursor.next(count: 4).hasBytes(Self.localSignature) else { return nil }
    versionNeeded = Int(try cursor.nextLittleEndian(as: UInt16.self))
    flags = try cursor.nextLittleEndian()
    method = Method(rawValue: try cursor.nextLittleEndian())
    try cursor.skip(4)
    crc = try cursor.nextLittleEndian()
    compressedSize = Int(try cursor.nextLittleEndian(as: UInt32.self))
    uncompressedSize = Int(try cursor.nextLittleEndian(as: UInt32.self))
    let nameLength = Int(try cursor.nextLittleEndian(as: UInt16.self))
    let extraLength = Int(try cursor.nextLittleEndian(as: UInt16.self))
    name = try cursor.next(count: nameLength).copied()
    extra = try cursor.next(count: extraLength).copied()
    comment = []
    localOffset = nil
    headerSize = cursor.offset - start
    widen()
  }

  /// Takes the 64-bit values of extra field 1 (§4.5.3), which stand there in this order and only for
  /// fields that are all ones.
  private mutating func widen() {
    let needed = [uncompressedSize, compressedSize, localOffset ?? 0].contains(0xFFFF_FFFF)
    guard needed else { return }
    let field = ZipExtraFields.first(1, in: extra)
    var next = 0
    func value() -> Int? {
      guard let wide = unsafe try? field.span.bytes.littleEndianInteger(at: next, as: UInt64.self),
        let value = Int(exactly: wide)
      else { return nil }
      next += 8
      return value
    }
    if uncompressedSize == 0xFFFF_FFFF, let wide = value() { uncompressedSize = wide }
    if compressedSize == 0xFFFF_FFFF, let wide = value() { compressedSize = wide }
    if localOffset == 0xFFFF_FFFF, let wide = value() { localOffset = wide }
  }
}
