import Bytes
import Findings
import FixtureKit
import Formats
import Testing

@Suite struct `Text encoding` {
  private static let chinese = "密码是：你好，世界。\n第二行有更多的汉字，还有 secret 在里面。\n"
  private static let english = "The password is hunter2.\nA second line, just as dull.\n"

  private func judge(_ bytes: [UInt8]) -> TextSignature? {
    TextSignature(judging: bytes.span.bytes)
  }

  private func decode(_ bytes: [UInt8], _ encoding: TextEncoding) -> String {
    encoding.decode(bytes.span.bytes).text.text
  }

  static func encoded(_ text: String, _ encoding: TextEncoding) -> [UInt8] {
    switch encoding {
    case .utf8, .gb18030, .latin1: Array(text.utf8)
    case .utf16LittleEndian: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    case .utf32LittleEndian:
      text.unicodeScalars.flatMap { scalar in
        (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * $0)) }
      }
    case .utf32BigEndian:
      text.unicodeScalars.flatMap { scalar in
        (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (24 - 8 * $0)) }
      }
    }
  }

  /// 你好，世界。中文测试
  private static let gb18030: [UInt8] = [
    0xC4, 0xE3, 0xBA, 0xC3, 0xA3, 0xAC, 0xCA, 0xC0, 0xBD, 0xE7, 0xA1, 0xA3, 0xD6, 0xD0, 0xCE, 0xC4,
    0xB2, 0xE2, 0xCA, 0xD4,
  ]

  @Test(
    arguments: [
      TextEncoding.utf8, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian, .utf32BigEndian,
    ], [Self.chinese, Self.english])
  func `text without a mark is recognised and decoded`(encoding: TextEncoding, text: String) throws
  {
    let bytes = Self.encoded(text, encoding)
    let judged = TextSignature(judging: bytes.span.bytes)
    #expect(judged == TextSignature(encoding: encoding, markSize: 0))
    #expect(decode(bytes, encoding) == text)
  }

  @Test(arguments: [TextEncoding.utf16LittleEndian, .utf16BigEndian, .utf32BigEndian, .utf8])
  func `a byte order mark decides`(encoding: TextEncoding) {
    let bytes = Self.encoded("\u{FEFF}x", encoding)
    let judged = TextSignature(judging: bytes.span.bytes)
    #expect(judged?.encoding == encoding)
    #expect(judged?.markSize == bytes.count - Self.encoded("x", encoding).count)
  }

  @Test func `GB18030 is recognised, decoded and mapped`() throws {
    let bytes =
      Self.gb18030 + Array(" key=abc ".utf8) + [0x81, 0x30, 0x81, 0x30, 0x90, 0x30, 0x81, 0x30]
    #expect(judge(Self.gb18030 + Array(" key=abc\n".utf8))?.encoding == .gb18030)
    let text = TextEncoding.gb18030.decode(bytes.span.bytes).text
    #expect(text.text == "你好，世界。中文测试 key=abc \u{80}\u{10000}")
    let range = try #require(text.map.range(of: 3..<6))
    #expect(range == ByteRange(offset: 2, length: 2))
  }

  @Test func `Latin-1 is what is left for text with few high bytes`() {
    let bytes =
      Array("Gr".utf8) + [0xFC, 0xDF] + Array("e aus K".utf8) + [0xF6] + Array("ln \n".utf8)
    #expect(judge(bytes)?.encoding == .latin1)
    #expect(decode(bytes, .latin1) == "Grüße aus Köln \n")
  }

  @Test func `random bytes and binary formats are no text`() {
    var random = SplitMix(seed: 4096)
    for _ in 0..<200 {
      #expect(judge(random.bytes(4096)) == nil)
    }
    let table: [UInt8] = (0..<1024).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8), 0, 0] as [UInt8] }
    let zeros = [UInt8](repeating: 0, count: 4096)
    for bytes in [table, zeros] {
      #expect(judge(bytes) == nil)
    }
  }

  @Test(arguments: TextEncoding.allCases)
  func `a text cut anywhere decodes up to the cut`(encoding: TextEncoding) {
    let bytes = encoding == .gb18030 ? Self.gb18030 : Self.encoded("aé中😀z", encoding)
    for length in 0...bytes.count {
      let part = Array(bytes[..<length])
      let (text, consumed) = encoding.decode(part.span.bytes, isLast: false)
      #expect(consumed <= length && length - consumed < 4)
      #expect(text.map.decodedCount == text.bytes.count)
      if encoding != .latin1 { #expect(!text.text.contains("\u{FFFD}")) }
      _ = encoding.decode(part.span.bytes, isLast: true)
    }
  }

  @Test func `broken units become replacement characters`() {
    let lone: [UInt8] = [0x00, 0xD8, 0x41, 0x00]
    #expect(decode(lone, .utf16LittleEndian) == "\u{FFFD}A")
    let beyond: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
    #expect(decode(beyond, .utf32LittleEndian) == "\u{FFFD}")
  }
}
