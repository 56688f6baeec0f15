package import Bytes

/// The sections of an ELF file, 32 and 64 bits, either byte order (System V gABI, chapter 4).
package struct ELFFile: Equatable, Sendable {
  private static let largestSectionCount = 100_000
  private static let largestNameTable = 16 << 20

  package var is64Bit: Bool
  package var isBigEndian: Bool
  /// e_type: 1 relocatable, 2 program, 3 shared object, 4 core dump.
  package var type: UInt16

  package var isCore: Bool { type == 4 }

  /// e_ident: magic, class (1, 2), byte order (1 little, 2 big), version; then e_type.
  package init?(_ head: RawSpan) {
    guard head.hasBytes([0x7F, 0x45, 0x4C, 0x46]), let width = head[at: 4], let order = head[at: 5],
      (1...2).contains(width), (1...2).contains(order), head[at: 6] == 1
    else { return nil }
    is64Bit = width == 2
    isBigEndian = order == 2
    type = 0
    guard let stored: UInt16 = number(head, 16) else { return nil }
    type = stored
  }

  func number<Value: FixedWidthInteger & BitwiseCopyable>(
    _ bytes: RawSpan, _ offset: Int
  ) -> Value? {
    isBigEndian ? try? bytes.integer(at: offset) : try? bytes.littleEndianInteger(at: offset)
  }

  /// An address-sized field.
  func wide(_ bytes: RawSpan, _ offset: Int) -> Int? {
    if is64Bit {
      let value: UInt64? = number(bytes, offset)
      return value.flatMap { Int(exactly: $0) }
    }
    let value: UInt32? = number(bytes, offset)
    return value.map { Int($0) }
  }

  /// All sections with bytes in the file, sorted by where they start.
  package static func sections(
    of source: any ByteSource
  ) throws(ReadFailure) -> [BinarySection] {
    let head = try source.bytes(at: 0, count: 64)
    guard let file = ELFFile(unsafe head.span.bytes) else { return [] }
    return try file.sections(header: head, of: source)
  }

  /// One row of the section header table.
  private struct Row {
    var name: Int
    var isInFile: Bool
    var offset: Int
    var size: Int
    var link: UInt32
  }

  private func sections(
    header: [UInt8], of source: any ByteSource
  ) throws(ReadFailure) -> [BinarySection] {
    let bytes = unsafe header.span.bytes
    guard let tableOffset = wide(bytes, is64Bit ? 40 : 32),
      let entrySize: UInt16 = number(bytes, is64Bit ? 58 : 46),
      let storedCount: UInt16 = number(bytes, is64Bit ? 60 : 48),
      let storedNames: UInt16 = number(bytes, is64Bit ? 62 : 50),
      Int(entrySize) >= (is64Bit ? 64 : 40), tableOffset > 0, tableOffset < source.byteCount
    else { return [] }
    let first = try source.bytes(at: tableOffset, count: Int(entrySize))
    guard let zeroth = row(unsafe first.span.bytes, 0) else { return [] }
    // Counts that do not fit 16 bits stand in the first row.
    let count = storedCount == 0 ? zeroth.size : Int(storedCount)
    let names = storedNames == 0xFFFF ? Int(zeroth.link) : Int(storedNames)
    let bounded = min(
      count, Self.largestSectionCount, (source.byteCount - tableOffset) / Int(entrySize))
    let table = try source.bytes(at: tableOffset, count: bounded * Int(entrySize))
    var rows: [Row] = []
    for index in 0..<bounded {
      guard let row = row(unsafe table.span.bytes, index * Int(entrySize)) else { break }
      rows.append(row)
    }
    return try named(rows, namesAt: names, in: source)
  }

  private func row(_ table: RawSpan, _ start: Int) -> Row? {
    guard let name: UInt32 = number(table, start), let type: UInt32 = number(table, start + 4),
      let offset = wide(table, start + (is64Bit ? 24 : 16)),
      let size = wide(table, start + (is64Bit ? 32 : 20)),
      let link: UInt32 = number(table, start + (is64Bit ? 40 : 24))
    else { return nil }
    // SHT_NULL and SHT_NOBITS have no bytes in the file.
    return Row(
      name: Int(name), isInFile: type != 0 && type != 8, offset: offset, size: size, link: link)
  }

  private func named(
    _ rows: [Row], namesAt index: Int, in source: any ByteSource
  ) throws(ReadFailure) -> [BinarySection] {
    var names: [UInt8] = []
    if rows.indices.contains(index) {
      names = try source.bytes(
        at: rows[index].offset, count: min(rows[index].size, Self.largestNameTable))
    }
    var sections: [BinarySection] = []
    for (number, row) in rows.enumerated() where row.isInFile && row.size > 0 {
      guard row.offset <= source.byteCount, row.size <= source.byteCount - row.offset else {
        continue
      }
      var text: [UInt8] = []
      var position = row.name
      while position < names.count, names[position] != 0, text.count < 256 {
        text.append(names[position])
        position += 1
      }
      let name = text.isEmpty ? "section \(number)" : String(decoding: text, as: UTF8.self)
      sections.append(BinarySection(name: name, range: row.offset..<row.offset + row.size))
    }
    return sections.sorted { ($0.range.lowerBound, $0.name) < ($1.range.lowerBound, $1.name) }
  }
}
