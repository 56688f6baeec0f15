package import Bytes

/// What an ELF program tells the loader (System V gABI, chapter 5): hardening, search paths, imports.
package struct ELFProgram: Equatable, Sendable {
  package var file: ELFFile
  /// e_machine by name: `x86_64`, `arm64`, `arm`, `i386`.
  package var processor: String
  /// PT_INTERP: it is started by itself, not only loaded.
  package var hasInterpreter = false
  /// Whether the stack may hold code: PT_GNU_STACK with the execute bit, or no such header.
  package var hasExecutableStack = true
  package var hasReadOnlyRelocations = false
  /// All symbols are bound at start.
  package var bindsAtStart = false
  /// DT_RPATH and DT_RUNPATH, split at colons.
  package var runPaths: [String] = []
  package var libraries: [String] = []
  package var isDynamic = false
  /// Whether every program header is there that the file header counts: what a program that was cut, or a few
  /// lines of a dump, does not show is not missing.
  package var hasAllHeaders = false
  /// DF_1_PIE: a shared object that is a program.
  package var isMarkedPositionIndependent = false

  /// A program (not a library) that the loader may place anywhere.
  package var isPositionIndependent: Bool { file.type == 3 }
  package var isExecutable: Bool {
    file.type == 2 || file.type == 3 && (hasInterpreter || isMarkedPositionIndependent)
  }

  private static let largestHeaderCount = 4_096
  private static let largestDynamicSize = 1 << 20
  private static let largestStrings = 64 << 20

  private struct Header {
    var type: UInt32
    var flags: UInt32
    var offset: Int
    var size: Int
    var address: Int
  }

  package init?(of source: any ByteSource) throws(ReadFailure) {
    let head = try source.bytes(at: 0, count: 64)
    let bytes = unsafe head.span.bytes
    guard let file = ELFFile(bytes), let machine: UInt16 = file.number(bytes, 18) else {
      return nil
    }
    self.file = file
    processor = Self.name(ofMachine: machine)
    let headers = try Self.headers(of: file, head: bytes, in: source)
    let stated: UInt16? = file.number(bytes, file.is64Bit ? 56 : 44)
    hasAllHeaders = stated.map { Int($0) == headers.count } ?? false
    for header in headers {
      switch header.type {
      case 3: hasInterpreter = true
      case 0x6474_E551: hasExecutableStack = header.flags & 1 != 0
      case 0x6474_E552: hasReadOnlyRelocations = true
      default: break
      }
    }
    if let dynamic = headers.first(where: { $0.type == 2 }) {
      isDynamic = true
      try readDynamic(dynamic, headers, in: source)
    }
  }

  private static func name(ofMachine number: UInt16) -> String {
    switch number {
    case 3: "i386"
    case 40: "arm"
    case 62: "x86_64"
    case 183: "arm64"
    case 243: "riscv"
    default: "machine-\(number)"
    }
  }

  /// The program headers: type, flags, offset, addresses, sizes; flags stand later in 32-bit files.
  private static func headers(
    of file: ELFFile, head: RawSpan, in source: any ByteSource
  ) throws(ReadFailure) -> [Header] {
    guard let start = file.wide(head, file.is64Bit ? 32 : 28),
      let entrySize: UInt16 = file.number(head, file.is64Bit ? 54 : 42),
      let count: UInt16 = file.number(head, file.is64Bit ? 56 : 44),
      Int(entrySize) >= (file.is64Bit ? 56 : 32), start < source.byteCount
    else { return [] }
    let wanted = min(Int(count), largestHeaderCount) * Int(entrySize)
    let table = try source.bytes(at: start, count: wanted)
    let bytes = unsafe table.span.bytes
    var headers: [Header] = []
    for index in 0..<table.count / Int(entrySize) {
      let entry = index * Int(entrySize)
      guard let type: UInt32 = file.number(bytes, entry),
        let flags: UInt32 = file.number(bytes, entry + (file.is64Bit ? 4 : 24)),
        let offset = file.wide(bytes, entry + (file.is64Bit ? 8 : 4)),
        let address = file.wide(bytes, entry + (file.is64Bit ? 16 : 8)),
        let size = file.wide(bytes, entry + (file.is64Bit ? 32 : 16))
      else { break }
      headers.append(
        Header(type: type, flags: flags, offset: offset, size: size, address: address))
    }
    return headers
  }

  /// Pairs of tag and value; texts are offsets into the table that DT_STRTAB names by its address.
  private mutating func readDynamic(
    _ dynamic: Header, _ headers: [Header], in source: any ByteSource
  ) throws(ReadFailure) {
    let table = try source.bytes(
      at: dynamic.offset, count: min(dynamic.size, Self.largestDynamicSize))
    let bytes = unsafe table.span.bytes
    let step = file.is64Bit ? 8 : 4
    var texts: [(tag: Int, offset: Int)] = []
    var strings: (address: Int, size: Int) = (0, 0)
    var offset = 0
    while let tag = file.wide(bytes, offset), let value = file.wide(bytes, offset + step), tag != 0
    {
      switch tag {
      case 1, 15, 29: texts.append((tag, value))
      case 5: strings.address = value
      case 10: strings.size = value
      case 24: bindsAtStart = true
      case 30: bindsAtStart = bindsAtStart || value & 8 != 0
      case 0x6FFF_FFFB:
        bindsAtStart = bindsAtStart || value & 1 != 0
        isMarkedPositionIndependent = value & 0x0800_0000 != 0
      default: break
      }
      offset += 2 * step
    }
    guard !texts.isEmpty,
      let home = headers.first(where: {
        $0.type == 1 && strings.address >= $0.address && strings.address - $0.address < $0.size
      }), home.offset <= source.byteCount
    else { return }
    let names = try source.bytes(
      at: home.offset + (strings.address - home.address),
      count: min(strings.size, Self.largestStrings))
    for text in texts {
      guard text.offset < names.count else { continue }
      let stored = names[text.offset...].prefix(4096).prefix { $0 != 0 }
      let name = String(decoding: stored, as: UTF8.self)
      if text.tag == 1 {
        libraries.append(name)
      } else {
        runPaths += name.split(separator: ":").map(String.init)
      }
    }
  }
}
