/// Writes zip archives byte by byte, sound ones and such as no tool would write.
package struct ZipBuilder {
  /// One member and the lies told about it.
  package struct Entry {
    package var name: [UInt8]
    package var content: [UInt8]
    package var method: UInt16 = 8
    package var flags: UInt16 = 0
    package var comment: [UInt8] = []
    package var extra: [UInt8] = []
    /// Bytes to store where they are not what `method` makes of the content.
    package var stored: [UInt8]?
    package var statedSize: Int?
    package var statedCRC: UInt32?
    /// Left out of the central directory.
    package var isHidden = false
    /// Sizes follow the data.
    package var hasDescriptor = false
    /// Sizes and offset stand in 64-bit extra fields.
    package var isZip64 = false
    /// What the local header says where it differs.
    package var localMethod: UInt16?
    package var localName: [UInt8]?

    package init(_ name: String, _ content: String, method: UInt16 = 8) {
      self.init(name, Array(content.utf8), method: method)
    }

    package init(_ name: String, _ content: [UInt8], method: UInt16 = 8) {
      self.name = Array(name.utf8)
      self.content = content
      self.method = method
    }
  }

  package var prefix: [UInt8] = []
  package var comment: [UInt8] = []
  package var trailing: [UInt8] = []
  package var entries: [Entry]
  package var hasDirectory = true
  /// Whether offsets count from the start of the prefix.
  package var countsPrefix = true

  package init(_ entries: [Entry]) {
    self.entries = entries
  }

  package func bytes() -> [UInt8] {
    var file = prefix
    var directory: [UInt8] = []
    var count = 0
    for entry in entries {
      let offset = file.count - (countsPrefix ? 0 : prefix.count)
      let data =
        entry.stored ?? (entry.method == 8 ? DeflateFixture.compress(entry.content) : entry.content)
      file += Self.local(entry, data.count)
      file += data
      if entry.hasDescriptor { file += Self.descriptor(entry, data.count) }
      if entry.isHidden { continue }
      count += 1
      directory += Self.central(entry, data.count, offset)
    }
    guard hasDirectory else { return file + trailing }
    let start = file.count - (countsPrefix ? 0 : prefix.count)
    file += directory
    if entries.contains(where: \.isZip64) {
      file += Self.zip64End(count, directory.count, start, file.count)
    }
    let isWide = entries.contains(where: \.isZip64)
    file += [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    file.appendLittleEndian(isWide ? 0xFFFF : UInt16(truncatingIfNeeded: count))
    file.appendLittleEndian(isWide ? 0xFFFF : UInt16(truncatingIfNeeded: count))
    file.appendLittleEndian(isWide ? .max : UInt32(directory.count))
    file.appendLittleEndian(isWide ? .max : UInt32(start))
    file.appendLittleEndian(UInt16(comment.count))
    return file + comment + trailing
  }

  private static func local(_ entry: Entry, _ size: Int) -> [UInt8] {
    var header: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0]
    let name = entry.localName ?? entry.name
    header.appendLittleEndian(entry.flags | (entry.hasDescriptor ? 8 : 0))
    header.appendLittleEndian(entry.localMethod ?? entry.method)
    header.appendLittleEndian(UInt32(0))
    let isLater = entry.hasDescriptor
    header.appendLittleEndian(isLater ? 0 : entry.statedCRC ?? DeflateFixture.crc32(entry.content))
    let plain = entry.statedSize ?? entry.content.count
    let isWide = entry.isZip64
    header.appendLittleEndian(isLater ? 0 : isWide ? .max : UInt32(size))
    header.appendLittleEndian(isLater ? 0 : isWide ? .max : UInt32(plain))
    header.appendLittleEndian(UInt16(name.count))
    let extra = entry.extra + (isWide ? zip64Field([plain, size]) : [])
    header.appendLittleEndian(UInt16(extra.count))
    return header + name + extra
  }

  private static func central(_ entry: Entry, _ size: Int, _ offset: Int) -> [UInt8] {
    var header: [UInt8] = [0x50, 0x4B, 1, 2, 20, 3, 20, 0]
    header.appendLittleEndian(entry.flags | (entry.hasDescriptor ? 8 : 0))
    header.appendLittleEndian(entry.method)
    header.appendLittleEndian(UInt32(0))
    header.appendLittleEndian(entry.statedCRC ?? DeflateFixture.crc32(entry.content))
    let plain = entry.statedSize ?? entry.content.count
    let isWide = entry.isZip64
    header.appendLittleEndian(isWide ? .max : UInt32(size))
    header.appendLittleEndian(isWide ? .max : UInt32(plain))
    header.appendLittleEndian(UInt16(entry.name.count))
    let extra = entry.extra + (isWide ? zip64Field([plain, size, offset]) : [])
    header.appendLittleEndian(UInt16(extra.count))
    header.appendLittleEndian(UInt16(entry.comment.count))
    header += [0, 0, 0, 0, 0, 0, 0xA4, 0x81]
    header.appendLittleEndian(isWide ? .max : UInt32(offset))
    return header + entry.name + extra + entry.comment
  }

  private static func descriptor(_ entry: Entry, _ size: Int) -> [UInt8] {
    var record: [UInt8] = [0x50, 0x4B, 7, 8]
    record.appendLittleEndian(entry.statedCRC ?? DeflateFixture.crc32(entry.content))
    record.appendLittleEndian(UInt32(size))
    record.appendLittleEndian(UInt32(entry.statedSize ?? entry.content.count))
    return record
  }

  private static func zip64Field(_ values: [Int]) -> [UInt8] {
    var field: [UInt8] = [1, 0]
    field.appendLittleEndian(UInt16(values.count * 8))
    for value in values { field.appendLittleEndian(UInt64(value)) }
    return field
  }

  private static func zip64End(_ count: Int, _ size: Int, _ start: Int, _ here: Int) -> [UInt8] {
    var record: [UInt8] = [0x50, 0x4B, 6, 6]
    record.appendLittleEndian(UInt64(44))
    record += [45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    for value in [count, count, size, start] { record.appendLittleEndian(UInt64(value)) }
    record += [0x50, 0x4B, 6, 7, 0, 0, 0, 0]
    record.appendLittleEndian(UInt64(here))
    record.appendLittleEndian(UInt32(1))
    return record
  }
}

extension ZipBuilder {
  /// A bomb without nesting: `count` members whose headers hide each other in extra fields, so that all
  /// share the one compressed kernel at the end.
  package static func overlapping(count: Int, kernel: [UInt8]) -> [UInt8] {
    let data = DeflateFixture.compress(kernel)
    let headerSize = 38
    var file: [UInt8] = []
    var directory: [UInt8] = []
    for index in 0..<count {
      let name = Array(String(10_000 + index).utf8.suffix(4))
      let rest = (count - 1 - index) * headerSize
      directory += [0x50, 0x4B, 1, 2, 20, 3]
      var common: [UInt8] = [20, 0, 0, 0, 8, 0, 0, 0, 0, 0]
      common.appendLittleEndian(DeflateFixture.crc32(kernel))
      common.appendLittleEndian(UInt32(data.count))
      common.appendLittleEndian(UInt32(kernel.count))
      common.appendLittleEndian(UInt16(4))
      directory += common + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
      directory.appendLittleEndian(UInt32(file.count))
      directory += name
      file += [0x50, 0x4B, 3, 4] + common
      file.appendLittleEndian(UInt16(rest + 4))
      file += name + [0xFE, 0xCA]
      file.appendLittleEndian(UInt16(rest))
    }
    file += data
    let start = file.count
    file += directory + [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    file.appendLittleEndian(UInt16(count))
    file.appendLittleEndian(UInt16(count))
    file.appendLittleEndian(UInt32(directory.count))
    file.appendLittleEndian(UInt32(start))
    return file + [0, 0]
  }
}
