package import Bytes

extension MachOImage {
  private static let largestCommandSize = 16 << 20
  private static let largestSectionCount = 100_000
  private static let largestListCount = 10_000

  /// mach_header: magic, processor, subtype, file type, number of commands, their size, flags (and four
  /// reserved bytes in 64-bit files); the commands follow, each with its number and size.
  package init?(_ slice: MachOFile.Slice, of source: any ByteSource) throws(ReadFailure) {
    let head = try source.bytes(at: slice.range.lowerBound, count: min(32, slice.range.count))
    let bytes = unsafe head.span.bytes
    guard let layout = MachOLayout(bytes), let processor = layout.word(bytes, 4),
      let variant = layout.word(bytes, 8), let type = layout.word(bytes, 12),
      let count = layout.word(bytes, 16), let size = layout.word(bytes, 20),
      let flags = layout.word(bytes, 24)
    else { return nil }
    self.slice = slice
    self.layout = layout
    self.processor = MachOFile.name(ofProcessor: processor, variant: variant)
    fileType = type
    self.flags = flags
    let headerSize = layout.is64Bit ? 32 : 28
    let room = min(Int(size), slice.range.count - headerSize, Self.largestCommandSize)
    isDamaged = room < Int(size)
    guard room > 0 else { return }
    let commands = try source.bytes(at: slice.range.lowerBound + headerSize, count: room)
    readCommands(unsafe commands.span.bytes, count: Int(count))
  }

  private mutating func readCommands(_ commands: RawSpan, count: Int) {
    let start = slice.range.lowerBound + (layout.is64Bit ? 32 : 28)
    var offset = 0
    for _ in 0..<min(count, commands.byteCount / 8) {
      guard let kind = layout.word(commands, offset),
        let size = layout.word(commands, offset + 4), size >= 8,
        Int(size) <= commands.byteCount - offset
      else {
        isDamaged = true
        return
      }
      let command = commands.clamped(to: offset..<offset + Int(size))
      read(kind, command)
      if self.commands.count < Self.largestListCount {
        self.commands.append(
          Command(
            number: kind, range: start + offset..<start + offset + Int(size),
            text: summary(kind, command)))
      }
      offset += Int(size)
    }
    if count > commands.byteCount / 8 { isDamaged = true }
  }

  private mutating func read(_ kind: UInt32, _ command: RawSpan) {
    switch kind {
    case 1, 0x19: readSegment(command, is64Bit: kind == 0x19)
    case 2: readSymbolTable(command)
    case 0x0B: indirectSymbols = table(command, offsetAt: 56, countAt: 60, entrySize: 4)
    // LC_LOAD_DYLIB, LC_LOAD_WEAK_DYLIB, LC_REEXPORT_DYLIB, LC_LOAD_UPWARD_DYLIB, LC_LAZY_LOAD_DYLIB.
    case 0x0C, 0x8000_0018, 0x8000_001F, 0x8000_0023, 0x20:
      guard libraries.count < Self.largestListCount, let path = text(command, at: 8) else { return }
      libraries.append(Library(path: path, isWeak: kind == 0x8000_0018))
    case 0x0D: ownName = text(command, at: 8)
    case 0x8000_001C:
      guard runPaths.count < Self.largestListCount, let path = text(command, at: 8) else { return }
      runPaths.append(path)
    case 0x1B: identifier = (try? command.bytes(at: 8, count: 16))?.copied()
    case 0x1D: signature = data(command, 8)
    case 0x21, 0x2C:
      if let id = layout.word(command, 16), id != 0 { encrypted = data(command, 8) ?? slice.range }
    case 0x22, 0x8000_0022: bindings += [16, 24, 32].compactMap { data(command, $0) }
    case 0x8000_0034: chainedFixups = data(command, 8)
    case 0x24, 0x25, 0x2F, 0x30:
      let names: [UInt32: String] = [0x24: "macos", 0x25: "ios", 0x2F: "tvos", 0x30: "watchos"]
      readBuild(command, platform: names[kind], at: 8)
    case 0x32:
      readBuild(command, platform: layout.word(command, 8).map(Self.platform), at: 12)
    default: break
    }
  }

  private func summary(_ kind: UInt32, _ command: RawSpan) -> String? {
    if Command.namesSegment(kind) { return Self.name(command, 8) }
    return Command.holdsPath(kind) ? text(command, at: 8) : nil
  }

  /// PLATFORM_* of <mach-o/loader.h>.
  private static func platform(_ number: UInt32) -> String {
    let names = [
      "unknown", "macos", "ios", "tvos", "watchos", "bridgeos", "maccatalyst", "ios-simulator",
      "tvos-simulator", "watchos-simulator", "driverkit", "visionos", "visionos-simulator",
    ]
    return Int(number) < names.count ? names[Int(number)] : "platform-\(number)"
  }

  /// Versions are packed as 16 bits, 8 bits, 8 bits.
  private mutating func readBuild(_ command: RawSpan, platform: String?, at offset: Int) {
    guard let platform, let minimum = layout.word(command, offset),
      let sdk = layout.word(command, offset + 4)
    else { return }
    func version(_ packed: UInt32) -> String {
      let text = "\(packed >> 16).\(packed >> 8 & 0xFF)"
      return packed & 0xFF == 0 ? text : text + ".\(packed & 0xFF)"
    }
    build = Build(platform: platform, minimum: version(minimum), sdk: version(sdk))
  }

