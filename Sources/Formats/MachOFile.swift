package import Bytes

/// The sections of a Mach-O file, of every slice of a universal one (<mach-o/loader.h>, <mach-o/fat.h>).
package enum MachOFile {
  private static let largestSliceCount = 64
  private static let largestCommandSize = 16 << 20
  private static let largestSectionCount = 100_000

  /// Whether the bytes start like a thin or universal Mach-O file. Java classes share the universal
  /// magic; where they have a version (45 and up) the other has a small count.
  package static func isMachO(_ head: RawSpan) -> Bool {
    guard let magic = try? head.integer(at: 0, as: UInt32.self) else { return false }
    switch magic {
    case 0xFEED_FACE, 0xFEED_FACF, 0xCEFA_EDFE, 0xCFFA_EDFE: return true
    case 0xCAFE_BABE, 0xCAFE_BABF:
      guard let count = try? head.integer(at: 4, as: UInt32.self) else { return false }
      return count > 0 && count < 43
    default: return false
    }
  }

  /// All sections, sorted by where they start; what does not lie in the file is left out.
  package static func sections(
    of source: any ByteSource
  ) throws(ReadFailure) -> [BinarySection] {
    var sections: [BinarySection] = []
    for slice in try slices(of: source) {
      try readSlice(slice, of: source, into: &sections)
    }
    return sections.sorted { ($0.range.lowerBound, $0.name) < ($1.range.lowerBound, $1.name) }
  }

  /// The first offset behind everything that the headers speak of: slices of a universal file, segments
  /// of a thin one.
  static func end(of source: any ByteSource) throws(ReadFailure) -> Int? {
    let slices = try slices(of: source)
    guard let first = slices.first else { return nil }
    if first.processor != nil { return slices.map(\.range.upperBound).max() }
    var end = 0
    try readCommands(of: first, in: source) { command, number, shape in
      let is64Bit = number == 0x19
      guard is64Bit || number == 1,
        let offset = is64Bit ? shape.long(command, 40) : shape.word(command, 32).map(Int.init),
        let size = is64Bit ? shape.long(command, 48) : shape.word(command, 36).map(Int.init),
        offset >= 0, size >= 0, offset <= source.byteCount, size <= source.byteCount - offset
      else { return }
      end = max(end, offset + size)
    }
    return end
  }

  /// One program in the file.
  private struct Slice {
    var range: Range<Int>
    var processor: String?
  }

  /// fat_arch: processor, subtype, offset, size, alignment; 64-bit offsets after the second magic.
  private static func slices(of source: any ByteSource) throws(ReadFailure) -> [Slice] {
    let whole = Slice(range: 0..<source.byteCount, processor: nil)
    let head = try source.bytes(at: 0, count: 8 + largestSliceCount * 32)
    let bytes = unsafe head.span.bytes
    let magic = try? bytes.integer(at: 0, as: UInt32.self)
    guard magic == 0xCAFE_BABE || magic == 0xCAFE_BABF,
      let count = try? bytes.integer(at: 4, as: UInt32.self)
    else { return [whole] }
    let isWide = magic == 0xCAFE_BABF
    var slices: [Slice] = []
    for index in 0..<min(Int(count), largestSliceCount) {
      let entry = 8 + index * (isWide ? 32 : 20)
      guard let processor = try? bytes.integer(at: entry, as: UInt32.self),
        let offset = number(in: bytes, at: entry + 8, isWide: isWide),
        let size = number(in: bytes, at: entry + (isWide ? 16 : 12), isWide: isWide),
        offset <= source.byteCount, size <= source.byteCount - offset
      else { continue }
      slices.append(Slice(range: offset..<offset + size, processor: name(ofProcessor: processor)))
    }
    return slices
  }

  private static func number(in bytes: RawSpan, at offset: Int, isWide: Bool) -> Int? {
    if isWide {
      return (try? bytes.integer(at: offset, as: UInt64.self)).flatMap { Int(exactly: $0) }
    }
    return (try? bytes.integer(at: offset, as: UInt32.self)).map { Int($0) }
  }

  private static func name(ofProcessor number: UInt32) -> String {
    switch number {
    case 7: "i386"
    case 0x0100_0007: "x86_64"
    case 12: "arm"
    case 0x0100_000C: "arm64"
    case 0x0200_000C: "arm64_32"
    default: "cpu-\(number)"
    }
  }

  /// mach_header: magic, processor, subtype, file type, number of commands, their size, flags (and four
  /// reserved bytes in 64-bit files); the commands follow.
  private static func readSlice(
    _ slice: Slice, of source: any ByteSource, into sections: inout [BinarySection]
  ) throws(ReadFailure) {
    try readCommands(of: slice, in: source) { command, number, shape in
      // LC_SEGMENT and LC_SEGMENT_64.
      if number == 1 || number == 0x19 {
        readSegment(command, is64Bit: number == 0x19, shape, slice, into: &sections)
      }
    }
  }

  private static func readCommands(
    of slice: Slice, in source: any ByteSource, _ body: (RawSpan, UInt32, Shape) -> Void
  ) throws(ReadFailure) {
    let head = try source.bytes(at: slice.range.lowerBound, count: min(32, slice.range.count))
    guard let shape = Shape(unsafe head.span.bytes),
      let count = shape.word(unsafe head.span.bytes, 16),
      let size = shape.word(unsafe head.span.bytes, 20)
    else { return }
    let headerSize = shape.is64Bit ? 32 : 28
    let room = min(Int(size), slice.range.count - headerSize, largestCommandSize)
    guard room > 0 else { return }
    let commands = try source.bytes(at: slice.range.lowerBound + headerSize, count: room)
    var offset = 0
    for _ in 0..<min(Int(count), room / 8) {
      guard let command = shape.word(unsafe commands.span.bytes, offset),
        let size = shape.word(unsafe commands.span.bytes, offset + 4), size >= 8,
        Int(size) <= commands.count - offset
      else { return }
      body(
        unsafe commands.span.bytes.clamped(to: offset..<offset + Int(size)), command, shape)
      offset += Int(size)
    }
  }

  /// segment_command: command, size, name, addresses, file range, protections, section count, flags;
  /// then the sections: section name, segment name, address, size, offset and more.
  private static func readSegment(
    _ command: RawSpan, is64Bit: Bool, _ shape: Shape, _ slice: Slice,
    into sections: inout [BinarySection]
  ) {
    guard let count = shape.word(command, is64Bit ? 64 : 48) else { return }
    let entrySize = is64Bit ? 80 : 68
    var entry = is64Bit ? 72 : 56
    for _ in 0..<min(Int(count), command.byteCount / entrySize) {
      defer { entry += entrySize }
      guard sections.count < largestSectionCount,
        let section = text(command, entry), let segment = text(command, entry + 16),
        let size = is64Bit
          ? shape.long(command, entry + 40) : shape.word(command, entry + 36).map(Int.init),
        let offset = shape.word(command, entry + (is64Bit ? 48 : 40)).map(Int.init)
      else { return }
      // Sections without bytes in the file (zero fill) have no offset.
      guard offset > 0, size > 0, offset <= slice.range.count, size <= slice.range.count - offset
      else { continue }
      let start = slice.range.lowerBound + offset
      sections.append(
        BinarySection(
          name: "\(segment),\(section)", slice: slice.processor, range: start..<start + size))
    }
  }

  private static func text(_ bytes: RawSpan, _ offset: Int) -> String? {
    guard let field = try? bytes.bytes(at: offset, count: 16) else { return nil }
    var count = 0
    while count < 16, field[at: count] != 0 { count += 1 }
    return field.clamped(to: 0..<count).repairedText()
  }

  /// Byte order and width.
  private struct Shape {
    var isBigEndian: Bool
    var is64Bit: Bool

    init?(_ head: RawSpan) {
      switch try? head.integer(at: 0, as: UInt32.self) {
      case 0xFEED_FACE: self.init(isBigEndian: true, is64Bit: false)
      case 0xFEED_FACF: self.init(isBigEndian: true, is64Bit: true)
      case 0xCEFA_EDFE: self.init(isBigEndian: false, is64Bit: false)
      case 0xCFFA_EDFE: self.init(isBigEndian: false, is64Bit: true)
      default: return nil
      }
    }

    private init(isBigEndian: Bool, is64Bit: Bool) {
      self.isBigEndian = isBigEndian
      self.is64Bit = is64Bit
    }

    func word(_ bytes: RawSpan, _ offset: Int) -> UInt32? {
      isBigEndian ? try? bytes.integer(at: offset) : try? bytes.littleEndianInteger(at: offset)
    }

    func long(_ bytes: RawSpan, _ offset: Int) -> Int? {
      let value: UInt64? =
        isBigEndian ? try? bytes.integer(at: offset) : try? bytes.littleEndianInteger(at: offset)
      return value.flatMap { Int(exactly: $0) }
    }
  }
}
