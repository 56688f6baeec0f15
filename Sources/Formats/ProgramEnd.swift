package import Bytes

/// Where the bytes that a program's own headers speak of end: what lies behind was appended.
package enum ProgramEnd {
  private static let mostEntries = 4_096

  /// The first offset that no header of an ELF, Mach-O or PE file speaks of; nothing for other files.
  package static func offset(in source: any ByteSource) throws(ReadFailure) -> Int? {
    let head = try source.bytes(at: 0, count: 4_096)
    let bytes = unsafe head.span.bytes
    let end: Int?
    if let file = ELFFile(bytes) {
      end = file.isCore ? nil : try file.end(header: bytes, of: source)
    } else if MachOFile.isMachO(bytes) {
      end = try MachOFile.end(of: source)
    } else {
      end = try portableExecutable(bytes, of: source)
    }
    guard let end, end > 0, end <= source.byteCount else { return nil }
    return end
  }

  /// PE: the offset of "PE\0\0" stands at 60; behind it are the number of sections (6), the size of the
  /// optional header (20), and behind that the section table, 40 bytes a row: size (16) and offset (20)
  /// of its bytes in the file.
  private static func portableExecutable(
    _ head: RawSpan, of source: any ByteSource
  ) throws(ReadFailure) -> Int? {
    guard head.hasBytes("MZ"), let start = try? head.littleEndianInteger(at: 60, as: UInt32.self)
    else { return nil }
    let header = try source.bytes(at: Int(start), count: 24)
    let fields = unsafe header.span.bytes
    guard fields.hasBytes("PE\0\0"),
      let count = try? fields.littleEndianInteger(at: 6, as: UInt16.self),
      let optional = try? fields.littleEndianInteger(at: 20, as: UInt16.self)
    else { return nil }
    let table = try source.bytes(
      at: Int(start) + 24 + Int(optional), count: min(Int(count), mostEntries) * 40)
    let rows = unsafe table.span.bytes
    var end = 0
    for row in stride(from: 0, to: rows.byteCount - 39, by: 40) {
      guard let size = try? rows.littleEndianInteger(at: row + 16, as: UInt32.self),
        let offset = try? rows.littleEndianInteger(at: row + 20, as: UInt32.self)
      else { break }
      if size > 0 { end = max(end, Int(offset) + Int(size)) }
    }
    return end
  }
}
