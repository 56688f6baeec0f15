import Bytes
import FixtureKit
import Formats
import Testing

@Suite struct `Mach-O programs` {
  private static var program: MachOBuilder {
    var builder = MachOBuilder()
    builder.sections = [
      .init("__TEXT", "__text", [0xC0, 3, 0x5F, 0xD6], flags: MachOBuilder.code),
      .init(
        "__TEXT", "__stubs", [UInt8](repeating: 0, count: 24), flags: MachOBuilder.stubs,
        reserved: (0, 12)),
      .init("__TEXT", "__cstring", Array("first\0second\0".utf8)),
      .init("__DATA", "__data", [1, 2, 3]),
    ]
    builder.symbols = [
      .imported("_CCCrypt"), .imported("_CC_MD5"), .init("_main", type: 0x0F, section: 1),
      .init("/Users/somebody/project/main.o", type: 0x66),
    ]
    builder.indirectSymbols = [0, 1]
    builder.libraries = ["/usr/lib/libSystem.B.dylib"]
    builder.runPaths = ["@executable_path/Frameworks", "/opt/somewhere"]
    builder.fixups = ["_objc_release"]
    return builder
  }

  private func image(of builder: MachOBuilder) throws -> MachOImage {
    try #require(try MachOFile.images(of: MemorySource(builder.bytes())).first)
  }

  @Test func `load commands say how the program is laid out and what it loads`() throws {
    let image = try image(of: Self.program)
    #expect(image.processor == "arm64")
    #expect(image.isExecutable && image.isPositionIndependent)
    #expect(image.segments.map(\.name) == ["__TEXT", "__DATA", "__LINKEDIT"])
    #expect(
      image.sections.map(\.name) == [
        "__TEXT,__text", "__TEXT,__stubs", "__TEXT,__cstring", "__DATA,__data",
      ])
    #expect(image.libraries.map(\.path) == ["/usr/lib/libSystem.B.dylib"])
    let commands = image.commands
    #expect(commands.first?.name == "SEGMENT_64" && commands.first?.text == "__TEXT")
    #expect(commands.first?.range.lowerBound == 32)
    #expect(
      zip(commands, commands.dropFirst()).allSatisfy { $0.range.upperBound == $1.range.lowerBound })
    #expect(commands.first { $0.name == "LOAD_DYLIB" }?.text == "/usr/lib/libSystem.B.dylib")
    #expect(commands.first { $0.name == "BUILD_VERSION" }?.range.count == 24)
    #expect(image.runPaths == ["@executable_path/Frameworks", "/opt/somewhere"])
    #expect(image.build?.platform == "ios")
    #expect(image.build?.minimum == "17.0" && image.build?.sdk == "18.0")
    #expect(image.encrypted == nil && image.signature == nil && !image.isDamaged)
    let address = Self.program.address(of: "__cstring")
    #expect(image.fileOffset(of: address) == Self.program.offset(of: "__cstring"))
    #expect(image.section(at: address)?.name == "__TEXT,__cstring")
  }

  @Test func `imports come from the symbol table and from fixups, stubs have their names`() throws {
    let builder = Self.program
    let source = MemorySource(builder.bytes())
    let image = try image(of: builder)
    let symbols = try MachOSymbols(image, of: source)
    #expect(symbols.imports() == ["_CCCrypt", "_CC_MD5", "_objc_release"])
    let stubs = builder.address(of: "__stubs")
    #expect(symbols.stubs(of: image) == [stubs: "_CCCrypt", stubs + 12: "_CC_MD5"])
    #expect((0..<symbols.count).compactMap { symbols[$0] }.filter(\.isObjectFile).count == 1)
  }

  @Test func `an encrypted program says which bytes are`() throws {
    var builder = Self.program
    builder.encryption = 1
    #expect(try image(of: builder).encrypted?.count == 16)
    builder.encryption = 0
    #expect(try image(of: builder).encrypted == nil)
  }

  @Test(arguments: [false, true])
  func `a universal file holds a program for each processor`(isWide: Bool) throws {
    var intel = Self.program
    intel.processor = 0x0100_0007
    let file = MachOBuilder.universal(
      [(0x0100_000C, Self.program.bytes()), (0x0100_0007, intel.bytes())], isWide: isWide)
    let images = try MachOFile.images(of: MemorySource(file))
    #expect(images.map(\.processor) == ["arm64", "x86_64"])
    for image in images {
      let text = try #require(image.section("__TEXT,__cstring")?.fileRange)
      #expect(Array(file[text].prefix(5)) == Array("first".utf8))
      let symbols = try MachOSymbols(image, of: MemorySource(file))
      #expect(symbols.imports().contains("_CC_MD5"))
    }
  }

  @Test func `a count of commands that cannot be is damage, not work`() throws {
    var builder = Self.program
    builder.claimedCommands = .max
    let image = try image(of: builder)
    #expect(image.isDamaged)
    #expect(image.sections.count == 4)
  }

  @Test func `a program cut anywhere or with any bit turned is survived`() throws {
    let whole = Self.program.bytes()
    func read(_ bytes: [UInt8]) throws {
      let source = MemorySource(bytes)
      for image in try MachOFile.images(of: source) {
        let symbols = try MachOSymbols(image, of: source)
        _ = (symbols.imports(), symbols.stubs(of: image))
        var code = CodeReading()
        for section in image.sections {
          try code.readARM64(section, of: source, functions: [:], findsStrings: true)
        }
      }
    }
    for length in 0..<whole.count { try read(Array(whole.prefix(length))) }
    for bit in stride(from: 0, to: whole.count * 8, by: 3) {
      var damaged = whole
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      try read(damaged)
    }
  }
}
