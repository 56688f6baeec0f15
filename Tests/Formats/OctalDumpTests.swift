import Bytes
import Findings
import Formats
import Testing

@Suite struct `Dumps that od prints` {
  private static let bytes = Array("Marisol Quennevik, \u{e9}t\u{e9} 1984\n\0\u{7}end.".utf8)

  private static func pad(_ text: String, _ width: Int, _ filler: String) -> String {
    String(repeating: filler, count: max(0, width - text.utf8.count)) + text
  }

  enum Layout: CaseIterable { case words, bytes, characters, decimals, hexAddresses }

  private static func field(_ byte: UInt8) -> String {
    switch byte {
    case 0: " \\0"
    case 7: " \\a"
    case 10: " \\n"
    case 0x20..<0x7f: "  " + String(Character(Unicode.Scalar(byte)))
    default: pad(String(byte, radix: 8), 3, "0")
    }
  }

  private static func dump(_ bytes: [UInt8], _ layout: Layout) -> String {
    let radix = layout == .hexAddresses ? 16 : 8
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let part = Array(bytes[start..<min(start + 16, bytes.count)])
      let words = stride(from: 0, to: part.count, by: 2).map {
        Int(part[$0]) | ($0 + 1 < part.count ? Int(part[$0 + 1]) << 8 : 0)
      }
      text += pad(String(start, radix: radix), 7, "0")
      switch layout {
      case .words, .hexAddresses:
        text += words.map { " " + pad(String($0, radix: 8), 6, "0") }.joined()
      case .decimals: text += words.map { " " + pad(String($0), 5, " ") }.joined()
      case .bytes: text += part.map { " " + pad(String($0, radix: 8), 3, "0") }.joined()
      case .characters: text += part.map { " " + field($0) }.joined()
      }
      text += "\n"
    }
    return text + pad(String(bytes.count, radix: radix), 7, "0") + "\n"
  }

  private static func parse(_ text: String) -> OctalDump? {
    let bytes = Array(text.utf8)
    guard OctalDump.isLikely(bytes.span.bytes) else { return nil }
    return OctalDump(parsing: bytes.span.bytes)
  }

  @Test(arguments: Layout.allCases) func `give the bytes and where each stands`(
    layout: Layout
  ) throws {
    for count in [1, 2, 15, 16, 17, 32, Self.bytes.count] {
      let part = Array(Self.bytes[..<count])
      let text = Self.dump(part, layout)
      let dump = try #require(Self.parse(text), "\(text)")
      #expect(dump.decoded.bytes == part, "\(text)")
      let range = try #require(dump.decoded.map.range(of: 0..<1))
      #expect(range.offset >= 7 && range.end <= 14)
    }
  }

  @Test func `fill in lines that repeat`() throws {
    let text =
      "0000000 060515 060515 060515 060515 060515 060515 060515 060515\n*\n0000100 000041\n0000101\n"
    let dump = try #require(Self.parse(text))
    let line = Array("MaMaMaMaMaMaMaMa".utf8)
    #expect(dump.decoded.bytes == line + line + line + line + [0x21])
    // What would be more than any dump is worth is not filled in.
    let long = text.replacing("0000100", with: "777777777777000")
    #expect(try #require(Self.parse(long)).decoded.bytes == line)
  }

  @Test(arguments: [
    "0000000 060515 064562\n0000007 060515\n", "0000000 1 2 3\n0000003\n", "0000000\n",
    "0000000 total of 123456\n0000001 next\n", "0000000 999 888\n0000002\n", "00000000: 4d61\n",
    "0000000 060515 064562", "0000001 060515 064562\n0000005\n", "0000000   M   ab  c\n0000003\n",
  ]) func `are not seen in other text`(text: String) {
    #expect(Self.parse(text) == nil)
  }

  @Test(arguments: Layout.allCases) func `cut short anywhere are read as far as they go`(
    layout: Layout
  ) {
    let text = Array(Self.dump(Self.bytes, layout).utf8)
    for count in 0..<text.count {
      let part = Array(text[..<count])
      _ = OctalDump.isLikely(part.span.bytes)
      let read = OctalDump(parsing: part.span.bytes)?.decoded.bytes ?? []
      #expect(read.count <= Self.bytes.count + 1)
    }
  }
}
