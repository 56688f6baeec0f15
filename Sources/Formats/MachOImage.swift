import Bytes

/// One program of a Mach-O file: its header and load commands (<mach-o/loader.h>). All ranges are of the
/// whole file; what does not lie in the slice is left out.
package struct MachOImage: Sendable {
  /// A stretch of memory and the bytes of the file that fill it.
  package struct Segment: Equatable, Sendable {
    package var name: String
    package var address: UInt64
    package var size: UInt64
    package var fileRange: Range<Int>
  }

  /// A named part of a segment.
  package struct Section: Equatable, Sendable {
    /// `__TEXT,__cstring`.
    package var name: String
    package var address: UInt64
    package var size: UInt64
    /// Nothing for zero fill.
    package var fileRange: Range<Int>?
    /// Type in the low byte, attributes above.
    package var flags: UInt32
    /// What they mean depends on the type: of stubs, first indirect symbol and size of one.
    package var reserved: (UInt32, UInt32)

    package static func == (one: Section, other: Section) -> Bool {
      one.name == other.name && one.address == other.address && one.size == other.size
        && one.fileRange == other.fileRange && one.flags == other.flags
        && one.reserved == other.reserved
    }

    /// S_SYMBOL_STUBS: jumps to imported functions.
    package var holdsStubs: Bool { flags & 0xFF == 8 }
    /// S_ATTR_PURE_INSTRUCTIONS or S_ATTR_SOME_INSTRUCTIONS.
    package var holdsCode: Bool { flags & 0x8000_0400 != 0 }
  }

  /// A dynamic library it loads.
  package struct Library: Equatable, Sendable {
    package var path: String
    package var isWeak: Bool
  }

  /// LC_BUILD_VERSION, or the older LC_VERSION_MIN_*.
  package struct Build: Equatable, Sendable {
    package var platform: String
    package var minimum: String
    package var sdk: String
  }

  /// LC_SYMTAB: the table of symbols and the text of their names.
  package struct SymbolTable: Equatable, Sendable {
    package var entries: Range<Int>
    package var count: Int
    package var strings: Range<Int>
  }

  package let slice: MachOFile.Slice
  package let layout: MachOLayout
  package var processor: String
  /// MH_OBJECT 1, MH_EXECUTE 2, MH_DYLIB 6, MH_BUNDLE 8, MH_DSYM 10.
  package var fileType: UInt32
  package var flags: UInt32
  package internal(set) var commands: [Command] = []
  package internal(set) var segments: [Segment] = []
  package internal(set) var sections: [Section] = []
  package internal(set) var libraries: [Library] = []
  /// LC_ID_DYLIB: the name others load it by.
  package internal(set) var ownName: String?
  package internal(set) var runPaths: [String] = []
  package internal(set) var build: Build?
  package internal(set) var symbols: SymbolTable?
  /// Numbers of symbols that stubs and pointers stand for (LC_DYSYMTAB).
  package internal(set) var indirectSymbols: Range<Int>?
  /// Encrypted bytes, where LC_ENCRYPTION_INFO names an encryption (`cryptid` is not 0).
  package internal(set) var encrypted: Range<Int>?
  package internal(set) var signature: Range<Int>?
  package internal(set) var chainedFixups: Range<Int>?
  /// Streams of binding opcodes (LC_DYLD_INFO): bind, weak bind, lazy bind.
  package internal(set) var bindings: [Range<Int>] = []
  package internal(set) var identifier: [UInt8]?
  /// Whether the load commands end before they should, or claim what is not there.
  package internal(set) var isDamaged = false

  /// MH_PIE.
  package var isPositionIndependent: Bool { flags & 0x20_0000 != 0 }
  package var isExecutable: Bool { fileType == 2 }

  package func section(_ name: String) -> Section? { sections.first { $0.name == name } }

  /// The place in the file that holds an address.
  package func fileOffset(of address: UInt64) -> Int? {
    for segment in segments where address >= segment.address {
      let distance = address - segment.address
      if distance < UInt64(segment.fileRange.count) {
        return segment.fileRange.lowerBound + Int(distance)
      }
    }
    return nil
  }

  /// The section that holds an address.
  package func section(at address: UInt64) -> Section? {
    sections.first { address >= $0.address && address - $0.address < $0.size }
  }
}

/// Byte order and width of a Mach-O program.
package struct MachOLayout: Equatable, Sendable {
  package var isBigEndian: Bool
  package var is64Bit: Bool

  init?(_ head: RawSpan) {
    switch try? head.integer(at: 0, as: UInt32.self) {
    case 0xFEED_FACE: (isBigEndian, is64Bit) = (true, false)
    case 0xFEED_FACF: (isBigEndian, is64Bit) = (true, true)
    case 0xCEFA_EDFE: (isBigEndian, is64Bit) = (false, false)
    case 0xCFFA_EDFE: (isBigEndian, is64Bit) = (false, true)
    default: return nil
    }
  }

  func half(_ bytes: RawSpan, _ offset: Int) -> UInt16? {
    isBigEndian ? try? bytes.integer(at: offset) : try? bytes.littleEndianInteger(at: offset)
  }

  package func word(_ bytes: RawSpan, _ offset: Int) -> UInt32? {
    isBigEndian ? try? bytes.integer(at: offset) : try? bytes.littleEndianInteger(at: offset)
  }

  func long(_ bytes: RawSpan, _ offset: Int) -> UInt64? {
    isBigEndian ? try? bytes.integer(at: offset) : try? bytes.littleEndianInteger(at: offset)
  }

  /// An address-sized field.
  func wide(_ bytes: RawSpan, _ offset: Int) -> UInt64? {
    is64Bit ? long(bytes, offset) : word(bytes, offset).map { UInt64($0) }
  }
}
