import Bytes

/// Writes Mach-O programs byte by byte: the load commands and sections that a test names, in 64 bits,
/// little-endian, for arm64 unless it says otherwise.
package struct MachOBuilder {
  package struct Section {
    package var segment: String
    package var name: String
    package var content: [UInt8]
    package var flags: UInt32
    package var reserved: (UInt32, UInt32)

    package init(
      _ segment: String, _ name: String, _ content: [UInt8], flags: UInt32 = 0,
      reserved: (UInt32, UInt32) = (0, 0)
    ) {
      self.segment = segment
      self.name = name
      self.content = content
      self.flags = flags
      self.reserved = reserved
    }
  }

  /// An entry of the symbol table.
  package struct Symbol {
    package var name: String
    package var type: UInt8
    package var section: UInt8
    package var value: UInt64

    package init(_ name: String, type: UInt8, section: UInt8 = 0, value: UInt64 = 0) {
      self.name = name
      self.type = type
      self.section = section
      self.value = value
    }

    /// Taken from a library.
    package static func imported(_ name: String) -> Symbol { Symbol(name, type: 1) }
  }

  /// Address of the first byte of the file.
  package static let base: UInt64 = 0x1_0000_0000
  /// S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS.
  package static let code: UInt32 = 0x8000_0400
  /// The same for stubs.
  package static let stubs: UInt32 = 0x8000_0408

  package var processor: UInt32 = 0x0100_000C
  package var variant: UInt32 = 0
  package var fileType: UInt32 = 2
  package var flags: UInt32 = 0x20_0085
  package var sections: [Section] = []
  package var symbols: [Symbol] = []
  package var indirectSymbols: [UInt32] = []
  package var libraries: [String] = []
  package var runPaths: [String] = []
  /// Platform, minimum and SDK version, each packed.
  package var build: (platform: UInt32, minimum: UInt32, sdk: UInt32)? = (2, 0x11_0000, 0x12_0000)
  package var encryption: UInt32?
  /// Names bound by chained fixups.
  package var fixups: [String] = []
  /// Where the load commands say other than is so: the count of commands.
  package var claimedCommands: UInt32?
  /// What signs the program: given all bytes before the signature, the signature.
  package var signer: CodeSignatureBuilder?

  package init() {}

  /// Offset of a section's content in the file.
  package func offset(of section: String) -> Int {
    var offset = contentStart
    for candidate in sections {
      if candidate.name == section { return offset }
      offset += Self.aligned(candidate.content.count)
    }
    return -1
  }

  /// Address of a section.
  package func address(of section: String) -> UInt64 {
    Self.base + UInt64(offset(of: section))
  }

  private static func aligned(_ count: Int) -> Int { (count + 15) & ~15 }

  private var contentStart: Int { Self.aligned(32 + commandSize) }

  private var contentEnd: Int {
    sections.reduce(contentStart) { $0 + Self.aligned($1.content.count) }
  }

  private var segmentNames: [String] {
    sections.map(\.segment).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  private static func textSize(_ text: String) -> Int { (text.utf8.count + 8) & ~7 }

  private var commandSize: Int {
    var size = segmentNames.count * 72 + sections.count * 80 + 72
    size += libraries.reduce(0) { $0 + 24 + Self.textSize($1) }
    size += runPaths.reduce(0) { $0 + 16 + Self.textSize($1) }
    size += 24 + 80
    if build != nil { size += 24 }
    if encryption != nil { size += 24 }
    if !fixups.isEmpty { size += 16 }
    if signer != nil { size += 16 }
    return size
  }

  private var commandCount: Int {
    segmentNames.count + 1 + libraries.count + runPaths.count + 2 + (build == nil ? 0 : 1)
      + (encryption == nil ? 0 : 1) + (fixups.isEmpty ? 0 : 1) + (signer == nil ? 0 : 1)
  }

  /// The file.
  package func bytes() -> [UInt8] {
    let link = linkEdit()
    let unsignedEnd = Self.aligned(contentEnd + link.content.count)
    let signatureSize = signer.map { $0.size(codeSize: unsignedEnd) } ?? 0
    var file: [UInt8] = []
    for word: UInt32 in [
      0xFEED_FACF, processor, variant, fileType, claimedCommands ?? UInt32(commandCount),
      UInt32(commandSize), flags, 0,
    ] {
      file.appendLittleEndian(word)
    }
    for name in segmentNames { appendSegment(name, to: &file) }
    appendLinkEdit(size: unsignedEnd - contentEnd + signatureSize, to: &file)
    for path in libraries { appendText(path, command: 0x0C, headerSize: 24, to: &file) }
    for path in runPaths { appendText(path, command: 0x8000_001C, headerSize: 16, to: &file) }
    appendTables(link, to: &file)
    if let build {
      for word: UInt32 in [0x32, 24, build.platform, build.minimum, build.sdk, 0] {
        file.appendLittleEndian(word)
      }
    }
    if let encryption {
      for word: UInt32 in [0x2C, 24, UInt32(contentStart), 16, encryption, 0] {
        file.appendLittleEndian(word)
      }
    }
    if !fixups.isEmpty {
      for word: UInt32 in [
        0x8000_0034, 16, UInt32(contentEnd + link.fixups.lowerBound),
        UInt32(link.fixups.count),
      ] {
        file.appendLittleEndian(word)
      }
    }
    if signer != nil {
      for word: UInt32 in [0x1D, 16, UInt32(unsignedEnd), UInt32(signatureSize)] {
        file.appendLittleEndian(word)
      }
    }
    file += [UInt8](repeating: 0, count: contentStart - file.count)
    for section in sections {
      file += section.content
      file += [UInt8](
        repeating: 0, count: Self.aligned(section.content.count) - section.content.count)
    }
    file += link.content
    file += [UInt8](repeating: 0, count: unsignedEnd - file.count)
    if let signer { file += signer.signature(of: file) }
    return file
  }

  private static func name(_ text: String) -> [UInt8] {
    Array(text.utf8.prefix(16)) + [UInt8](repeating: 0, count: 16 - min(16, text.utf8.count))
  }

  private func appendSegment(_ name: String, to file: inout [UInt8]) {
    let own = sections.filter { $0.segment == name }
    // The first segment covers the header too, as linkers lay it out.
    let start = name == segmentNames.first ? 0 : offset(of: own[0].name)
    let end = own.map { offset(of: $0.name) + Self.aligned($0.content.count) }.max() ?? start
    file.appendLittleEndian(UInt32(0x19))
    file.appendLittleEndian(UInt32(72 + own.count * 80))
    file += Self.name(name)
    for wide in [
      Self.base + UInt64(start), UInt64(end - start), UInt64(start), UInt64(end - start),
    ] {
      file.appendLittleEndian(wide)
    }
    for word: UInt32 in [5, 5, UInt32(own.count), 0] { file.appendLittleEndian(word) }
    for section in own {
      file += Self.name(section.name) + Self.name(section.segment)
      file.appendLittleEndian(address(of: section.name))
      file.appendLittleEndian(UInt64(section.content.count))
      for word: UInt32 in [
        UInt32(offset(of: section.name)), 4, 0, 0, section.flags, section.reserved.0,
        section.reserved.1, 0,
      ] {
        file.appendLittleEndian(word)
      }
    }
  }

  private func appendLinkEdit(size: Int, to file: inout [UInt8]) {
    file.appendLittleEndian(UInt32(0x19))
    file.appendLittleEndian(UInt32(72))
    file += Self.name("__LINKEDIT")
    let address = Self.base + UInt64(contentEnd)
    for wide in [address, UInt64(size), UInt64(contentEnd), UInt64(size)] {
      file.appendLittleEndian(wide)
    }
    for word: UInt32 in [1, 1, 0, 0] { file.appendLittleEndian(word) }
  }

  private func appendText(
    _ text: String, command: UInt32, headerSize: Int, to file: inout [UInt8]
  ) {
    let size = headerSize + Self.textSize(text)
    file.appendLittleEndian(command)
    file.appendLittleEndian(UInt32(size))
    file.appendLittleEndian(UInt32(headerSize))
    file += [UInt8](repeating: 0, count: headerSize - 12)
    file += Array(text.utf8)
    file += [UInt8](repeating: 0, count: Self.textSize(text) - text.utf8.count)
  }

  private struct LinkEdit {
    var content: [UInt8] = []
    var strings = 0..<0
    var indirect = 0..<0
    var fixups = 0..<0
  }

  /// Symbols, their names, indirect symbols and fixups, as they lie behind the sections.
  private func linkEdit() -> LinkEdit {
    var link = LinkEdit()
    var strings: [UInt8] = [0x20, 0]
    for symbol in symbols {
      link.content.appendLittleEndian(UInt32(strings.count))
      link.content += [symbol.type, symbol.section, 0, 0]
      link.content.appendLittleEndian(symbol.value)
      strings += Array(symbol.name.utf8) + [0]
    }
    link.indirect = link.content.count..<link.content.count + indirectSymbols.count * 4
    for number in indirectSymbols { link.content.appendLittleEndian(number) }
    link.strings = link.content.count..<link.content.count + strings.count
    link.content += strings
    guard !fixups.isEmpty else { return link }
    let start = link.content.count
    let names = 28 + fixups.count * 4
    for word: UInt32 in [0, 28, 28, UInt32(names), UInt32(fixups.count), 1, 0] {
      link.content.appendLittleEndian(word)
    }
    var table: [UInt8] = [0]
    for name in fixups {
      link.content.appendLittleEndian(UInt32(table.count) << 9 | 1)
      table += Array(name.utf8) + [0]
    }
    link.content += table
    link.fixups = start..<link.content.count
    return link
  }

  private func appendTables(_ link: LinkEdit, to file: inout [UInt8]) {
    for word in [
      2, 24, UInt32(contentEnd), UInt32(symbols.count),
      UInt32(contentEnd + link.strings.lowerBound),
      UInt32(link.strings.count),
    ] {
      file.appendLittleEndian(word)
    }
    file.appendLittleEndian(UInt32(0x0B))
    file.appendLittleEndian(UInt32(80))
    for _ in 0..<12 { file.appendLittleEndian(UInt32(0)) }
    file.appendLittleEndian(UInt32(contentEnd + link.indirect.lowerBound))
    file.appendLittleEndian(UInt32(indirectSymbols.count))
    for _ in 0..<4 { file.appendLittleEndian(UInt32(0)) }
  }
}

extension MachOBuilder {
  /// A universal file of several programs, each at a multiple of 64 bytes.
  package static func universal(
    _ programs: [(processor: UInt32, bytes: [UInt8])], isWide: Bool = false
  ) -> [UInt8] {
    var file: [UInt8] = []
    file.appendBigEndian(isWide ? 0xCAFE_BABF : UInt32(0xCAFE_BABE))
    file.appendBigEndian(UInt32(programs.count))
    var offset = (8 + programs.count * (isWide ? 32 : 20) + 63) & ~63
    var content: [UInt8] = []
    for program in programs {
      file.appendBigEndian(program.processor)
      file.appendBigEndian(UInt32(0))
      if isWide {
        file.appendBigEndian(UInt64(offset))
        file.appendBigEndian(UInt64(program.bytes.count))
        file.appendBigEndian(UInt64(6))
      } else {
        for word in [UInt32(offset), UInt32(program.bytes.count), 6] { file.appendBigEndian(word) }
      }
      let padded = (program.bytes.count + 63) & ~63
      content += program.bytes + [UInt8](repeating: 0, count: padded - program.bytes.count)
      offset += padded
    }
    let start = (file.count + 63) & ~63
    return file + [UInt8](repeating: 0, count: start - file.count) + content
  }
}
