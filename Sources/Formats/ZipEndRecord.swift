package import Bytes

/// The record that ends a zip archive and says where its central directory lies (APPNOTE 6.3.10,
/// §4.3.16).
///
///     offset  size  field
///          0     4  signature
///          4     2  number of this disk
///         10     2  entries in the central directory
///         12     4  size of the central directory
///         16     4  offset of the central directory
///         20     2  comment length
package struct ZipEndRecord: Equatable, Sendable {
  /// "PK" 5 6.
  package static let signature: [UInt8] = [0x50, 0x4B, 5, 6]
  package static let size = 22

  package var disk: Int
  package var entryCount: Int
  package var directorySize: Int
  package var directoryOffset: Int
  package var commentLength: Int

  package init(parsing bytes: RawSpan) throws(Truncated) {
    disk = Int(try bytes.littleEndianInteger(at: 4, as: UInt16.self))
    entryCount = Int(try bytes.littleEndianInteger(at: 10, as: UInt16.self))
    directorySize = Int(try bytes.littleEndianInteger(at: 12, as: UInt32.self))
    directoryOffset = Int(try bytes.littleEndianInteger(at: 16, as: UInt32.self))
    commentLength = Int(try bytes.littleEndianInteger(at: 20, as: UInt16.self))
  }

  /// Whether a field has the value that sends the reader to the zip64 record.
  package var needsZip64: Bool {
    disk == 0xFFFF || entryCount == 0xFFFF || directorySize == 0xFFFF_FFFF
      || directoryOffset == 0xFFFF_FFFF
  }

  /// Takes the 64-bit values of the zip64 end record (§4.3.14), or says that they make no sense.
  package mutating func widen(with zip64: RawSpan) throws(Truncated) -> Bool {
    guard zip64.hasBytes([0x50, 0x4B, 6, 6]) else { return false }
    let count: UInt64 = try zip64.littleEndianInteger(at: 32)
    let size: UInt64 = try zip64.littleEndianInteger(at: 40)
    let offset: UInt64 = try zip64.littleEndianInteger(at: 48)
    let disk: UInt32 = try zip64.littleEndianInteger(at: 16)
    guard let count = Int(exactly: count), let size = Int(exactly: size),
      let offset = Int(exactly: offset)
    else { return false }
    self.disk = Int(disk)
    entryCount = count
    directorySize = size
    directoryOffset = offset
    return true
  }

  /// Size of the fixed part of the zip64 end record.
  package static let zip64Size = 56
  /// Size of the locator that stands before the end record and points to the zip64 one (§4.3.15).
  package static let zip64LocatorSize = 20

  /// Offset of the zip64 end record that a locator gives.
  package static func zip64Offset(inLocator bytes: RawSpan) -> Int? {
    guard bytes.hasBytes([0x50, 0x4B, 6, 7]),
      let offset = try? bytes.littleEndianInteger(at: 8, as: UInt64.self)
    else { return nil }
    return Int(exactly: offset)
  }
}
