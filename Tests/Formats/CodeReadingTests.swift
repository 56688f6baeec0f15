import Bytes
import FixtureKit
import Formats
import Testing

@Suite struct `Texts that stand only in instructions` {
  private func arm64(_ code: ARM64Assembler) throws -> [String] {
    var reading = CodeReading()
    try reading.readARM64(
      0..<code.bytes.count, address: 0x1000, of: MemorySource(code.bytes), functions: [:],
      findsStrings: true)
    return reading.strings.map { String(decoding: $0.text, as: UTF8.self) }
  }

  @Test(arguments: [
    "pin", "token", "Shanghai", "1984-03-17", "hunter2-secret!", "上海市浦东", "Überlänge", "aaaaaaaa",
  ])
  func `are put together on arm64`(text: String) throws {
    var code = ARM64Assembler()
    code.add(0xD503_201F)
    code.pass(text)
    #expect(!code.bytes.starts(with: Array(text.utf8)))
    #expect(try arm64(code) == [text])
  }

  @Test func `are told apart where many follow each other`() throws {
    var code = ARM64Assembler()
    for (register, text) in [(UInt32(0), "first-name"), (2, "last-name"), (4, "birth date")] {
      code.pass(text, in: register)
    }
    #expect(try arm64(code) == ["first-name", "last-name", "birth date"])
  }

  @Test func `share a second word that code kept in a register`() throws {
    var code = ARM64Assembler()
    code.pass("orchid")
    for _ in 0..<200 { code.add(0xD503_201F) }
    code.move(ARM64Assembler.words(of: "quokka").0, to: 9)
    #expect(try arm64(code) == ["orchid", "quokka"])
  }

  @Test func `are found across the border of two pieces`() throws {
    var code = ARM64Assembler()
    // Pieces are 256 KiB: the constants lie on both sides of the border.
    for _ in 0..<(1 << 16) - 3 { code.add(0xD503_201F) }
    code.pass("on the border")
    #expect(try arm64(code) == ["on the border"])
  }

  @Test func `are not made of constants that are no text`() throws {
    var code = ARM64Assembler()
    // A count of 5 with bytes that are no UTF-8, a text that claims to be longer, an empty one.
    code.move(0xFF_FE_FD_FC_FB, to: 0)
    code.move(0xE5 << 56, to: 1)
    code.add(0xD65F_03C0)
    code.move(0x6161, to: 3)
    code.move(0xEF00_0000_0000_0000, to: 4)
    code.move(0xE000_0000_0000_0000, to: 5)
    #expect(try arm64(code).isEmpty)
  }

  @Test(arguments: ["hunter2-secret!", "上海市浦东", "abc", "Shanghai"])
  func `are put together on x86-64`(text: String) throws {
    let words = ARM64Assembler.words(of: text)
    var code: [UInt8] = [0x55, 0x48, 0x89, 0xE5]
    // movabs rdi, first (or mov edi, where it fits); movabs rsi, second.
    if words.0 <= UInt64(UInt32.max) {
      code += [0xBF]
      code.appendLittleEndian(UInt32(words.0))
    } else {
      code += [0x48, 0xBF]
      code.appendLittleEndian(words.0)
    }
    code += [0x48, 0xBE]
    code.appendLittleEndian(words.1)
    code += [0xE8, 0, 0, 0, 0, 0xC3]
    var reading = CodeReading()
    try reading.readX86(0..<code.count, of: MemorySource(code))
    #expect(reading.strings.map { String(decoding: $0.text, as: UTF8.self) } == [text])
    let span = try #require(reading.strings.first?.span)
    #expect(span.lowerBound >= 4 && span.upperBound < code.count)
  }

  @Test func `calls show the arguments that are constants`() throws {
    let stub: UInt64 = 0x9000
    var code = ARM64Assembler()
    code.move(0, to: 0)
    code.move(2, to: 1)
    code.move(3, to: 2)
    code.loadAddress(0x8010, to: 3, at: 0x1000)
    code.add(0xF940_03E4)  // ldr x4, [sp]
    code.move(0, to: 5)
    code.call(stub, at: 0x1000)
    code.call(stub, at: 0x1000)
    var reading = CodeReading()
    try reading.readARM64(
      0..<code.bytes.count, address: 0x1000, of: MemorySource(code.bytes),
      functions: [stub: "_CCCrypt"], findsStrings: false)
    #expect(reading.calls.count == 2)
    #expect(reading.calls[0].arguments == [0, 2, 3, 0x8010, nil, 0, nil, nil])
    // What a function leaves in its argument registers is not known.
    #expect(reading.calls[1].arguments == [UInt64?](repeating: nil, count: 8))
  }
}
