import Bytes
import Formats
import Testing

@Suite struct `LZ4 blocks` {
  private func decode(_ block: [UInt8], limit: Int = 1000) -> (text: String, isSound: Bool) {
    let decoded = LZ4Block.decode(block.span.bytes, limit: limit)
    return (String(decoding: decoded.content, as: UTF8.self), decoded.isSound)
  }

  @Test func `a copy may overlap itself`() {
    let block: [UInt8] = [0x35, 0x61, 0x62, 0x63, 3, 0, 0x10, 0x21]
    #expect(decode(block).text == "abcabcabcabc!")
    #expect(decode(block).isSound)
  }

  @Test func `a copy from before the start is damage`() {
    #expect(!decode([0x10, 0x61, 2, 0, 0]).isSound)
    #expect(!decode([0x10, 0x61, 0, 0, 0]).isSound)
  }

  @Test func `a length that never ends is bounded by the limit`() {
    let block: [UInt8] = [0x1F, 0x61, 1, 0] + [UInt8](repeating: 255, count: 1000) + [0]
    #expect(decode(block, limit: 1000).text == "a")
    #expect(decode(block, limit: 1_000_000).text.utf8.count == 1 + 15 + 4 + 255_000)
  }

  @Test func `every short block is survived`() {
    for token in 0...255 as ClosedRange<UInt8> {
      for next in 0...255 as ClosedRange<UInt8> {
        _ = decode([token, next, 1, 0, next, token])
      }
    }
  }
}

@Suite struct `Text codes of PDF` {
  @Test func `base 85 and hexadecimal are decoded`() {
    #expect(ASCIICodec.decode85(Array("87cURD]i,\"Ebo80~>".utf8)) == Array("Hello World!".utf8))
    #expect(ASCIICodec.decode85(Array("z!!~>".utf8)) == [0, 0, 0, 0, 0])
    #expect(ASCIICodec.decode85(Array("uuuuu".utf8)).count == 4)
    #expect(ASCIICodec.decodeHex(Array("48 65 6C6c6F7>".utf8)) == Array("Hellop".utf8))
  }

  @Test func `the dictionary in front of a stream names its filters`() {
    let text = "1 0 obj <</Filter/DCTDecode>> endobj 12 0 obj\n<</Filter [ /A85 /Fl ]/Length 5>>"
    let dictionary = PDFStreamDictionary(endOf: Array(text.utf8))
    #expect(dictionary.object == 12)
    #expect(dictionary.filters == [.ascii85, .flate])
  }
}

@Suite struct `Names of members` {
  @Test(arguments: [
    ("a/../b", true), ("..", true), ("a..b", false), ("C:x", true), ("a:b/c", true),
  ])
  func `names that lead outside are known`(name: String, expected: Bool) {
    #expect(MemberName.leadsOutside(name) == expected)
  }

  @Test func `steps never hold a separator, a control character or a way up`() {
    #expect(MemberName.steps("/a//./b\n/..") == ["a", "b%0A", "%2E%2E"])
    #expect(MemberName.steps("") == ["%2F"])
  }
}