  /// Offset and size of something in the slice.
  private func data(_ command: RawSpan, _ offset: Int) -> Range<Int>? {
    guard let start = layout.word(command, offset), let size = layout.word(command, offset + 4),
      size > 0
    else { return nil }
    return range(Int(start), Int(size))
  }

  private func table(
    _ command: RawSpan, offsetAt offset: Int, countAt countOffset: Int, entrySize: Int
  ) -> Range<Int>? {
    guard let start = layout.word(command, offset), let count = layout.word(command, countOffset),
      count > 0
    else { return nil }
    return range(Int(start), Int(count) * entrySize)
  }

  /// As a range of the file, where it lies in the slice.
  private func range(_ offset: Int, _ size: Int) -> Range<Int>? {
    guard offset <= slice.range.count, size <= slice.range.count - offset else { return nil }
    let start = slice.range.lowerBound + offset
    return start..<start + size
  }

  /// symtab_command: offset and count of entries, offset and size of names.
  private mutating func readSymbolTable(_ command: RawSpan) {
    let entrySize = layout.is64Bit ? 16 : 12
    guard let count = layout.word(command, 12),
      let entries = table(command, offsetAt: 8, countAt: 12, entrySize: entrySize),
      let strings = data(command, 16)
    else { return }
    symbols = SymbolTable(entries: entries, count: Int(count), strings: strings)
  }

  /// lc_str: an offset from the start of the command.
  private func text(_ command: RawSpan, at field: Int) -> String? {
    guard let offset = layout.word(command, field), Int(offset) >= 12,
      Int(offset) < command.byteCount
    else { return nil }
    let stored = command.clamped(to: Int(offset)..<min(command.byteCount, Int(offset) + 4096))
    let end = stored.firstOffset(of: 0) ?? stored.byteCount
    return stored.clamped(to: 0..<end).repairedText()
  }

  /// segment_command: command, size, name, addresses, file range, protections, section count, flags;
  /// then the sections: section name, segment name, address, size, offset, alignment, relocations,
  /// flags, two reserved fields.
  private mutating func readSegment(_ command: RawSpan, is64Bit: Bool) {
    let layout = MachOSegmentLayout(is64Bit: is64Bit)
    guard let name = Self.name(command, 8), let count = self.layout.word(command, layout.count),
      let address = wide(command, 24, is64Bit), let size = wide(command, layout.size, is64Bit),
      let start = wide(command, layout.fileOffset, is64Bit),
      let fileSize = wide(command, layout.fileSize, is64Bit)
    else { return }
    if let start = Int(exactly: start), let fileSize = Int(exactly: fileSize),
      let range = range(start, fileSize), segments.count < Self.largestListCount
    {
      segments.append(Segment(name: name, address: address, size: size, fileRange: range))
    }
    var entry = layout.headerSize
    for _ in 0..<min(Int(count), command.byteCount / layout.entrySize) {
      defer { entry += layout.entrySize }
      guard sections.count < Self.largestSectionCount,
        let section = section(command, at: entry, layout)
      else { return }
      sections.append(section)
    }
  }

  private func section(
    _ command: RawSpan, at entry: Int, _ layout: MachOSegmentLayout
  ) -> Section? {
    let after = entry + (layout.is64Bit ? 48 : 40)
    guard let name = Self.name(command, entry), let segment = Self.name(command, entry + 16),
      let address = wide(command, entry + 32, layout.is64Bit),
      let size = wide(command, entry + (layout.is64Bit ? 40 : 36), layout.is64Bit),
      let offset = self.layout.word(command, after),
      let flags = self.layout.word(command, after + 16),
      let first = self.layout.word(command, after + 20),
      let second = self.layout.word(command, after + 24)
    else { return nil }
    // Sections without bytes in the file (zero fill) have no offset.
    let stored = Int(exactly: size).flatMap { size in
      offset > 0 && size > 0 ? range(Int(offset), size) : nil
    }
    return Section(
      name: "\(segment),\(name)", address: address, size: size, fileRange: stored, flags: flags,
      reserved: (first, second))
  }

  private func wide(_ bytes: RawSpan, _ offset: Int, _ is64Bit: Bool) -> UInt64? {
    is64Bit ? layout.long(bytes, offset) : layout.word(bytes, offset).map { UInt64($0) }
  }

  private static func name(_ bytes: RawSpan, _ offset: Int) -> String? {
    guard let field = try? bytes.bytes(at: offset, count: 16) else { return nil }
    return field.clamped(to: 0..<(field.firstOffset(of: 0) ?? 16)).repairedText()
  }
}

/// Where the fields of a segment command stand.
private struct MachOSegmentLayout {
  var is64Bit: Bool

  var size: Int { is64Bit ? 32 : 28 }
  var fileOffset: Int { is64Bit ? 40 : 32 }
  var fileSize: Int { is64Bit ? 48 : 36 }
  var count: Int { is64Bit ? 64 : 48 }
  var headerSize: Int { is64Bit ? 72 : 56 }
  var entrySize: Int { is64Bit ? 80 : 68 }
}
