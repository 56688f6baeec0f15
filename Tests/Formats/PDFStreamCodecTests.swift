import Bytes
import Formats
import Testing

@Suite struct `LZW and run-length streams of PDF` {
  /// Codes as bits, the way a writer makes them: one more bit one code before the table needs it.
  private func encoded(_ bytes: [UInt8], early: Int = 1) -> [UInt8] {
    var (result, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
    var table: [[UInt8]: Int] = [:]
    func width() -> Int {
      // The reader knows one entry less than the writer.
      let next = 258 + max(0, table.count - 1) + early
      return next >= 2_048 ? 12 : next >= 1_024 ? 11 : next >= 512 ? 10 : 9
    }
    func put(_ code: Int, _ width: Int) {
      bits = bits << UInt32(width) | UInt32(code)
      count += width
      while count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    func code(_ text: [UInt8]) -> Int { text.count == 1 ? Int(text[0]) : table[text] ?? 0 }
    put(256, 9)
    var text: [UInt8] = []
    for byte in bytes {
      if text.isEmpty || table[text + [byte]] != nil {
        text.append(byte)
        continue
      }
      put(code(text), width())
      table[text + [byte]] = 258 + table.count
      text = [byte]
      if table.count == 3_837 {
        put(256, width())
        table = [:]
      }
    }
    if !text.isEmpty {
      put(code(text), width())
      table[text + [0, 0, 0]] = 0
    }
    put(257, width())
    put(0, 8)
    return result
  }

  @Test func `the example of ISO 32000-1, 7.4.4.2 reads as it says`() {
    let example: [UInt8] = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01]
    #expect(
      PDFStreamCodec.decodeLZW(example.span.bytes, limit: 100)
        == [45, 45, 45, 45, 45, 65, 45, 45, 45, 66])
  }

  @Test(arguments: [0, 1], [1, 2, 300, 5_000, 60_000])
  func `come back as they were written`(early: Int, count: Int) {
    let text = (0..<count).flatMap { Array("\($0 % 97) tok_\($0 * 7 % 31);".utf8) }
    let written = encoded(text, early: early)
    #expect(PDFStreamCodec.decodeLZW(written.span.bytes, limit: 10 << 20) == text)
  }

  @Test(arguments: 0..<64)
  func `cut short anywhere give what came before`(length: Int) {
    let text = Array("aaaaaaaaaaaaaaabababababababcabcabcabcabcabc".utf8)
    let part = Array(encoded(text).prefix(length))
    let decoded = PDFStreamCodec.decodeLZW(part.span.bytes, limit: 1_000) ?? []
    #expect(text.starts(with: decoded))
  }

  @Test func `that swell end at their limit`() {
    let bomb = encoded([UInt8](repeating: 0, count: 200_000))
    let decoded = PDFStreamCodec.decodeLZW(bomb.span.bytes, limit: 1_000) ?? []
    #expect((1_000..<6_000).contains(decoded.count))
    let runs = [UInt8](repeating: 0x81, count: 100_000)
    #expect(PDFStreamCodec.decodeRuns(runs.span.bytes, limit: 1_000).count < 1_200)
  }

  @Test func `of runs mix bytes as they are and repeated ones`() {
    let runs: [UInt8] = [2, 1, 2, 3, 254, 9, 0, 7, 128, 5, 5]
    #expect(PDFStreamCodec.decodeRuns(runs.span.bytes, limit: 100) == [1, 2, 3, 9, 9, 9, 7])
  }
}
