import Artifacts
import Bytes
import Findings
import FixtureKit
import Testing

@Suite struct `Programs of Apple systems` {
  /// A Swift program with a text in instructions, a call of a broken cipher, a build path and a
  /// development signature.
  static func program(_ change: (inout MachOBuilder) -> Void = { _ in }) -> [UInt8] {
    var builder = MachOBuilder()
    builder.sections = [
      .init("__TEXT", "__text", [UInt8](repeating: 0, count: 256), flags: MachOBuilder.code),
      .init(
        "__TEXT", "__stubs", [UInt8](repeating: 0, count: 12), flags: MachOBuilder.stubs,
        reserved: (0, 12)),
      .init("__TEXT", "__cstring", Array("/Users/orchid/tidal/Login.swift\0plain\0".utf8)),
      .init(
        "__TEXT", "__ustring",
        Array("生日".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }) + [0, 0]),
      .init("__TEXT", "__const", Array("0123456789abcdef".utf8)),
      .init("__TEXT", "__swift5_reflstr", Array("birthDate\0".utf8)),
      .init("__TEXT", "__objc_methname", Array("login:\0".utf8)),
    ]
    builder.symbols = [
      .imported("_CCCrypt"), .imported("_swift_release"),
      .init("_login", type: 0x0E, section: 1, value: builder.address(of: "__text")),
    ]
    builder.indirectSymbols = [0]
    var signer = CodeSignatureBuilder()
    signer.entitlements = """
      <plist version="1.0"><dict><key>get-task-allow</key><true/><key>keychain-access-groups</key>\
      <array><string>TEAM.*</string><string>TEAM.shared</string></array></dict></plist>
      """
    builder.signer = signer
    change(&builder)
    // The layout is final: now the code can name addresses.
    let address = builder.address(of: "__text")
    builder.symbols[2].value = address
    var code = ARM64Assembler()
    code.pass("harbour-light")
    code.move(0, to: 0)
    code.move(1, to: 1)
    code.move(3, to: 2)
    code.loadAddress(builder.address(of: "__const"), to: 3, at: address)
    code.move(8, to: 4)
    code.move(0, to: 5)
    code.call(builder.address(of: "__stubs"), at: address)
    builder.sections[0].content.replaceSubrange(0..<code.bytes.count, with: code.bytes)
    return builder.bytes()
  }

  private func facts(_ change: (inout MachOBuilder) -> Void = { _ in }) -> StatementSink {
    StatementSink.reading(Self.program(change), name: "Tidal")
  }

  @Test func `hand on what stands only in instructions, with section and symbol`() throws {
    let file = Self.program()
    let sink = StatementSink.reading(file, name: "Tidal")
    #expect(!file.contains("harbour-light"))
    let fragment = try #require(sink.fragments.first { $0.text == "harbour-light" })
    #expect(fragment.place.context.section == "__TEXT,__text")
    #expect(fragment.place.context.symbol == "_login")
    let range = try #require(fragment.place.origin.ranges(of: 0..<13).first)
    // The four instructions that end with the last part of each constant.
    #expect(range.length > 4 && range.length <= 32)
    #expect(sink[.string, "harbour-light"]?["from"] == ["immediate"])
  }

  @Test func `state their texts by section`() {
    let sink = facts()
    #expect(sink[.string, "birthDate"]?["section"] == ["__swift5_reflstr"])
    #expect(sink[.string, "生日"]?["section"] == ["__ustring"])
    #expect(sink[.string, "plain"]?["section"] == ["__cstring"])
    #expect(sink[.string, "login:"]?["section"] == ["__objc_methname"])
  }

  @Test func `state calls with arguments in the words of source`() throws {
    let call = try #require(facts()[.binary, "call.CCCrypt"])
    #expect(call["0"] == ["kCCEncrypt"])
    #expect(call["1"] == ["kCCAlgorithmDES"])
    #expect(call["2"] == ["kCCOptionPKCS7Padding", "kCCOptionECBMode"])
    #expect(call["3.kind"] == ["constant"])
    #expect(call["5"] == ["nil"])
  }

  @Test func `state flags, imports, entitlements and who built them`() {
    let sink = facts()
    #expect(sink[.binary, "pie"]?["value"] == ["true"])
    #expect(sink[.binary, "stack-canary"]?["value"] == ["false"])
    #expect(sink[.binary, "arc"]?["value"] == ["true"])
    #expect(sink[.binary, "minimum-os"]?["value"] == ["17.0"])
    #expect(sink[.binary, "build-path"]?["user"] == ["orchid"])
    #expect(sink[.binary, "signature"]?["value"] == ["ad-hoc"])
    #expect(sink[.binary, "signed-pages"]?["value"] == ["match"])
    #expect(sink[.binary, "entitlement-forms"]?["value"] == ["xml"])
    #expect(sink[.binary, "entitlement-hash"]?["value"] == ["matches"])
    #expect(sink[.entitlement, "get-task-allow"]?["value"] == ["true"])
    #expect(sink[.entitlement, "keychain-access-groups"]?["value"] == ["TEAM.*", "TEAM.shared"])
    #expect(sink.names(.symbol) == ["_CCCrypt", "_swift_release"])
    #expect(sink.codes.isEmpty)
  }

  @Test func `that are encrypted say so and are not read for texts in code`() {
    let sink = facts { $0.encryption = 1 }
    #expect(sink[.binary, "encrypted"]?["value"] == ["true"])
    #expect(sink.fragments.isEmpty && sink.names(.string).isEmpty)
    #expect(sink.missed == [.string])
    #expect(!sink.names(.binary).contains { $0.hasPrefix("call.") })
  }

  @Test func `without Swift are not read for Swift's texts`() {
    let sink = facts { builder in builder.sections.removeAll { $0.name == "__swift5_reflstr" } }
    #expect(sink.fragments.isEmpty)
    #expect(sink[.binary, "call.CCCrypt"] != nil)
  }

  @Test func `are not asked for facts that nobody wants`() {
    let record = FragmentRecord.reading(Self.program(), with: MachOReader())
    #expect(record.fragments.map(\.text) == ["harbour-light"])
  }

  @Test func `name the section of any of their bytes`() throws {
    let file = Self.program()
    var sink = RecordingSink()
    let places = try #require(
      MachOReader().readKeepingPlaces(
        ReaderInput(source: MemorySource(file), name: "", touched: .everything), into: &sink))
    let offset = try #require(
      (0..<file.count - 5).first { Array(file[$0..<$0 + 5]) == Array("plain".utf8) })
    let place = try #require(places.place(of: offset..<offset + 5))
    #expect(place.steps == ["section", "__TEXT,__cstring"])
    #expect(place.context.section == "__TEXT,__cstring")
    #expect(places.place(of: 0..<4) == nil)
  }

  @Test func `cut anywhere or with any byte turned are survived`() {
    let whole = Self.program()
    for length in stride(from: 0, to: whole.count, by: 7) {
      _ = StatementSink.reading(Array(whole.prefix(length)), name: "Tidal")
    }
    for offset in stride(from: 0, to: min(whole.count, 2_400), by: 3) {
      var damaged = whole
      damaged[offset] ^= 0xFF
      _ = StatementSink.reading(damaged, name: "Tidal")
    }
  }

  @Test func `with sections on top of each other are survived`() {
    let sink = facts { builder in
      for index in builder.sections.indices { builder.sections[index].content += [0] }
      builder.claimedCommands = 0xFFFF_FFFF
    }
    #expect(sink.codes == [.formatDamaged])
  }

  /// Every section of a program is said to be all of it.
  @Test(arguments: ["__cstring", "__ustring", "__text", "__swift5_reflstr"])
  func `with many sections that are each the whole program are read once`(name: String) throws {
    var builder = MachOBuilder()
    let flags = name == "__text" ? MachOBuilder.code : 0
    builder.sections = (0..<400).map { _ in .init("__TEXT", name, [], flags: flags) }
    builder.sections.append(.init("__DATA", "__zero", [UInt8](repeating: 0, count: 1 << 20)))
    var file = builder.bytes()
    let start = builder.offset(of: "__zero")
    file.replaceSubrange(start..<start + 12, with: Array("harbour one\0".utf8))
    // Size and offset of each section: behind the header and the first segment command.
    for index in 0..<400 {
      let entry = 32 + 72 + index * 80
      file.store(UInt64(1 << 20), at: entry + 40)
      file.store(UInt32(start), at: entry + 48)
    }
    let clock = ContinuousClock()
    var sink = StatementSink()
    let took = clock.measure { sink = StatementSink.reading(file, name: "Tidal") }
    #expect(sink.names(.string).filter { $0 == "harbour one" }.count <= 1)
    // 400 MiB byte by byte take minutes.
    #expect(took < .seconds(60))
  }

  @Test func `that are each other's slices are survived`() throws {
    let program = Self.program()
    var file: [UInt8] = []
    for word: UInt32 in [0xCAFE_BABE, 40] { file.appendBigEndian(word) }
    for index: UInt32 in 0..<40 {
      // Half of them lie on the program, half on the file itself.
      for word: UInt32 in [
        0x0100_000C, index, index < 20 ? 4_096 : 0, UInt32(program.count), 12,
      ] {
        file.appendBigEndian(word)
      }
    }
    file += [UInt8](repeating: 0, count: 4_096 - file.count) + program
    let sink = StatementSink.reading(file, name: "Tidal")
    #expect(sink[.binary, "pie"]?["value"] == ["true"])
  }
}

extension [UInt8] {
  fileprivate mutating func store(_ value: some FixedWidthInteger, at offset: Int) {
    for index in 0..<value.bitWidth / 8 {
      self[offset + index] = UInt8(truncatingIfNeeded: value >> (index * 8))
    }
  }
}
