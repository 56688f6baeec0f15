import Bytes

/// Writes 64-bit little-endian ELF files: sections, and what a program tells the loader.
package struct ELFBuilder {
  package var type: UInt16 = 3
  package var machine: UInt16 = 62
  package var sections: [(name: String, content: [UInt8])] = []
  /// Types and flags of program headers without content: 3 is an interpreter, 0x6474E551 the stack.
  package var headers: [(type: UInt32, flags: UInt32)] = []
  /// DT_RUNPATH.
  package var runPath: String?

  package init() {}

  private static let base: UInt64 = 0x40_0000

  /// The file.
  package func bytes() -> [UInt8] {
    var strings: [UInt8] = [0]
    var dynamic: [UInt8] = []
    if let runPath {
      strings += Array(runPath.utf8) + [0]
      for (tag, value) in [(29, 1), (5, 0), (10, UInt64(strings.count))] as [(UInt64, UInt64)] {
        dynamic.appendLittleEndian(tag)
        // The table of strings follows the dynamic section.
        dynamic.appendLittleEndian(tag == 5 ? Self.base + UInt64(dynamicStart + 64) : value)
      }
      dynamic += [UInt8](repeating: 0, count: 16)
    }
    let contents =
      sections.map { ($0.name, $0.content) }
      + [(".dynamic", dynamic), (".dynstr", strings)]
    var names: [UInt8] = [0]
    var rows: [(name: Int, offset: Int, size: Int)] = []
    var offset = dataStart
    for (name, content) in contents + [(".shstrtab", [])] {
      rows.append((names.count, offset, content.count))
      names += Array(name.utf8) + [0]
      offset += content.count
    }
    rows[rows.count - 1].size = names.count
    let tableStart = offset + names.count
    var file = header(tableStart: tableStart, sectionCount: rows.count + 1)
    file += programHeaders(size: tableStart)
    for (_, content) in contents { file += content }
    file += names + [UInt8](repeating: 0, count: 64)
    for (index, row) in rows.enumerated() {
      file.appendLittleEndian(UInt32(row.name))
      file.appendLittleEndian(index == rows.count - 1 ? 3 : UInt32(1))
      for wide in [
        0, Self.base + UInt64(row.offset), UInt64(row.offset), UInt64(row.size), 0, 1, 0,
      ] {
        file.appendLittleEndian(wide)
      }
    }
    return file
  }

  private var dataStart: Int { 64 + (headers.count + 2) * 56 }

  private var dynamicStart: Int { sections.reduce(dataStart) { $0 + $1.content.count } }

  private func header(tableStart: Int, sectionCount: Int) -> [UInt8] {
    var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
    for half in [type, machine] { file.appendLittleEndian(half) }
    file.appendLittleEndian(UInt32(1))
    for wide in [Self.base, 64, UInt64(tableStart)] { file.appendLittleEndian(wide) }
    file.appendLittleEndian(UInt32(0))
    for half in [
      64, 56, UInt16(headers.count + 2), 64, UInt16(sectionCount), UInt16(sectionCount - 1),
    ] {
      file.appendLittleEndian(half)
    }
    return file
  }

  /// One header that loads the whole file, one for the dynamic section, and those that were asked for.
  private func programHeaders(size: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ type: UInt32, _ flags: UInt32, _ offset: Int, _ size: Int) {
      bytes.appendLittleEndian(type)
      bytes.appendLittleEndian(flags)
      let address = Self.base + UInt64(offset)
      for wide in [UInt64(offset), address, address, UInt64(size), UInt64(size), 1] {
        bytes.appendLittleEndian(wide)
      }
    }
    add(1, 5, 0, size)
    add(runPath == nil ? 0 : 2, 6, dynamicStart, 64)
    for header in headers { add(header.type, header.flags, 0, 0) }
    return bytes
  }
}
