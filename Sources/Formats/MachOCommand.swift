import Bytes

extension MachOImage {
  /// A load command: what the system is told to do with the program (<mach-o/loader.h>).
  package struct Command: Equatable, Sendable {
    /// LC_*, with the bit that says an old system must not run what it does not know.
    package var number: UInt32
    /// Where it lies in the file.
    package var range: Range<Int>
    /// The path or name that it holds.
    package var text: String?

    /// Its name in the header file, without `LC_`; a number where it has none there.
    package var name: String {
      let names = [
        0x01: "SEGMENT", 0x02: "SYMTAB", 0x03: "SYMSEG", 0x04: "THREAD", 0x05: "UNIXTHREAD",
        0x0B: "DYSYMTAB", 0x0C: "LOAD_DYLIB", 0x0D: "ID_DYLIB", 0x0E: "LOAD_DYLINKER",
        0x0F: "ID_DYLINKER", 0x10: "PREBOUND_DYLIB", 0x11: "ROUTINES", 0x12: "SUB_FRAMEWORK",
        0x13: "SUB_UMBRELLA", 0x14: "SUB_CLIENT", 0x15: "SUB_LIBRARY", 0x16: "TWOLEVEL_HINTS",
        0x18: "LOAD_WEAK_DYLIB", 0x19: "SEGMENT_64", 0x1A: "ROUTINES_64", 0x1B: "UUID",
        0x1C: "RPATH", 0x1D: "CODE_SIGNATURE", 0x1E: "SEGMENT_SPLIT_INFO", 0x1F: "REEXPORT_DYLIB",
        0x20: "LAZY_LOAD_DYLIB", 0x21: "ENCRYPTION_INFO", 0x22: "DYLD_INFO",
        0x23: "LOAD_UPWARD_DYLIB", 0x24: "VERSION_MIN_MACOSX", 0x25: "VERSION_MIN_IPHONEOS",
        0x26: "FUNCTION_STARTS", 0x27: "DYLD_ENVIRONMENT", 0x28: "MAIN", 0x29: "DATA_IN_CODE",
        0x2A: "SOURCE_VERSION", 0x2B: "DYLIB_CODE_SIGN_DRS", 0x2C: "ENCRYPTION_INFO_64",
        0x2D: "LINKER_OPTION", 0x2E: "LINKER_OPTIMIZATION_HINT", 0x2F: "VERSION_MIN_TVOS",
        0x30: "VERSION_MIN_WATCHOS", 0x31: "NOTE", 0x32: "BUILD_VERSION",
        0x33: "DYLD_EXPORTS_TRIE", 0x34: "DYLD_CHAINED_FIXUPS", 0x35: "FILESET_ENTRY",
        0x36: "ATOM_INFO",
      ]
      return names[Int(number & 0x7FFF_FFFF)] ?? "0x" + String(number, radix: 16)
    }

    /// Whether its text is the name of a segment, in a field of 16 bytes.
    static func namesSegment(_ number: UInt32) -> Bool { number == 1 || number == 0x19 }

    /// Whether its text is a path, behind an offset.
    static func holdsPath(_ number: UInt32) -> Bool {
      [
        0x0C, 0x0D, 0x0E, 0x0F, 0x12, 0x13, 0x14, 0x15, 0x18, 0x1C, 0x1F, 0x20, 0x23, 0x27,
      ].contains(number & 0x7FFF_FFFF)
    }
  }
}
