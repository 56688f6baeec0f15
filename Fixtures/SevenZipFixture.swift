/// 7-Zip archives whose header is laid out by hand, where it is about what the header says.
package enum SevenZipFixture {
  /// One member, packed by LZMA with a dictionary of so many bytes, whatever its content needs.
  package static func archive(_ name: String, _ content: [UInt8], dictionary: UInt32) -> [UInt8]? {
    guard
      let stream = ArchiveFixture.write(
        .raw, filter: "lzma", [.init(name, String(decoding: content, as: UTF8.self))])
    else { return nil }
    // The header of the old format gives properties, dictionary and length.
    let data = Array(stream[13...])
    var header: [UInt8] = [1, 4]
    header += [6, 0, 1, 9] + number(data.count) + [0]
    header += [7, 0x0B, 1, 0, 1, 0x23, 3, 1, 1, 5, stream[0]]
    header.appendLittleEndian(dictionary)
    // The folder is one member.
    header += [0x0C] + number(content.count) + [0, 8, 0, 0]
    header += [5, 1, 0x11] + names([name]) + [0, 0]
    return archive(data: data, header: header)
  }

  /// A header that counts so many files, and has a name for none.
  package static func archive(fileCount: Int) -> [UInt8] {
    archive(data: [], header: [1, 5] + number(fileCount) + [0, 0])
  }

  private static func names(_ names: [String]) -> [UInt8] {
    var bytes: [UInt8] = [0]
    for name in names {
      for unit in name.utf16 { bytes.appendLittleEndian(unit) }
      bytes += [0, 0]
    }
    return number(bytes.count) + bytes
  }

  /// A number in the format's own length: eight bytes behind a mark.
  private static func number(_ value: Int) -> [UInt8] {
    var bytes: [UInt8] = [0xFF]
    bytes.appendLittleEndian(UInt64(value))
    return bytes
  }

  private static func archive(data: [UInt8], header: [UInt8]) -> [UInt8] {
    var start: [UInt8] = []
    start.appendLittleEndian(UInt64(data.count))
    start.appendLittleEndian(UInt64(header.count))
    start.appendLittleEndian(DeflateFixture.crc32(header))
    var bytes: [UInt8] = [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4]
    bytes.appendLittleEndian(DeflateFixture.crc32(start))
    return bytes + start + data + header
  }
}
