package import Bytes

/// The symbols of a Mach-O program: its table (nlist), and the names that the dynamic linker binds where
/// the table was stripped (<mach-o/nlist.h>, <mach-o/fixup-chains.h>).
package struct MachOSymbols: Sendable {
  private static let largestEntries = 64 << 20
  private static let largestStrings = 128 << 20
  private static let largestImportCount = 500_000

  /// One entry of the table.
  package struct Symbol: Equatable, Sendable {
    package var name: Range<Int>
    /// N_STAB bits (0xe0), N_PEXT (0x10), N_TYPE (0x0e), N_EXT (1).
    package var type: UInt8
    package var section: UInt8
    package var description: UInt16
    package var value: UInt64

    /// N_STAB: a note of the debugger, not linked, only left behind.
    package var isDebugging: Bool { type & 0xE0 != 0 }
    /// N_OPT: what `strip` leaves of the notes, without a name of anything.
    package var isMarker: Bool { type == 0x3C }
    package var isExternal: Bool { type & 1 != 0 && !isDebugging }
    package var isUndefined: Bool { !isDebugging && type & 0x0E == 0 }
    package var isImport: Bool { isExternal && isUndefined && value == 0 }
    /// N_OSO: the object file it was linked from.
    package var isObjectFile: Bool { type == 0x66 }
  }

  private let layout: MachOLayout
  private var entries: [UInt8] = []
  private var strings: [UInt8] = []
  private let indirect: [UInt8]
  /// Names bound by fixups and opcodes.
  private var bound: [String] = []
  package private(set) var isCut = false

  package var count: Int { entries.count / entrySize }
  private var entrySize: Int { layout.is64Bit ? 16 : 12 }

  package init(_ image: MachOImage, of source: any ByteSource) throws(ReadFailure) {
    layout = image.layout
    if let table = image.symbols {
      entries = try source.bytes(
        at: table.entries.lowerBound, count: min(table.entries.count, Self.largestEntries))
      strings = try source.bytes(
        at: table.strings.lowerBound, count: min(table.strings.count, Self.largestStrings))
      isCut = entries.count < table.entries.count || strings.count < table.strings.count
    }
    if let range = image.indirectSymbols {
      indirect = try source.bytes(at: range.lowerBound, count: min(range.count, 16 << 20))
    } else {
      indirect = []
    }
    if let range = image.chainedFixups {
      let fixups = try source.bytes(
        at: range.lowerBound, count: min(range.count, Self.largestEntries))
      readFixups(unsafe fixups.span.bytes)
    }
    for range in image.bindings {
      let opcodes = try source.bytes(
        at: range.lowerBound, count: min(range.count, Self.largestEntries))
      readBindings(unsafe opcodes.span.bytes)
    }
  }

  /// nlist: offset of the name, type, section, description, value.
  package subscript(index: Int) -> Symbol? {
    let bytes = unsafe entries.span.bytes
    let start = index * entrySize
    guard index >= 0, index < count, let name = layout.word(bytes, start),
      let type = bytes[at: start + 4], let section = bytes[at: start + 5],
      let description = layout.half(bytes, start + 6),
      let value = layout.wide(bytes, start + 8)
    else { return nil }
    return Symbol(
      name: nameRange(at: Int(name)), type: type, section: section, description: description,
      value: value)
  }

  /// Names end with a zero; damaged ones at 4,096 bytes.
  private func nameRange(at offset: Int) -> Range<Int> {
    guard offset < strings.count else { return 0..<0 }
    let end = unsafe strings.span.bytes.firstOffset(
      of: 0, in: offset..<min(strings.count, offset + 4096))
    return offset..<(end ?? min(strings.count, offset + 4096))
  }

  package func name(of symbol: Symbol) -> String {
    String(decoding: strings[symbol.name], as: UTF8.self)
  }

  /// Whether the name starts with `prefix`.
  package func name(of symbol: Symbol, starts prefix: StaticString) -> Bool {
    unsafe strings.span.bytes.clamped(to: symbol.name).hasBytes(prefix)
  }

  /// Names of what the program takes from libraries, each once, sorted.
  package func imports() -> [String] {
    var names = Set(bound)
    for index in 0..<count {
      guard let symbol = self[index], symbol.isImport, !symbol.name.isEmpty,
        names.count < Self.largestImportCount
      else { continue }
      names.insert(name(of: symbol))
    }
    return names.sorted()
  }

  /// Names of functions by the address of the stub that jumps to them.
  package func stubs(of image: MachOImage) -> [UInt64: String] {
    var names: [UInt64: String] = [:]
    let numbers = unsafe indirect.span.bytes
    for section in image.sections where section.holdsStubs {
      let (first, size) = (Int(section.reserved.0), UInt64(section.reserved.1))
      guard size >= 4 else { continue }
      for index in 0..<min(Int(clamping: section.size / size), 1 << 18) {
        guard let number = layout.word(numbers, (first + index) * 4),
          let symbol = self[Int(number)]
        else { break }
        names[section.address &+ UInt64(index) &* size] = name(of: symbol)
      }
    }
    return names
  }

  /// dyld_chained_fixups_header: version, offsets of starts, imports and names, count and format of
  /// imports, format of names. An import is 4, 8 or 16 bytes, the name's offset in the high 23 or 32 bits.
  private mutating func readFixups(_ fixups: RawSpan) {
    guard let imports = layout.word(fixups, 8), let names = layout.word(fixups, 12),
      let count = layout.word(fixups, 16), let format = layout.word(fixups, 20),
      layout.word(fixups, 24) == 0, (1...3).contains(format)
    else { return }
    let size = format == 1 ? 4 : format == 2 ? 8 : 16
    for index in 0..<min(Int(count), Self.largestImportCount) {
      let start = Int(imports) + index * size
      let offset =
        format == 3
        ? layout.long(fixups, start).map { Int($0 >> 32) }
        : layout.word(fixups, start).map { Int($0 >> 9) }
      guard let offset else { return }
      bind(fixups, nameAt: Int(names) + offset)
    }
  }

  private mutating func bind(_ bytes: RawSpan, nameAt start: Int) {
    guard start < bytes.byteCount, bound.count < Self.largestImportCount,
      let end = bytes.firstOffset(of: 0, in: start..<min(bytes.byteCount, start + 4096)),
      end > start
    else { return }
    bound.append(bytes.clamped(to: start..<end).repairedText())
  }

  /// Binding opcodes: only those that name a symbol count, the others are passed over.
  private mutating func readBindings(_ opcodes: RawSpan) {
    var offset = 0
    while let opcode = opcodes[at: offset] {
      offset += 1
      switch opcode & 0xF0 {
      case 0x40:
        bind(opcodes, nameAt: offset)
        guard let end = opcodes.firstOffset(of: 0, from: offset) else { return }
        offset = end + 1
      case 0x20, 0x60, 0x70, 0x80, 0xA0: Self.skipNumber(opcodes, &offset)
      case 0xC0:
        Self.skipNumber(opcodes, &offset)
        Self.skipNumber(opcodes, &offset)
      case 0xD0 where opcode & 0x0F == 0: Self.skipNumber(opcodes, &offset)
      default: break
      }
    }
  }

  /// A LEB128 number.
  private static func skipNumber(_ bytes: RawSpan, _ offset: inout Int) {
    while let byte = bytes[at: offset] {
      offset += 1
      if byte & 0x80 == 0 { return }
    }
  }
}
