import Bytes
import Findings
import Formats
import Testing

@Suite struct `JSON in blobs` {
  /// `{"a":1,"b":["x\ny",null,true,2.5],"q\"":{}}` as SQLite 3.45 writes it.
  private static let sample: [UInt8] = {
    func element(_ type: UInt8, _ content: [UInt8]) -> [UInt8] {
      [UInt8(content.count) << 4 | type] + content
    }
    func text(_ text: String, _ type: UInt8 = 7) -> [UInt8] { element(type, Array(text.utf8)) }
    let list = text(#"x\ny"#, 8) + [0x00] + [0x01] + text("2.5", 5)
    let body =
      text("a") + text("1", 3) + text("b") + [0xcb, UInt8(list.count)] + list + text("q\"", 10)
      + element(12, [])
    return [0xcc, UInt8(body.count)] + body
  }()

  private static func isLikely(_ bytes: [UInt8], of count: Int? = nil) -> Bool {
    JSONBText.isLikely(bytes.span.bytes, byteCount: count ?? bytes.count)
  }

  private static func text(_ bytes: [UInt8]) -> [UInt8] {
    JSONBText.text(of: bytes.span.bytes).bytes
  }

  @Test func `is the text that it stands for, and every byte of it has its place`() throws {
    let bytes = Self.sample
    #expect(Self.isLikely(bytes))
    let decoded = JSONBText.text(of: bytes.span.bytes)
    #expect(decoded.text == #"{"a":1,"b":["x\ny",null,true,2.5],"q\"":{}}"#)
    let text = Array(decoded.text.utf8)
    let start = try #require(text.indices.first { text[$0...].starts(with: Array(#"x\ny"#.utf8)) })
    let range = try #require(decoded.map.range(of: start..<start + 4))
    #expect(Array(bytes[range.offset..<range.end]) == Array(#"x\ny"#.utf8))
  }

  @Test(arguments: [4, 5, 8, 9]) func `has a size of up to eight bytes`(width: Int) {
    let content = [UInt8](repeating: UInt8(ascii: "z"), count: 300)
    func head(_ type: UInt8, _ count: Int) -> [UInt8] {
      let code: UInt8 = width == 9 ? 15 : width == 5 ? 14 : 13
      let size = 1 << Int(code - 12)
      return [code << 4 | type] + (0..<size).map { UInt8(count >> (8 * (size - 1 - $0)) & 0xff) }
    }
    let text = head(7, 300) + content
    let bytes = head(11, text.count) + text
    #expect(Self.isLikely(bytes))
    #expect(Self.text(bytes).count == 304)
  }

  @Test func `is nothing that is cut, longer, of other bytes or without a text`() {
    let bytes = Self.sample
    for count in 0..<bytes.count {
      let part = Array(bytes[..<count])
      #expect(!Self.isLikely(part))
      _ = JSONBText.text(of: part.span.bytes)
      // The head of a longer one is likely as far as it is there.
      if count > 3 { #expect(Self.isLikely(part, of: bytes.count)) }
    }
    for other in [
      bytes + [0], [0x0b], [0x2b, 0, 1], Array("{\"a\": 1}".utf8), Array("|a|b|\n|c".utf8),
    ] {
      #expect(!Self.isLikely(other))
    }
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    var taken = 0
    for count in 8..<2008 {
      let noise = (0..<count % 64 + 8).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33 ^ state >> 51)
      }
      if Self.isLikely(noise) { taken += 1 }
      _ = JSONBText.text(of: noise.span.bytes)
    }
    #expect(taken == 0)
  }

  @Test func `nested as deep as its bytes go ends`() {
    let depth = 5000
    var bytes: [UInt8] = []
    for level in 0..<depth {
      let left = (depth - level - 1) * 5
      bytes += [0xeb] + (0..<4).map { UInt8(left >> (24 - 8 * $0) & 0xff) }
    }
    #expect(!Self.isLikely(bytes))
    _ = JSONBText.text(of: bytes.span.bytes)
  }
}
