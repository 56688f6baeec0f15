import Bytes
import Formats
import Testing

@Suite struct `Blocks of Snappy` {
  private func decode(_ bytes: [UInt8], limit: Int = 1 << 20) -> (text: String, isSound: Bool) {
    let (content, isSound) = Snappy.decode(bytes.span.bytes, limit: limit)
    return (String(decoding: content, as: UTF8.self), isSound)
  }

  @Test func `blocks are literals and copies`() {
    // "abcd", then eight bytes from four before (they overlap themselves), then "!".
    let short: [UInt8] = [13, 3 << 2] + Array("abcd".utf8) + [1 | 4 << 2, 4, 0] + [0x21]
    #expect(decode(short) == ("abcdabcdabcd!", true))
    let two: [UInt8] = [8, 3 << 2] + Array("abcd".utf8) + [2 | 3 << 2, 4, 0]
    #expect(decode(two) == ("abcdabcd", true))
    let four: [UInt8] = [8, 3 << 2] + Array("abcd".utf8) + [3 | 3 << 2, 4, 0, 0, 0]
    #expect(decode(four) == ("abcdabcd", true))
    let long = [UInt8](repeating: 0x78, count: 300)
    #expect(decode([0xAC, 2, 61 << 2, 0x2B, 1] + long).text.count == 300)
  }

  @Test(
    arguments: [
      [13, 3 << 2, 0x61], [8, 3 << 2, 0x61, 0x62, 0x63, 0x64, 1, 9], [2, 3 << 2, 1, 2, 3, 4],
      [4, 0, 0x61, 1, 0], [9, 3 << 2, 0x61, 0x62, 0x63, 0x64], [], [0xFF],
    ] as [[UInt8]])
  func `blocks that are damaged are said to be`(bytes: [UInt8]) {
    #expect(!decode(bytes).isSound)
  }

  @Test func `nothing longer than wanted is made`() {
    let (content, isSound) = Snappy.decode(
      ([0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0x61] as [UInt8]).span.bytes, limit: 1_000)
    #expect(content.isEmpty && !isSound)
  }
}
