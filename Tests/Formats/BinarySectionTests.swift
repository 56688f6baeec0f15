import Bytes
import FixtureKit
import Formats
import Testing

@Suite struct `Sections of binaries` {
  /// A 64-bit little-endian Mach-O file with one segment of two sections.
  static var machO: [UInt8] {
    var file: [UInt8] = []
    for word: UInt32 in [0xFEED_FACF, 0x0100_000C, 0, 2, 1, 72 + 160, 0, 0] {
      file.appendLittleEndian(word)
    }
    for word: UInt32 in [0x19, 72 + 160] { file.appendLittleEndian(word) }
    file += name("__TEXT")
    for _ in 0..<4 { file.appendLittleEndian(UInt64(0)) }
    for word: UInt32 in [5, 5, 2, 0] { file.appendLittleEndian(word) }
    for (section, offset) in [("__text", UInt32(264)), ("__cstring", 280)] {
      file += name(section) + name("__TEXT")
      file.appendLittleEndian(UInt64(0))
      file.appendLittleEndian(UInt64(16))
      for word: UInt32 in [offset, 0, 0, 0, 0, 0, 0, 0] { file.appendLittleEndian(word) }
    }
    return file + Array("code code code !strings strings!".utf8)
  }

  private static func name(_ text: String) -> [UInt8] {
    Array(text.utf8) + [UInt8](repeating: 0, count: 16 - text.utf8.count)
  }

  @Test func `a place in a Mach-O file has segment and section`() throws {
    let sections = try MachOFile.sections(of: MemorySource(Self.machO))
    #expect(sections.map(\.name) == ["__TEXT,__text", "__TEXT,__cstring"])
    #expect(sections.section(at: 285)?.name == "__TEXT,__cstring")
    #expect(sections.section(at: 10) == nil)
  }

  @Test func `a universal file names the slice`() throws {
    var file: [UInt8] = []
    for word: UInt32 in [0xCAFE_BABE, 1, 0x0100_000C, 0, 64, UInt32(Self.machO.count), 0] {
      file.appendBigEndian(word)
    }
    file += [UInt8](repeating: 0, count: 64 - file.count) + Self.machO
    let section = try MachOFile.sections(of: MemorySource(file)).section(at: 64 + 285)
    #expect(section?.name == "__TEXT,__cstring")
    #expect(section?.slice == "arm64")
  }

  @Test func `damage anywhere is survived`() throws {
    for bit in 0..<Self.machO.count * 8 {
      var damaged = Self.machO
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = try MachOFile.sections(of: MemorySource(damaged))
    }
    for length in 0..<Self.machO.count {
      _ = try MachOFile.sections(of: MemorySource(Array(Self.machO.prefix(length))))
    }
  }

  /// A 64-bit ELF file with a string section and the table of names.
  static var elf: [UInt8] {
    var file: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    for half: UInt16 in [3, 62] { file.appendLittleEndian(half) }
    file.appendLittleEndian(UInt32(1))
    for wide: UInt64 in [0, 0, 96] { file.appendLittleEndian(wide) }
    file.appendLittleEndian(UInt32(0))
    for half: UInt16 in [64, 0, 0, 64, 3, 2] { file.appendLittleEndian(half) }
    file += Array("\0.rodata\0.shstrtab\0".utf8)
    file += [UInt8](repeating: 0, count: 96 - file.count)
    let rows: [(UInt32, UInt32, UInt64, UInt64)] = [
      (0, 0, 0, 0), (1, 1, 288, 8), (9, 3, 64, 19),
    ]
    for (name, type, offset, size) in rows {
      file.appendLittleEndian(name)
      file.appendLittleEndian(type)
      for wide: UInt64 in [0, 0, offset, size, 0, 0, 0] { file.appendLittleEndian(wide) }
    }
    return file + Array("readonly".utf8)
  }

  @Test func `a place in an ELF file has a section`() throws {
    let sections = try ELFFile.sections(of: MemorySource(Self.elf))
    #expect(sections.map(\.name) == [".shstrtab", ".rodata"])
    #expect(sections.section(at: 290)?.name == ".rodata")
  }

  @Test func `a damaged ELF file is survived`() throws {
    for bit in 0..<Self.elf.count * 8 {
      var damaged = Self.elf
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = try ELFFile.sections(of: MemorySource(damaged))
    }
    for length in 0..<Self.elf.count {
      _ = try ELFFile.sections(of: MemorySource(Array(Self.elf.prefix(length))))
    }
  }
}
