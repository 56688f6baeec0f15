import Artifacts
import Bytes
import Findings
import Testing

@Suite struct `Text readers` {
  @Test func `a field of a table comes under its column's name`() throws {
    let text = "name,secret\nkey one,\"a \"\"quoted\"\" value\"\nkey two,\"line\nbreak\"\nx,last\n"
    let bytes = Array(text.utf8)
    #expect(FragmentRecord.reader(of: bytes)?.kind == "csv")
    let record = FragmentRecord.reading(bytes, with: DelimitedTextReader())
    let quoted = try #require(record.fragment("a \"quoted\" value"))
    #expect(quoted.path == "line/2/column/secret")
    #expect(quoted.place.context.key == "secret")
    #expect(quoted.place.context.neighbours == ["key one"])
    #expect(quoted.source(of: "\"q", in: bytes) == Array("\"\"q".utf8))
    #expect(record.fragment("last")?.place.line == 5)
  }

  @Test func `a table larger than a piece is read to its end`() throws {
    var text = "id,value\n"
    while text.utf8.count < 3 << 20 { text += "123456,\"some filler, quoted\"\n" }
    text += "7,needle\n"
    let bytes = Array(text.utf8)
    var touched = TouchMap(byteCount: bytes.count)
    touched.mark(bytes.count - 5..<bytes.count)
    let record = FragmentRecord.reading(bytes, with: DelimitedTextReader(), touched: touched)
    let fragment = try #require(record.fragment("needle"))
    #expect(fragment.place.line == text.utf8.count { $0 == 0x0A })
    #expect(fragment.source(of: "needle", in: bytes) == Array("needle".utf8))
  }

  @Test func `configuration values come under their names`() throws {
    let text =
      "db:\n  - name: api_token\n    value: abcdef\n    cert: |\n      line1\n      line2\n"
    let bytes = Array(text.utf8)
    #expect(FragmentRecord.reader(of: bytes)?.kind == "config")
    let record = FragmentRecord.reading(bytes, with: KeyValueTextReader())
    let value = try #require(record.fragment("abcdef"))
    #expect(value.path == "line/3/key/db/value")
    #expect(value.place.context.neighbours.contains("api_token"))
    let block = try #require(record.fragment("line1\nline2"))
    #expect(block.source(of: "line2", in: bytes) == Array("line2".utf8))
  }

  @Test func `UTF-8 was searched as it lies: nothing is handed on`() {
    let bytes = Array("2026-01-01 an entry of a rather dull log\n".utf8)
    #expect(FragmentRecord.reader(of: bytes)?.kind == "text")
    #expect(FragmentRecord.reading(bytes, with: TextReader()).fragments.isEmpty)
  }

  @Test func `wide text is decoded whole, across its pieces too`() throws {
    var text = ""
    for index in 1...30_000 { text += "Zeile \(index): größer als \(index)\n" }
    let bytes = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(FragmentRecord.reader(of: bytes)?.kind == "text")
    let record = FragmentRecord.reading(
      bytes, with: TextReader(), touched: TouchMap(byteCount: bytes.count))
    #expect(record.fragments.count > 4)
    for index in [1, 9000, 20_000, 29_999] {
      let line = "Zeile \(index): größer"
      let fragment = try #require(record.fragments.first { $0.text.contains(line) })
      let stored = line.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
      #expect(fragment.source(of: line, in: bytes) == stored)
    }
    // Each piece says the line it starts on.
    for fragment in record.fragments.dropFirst() {
      let rest = fragment.text.drop { $0 != "\n" }.dropFirst().prefix { $0 != ":" }
      let number = try #require(Int(rest.split(separator: " ").last ?? ""))
      #expect(fragment.place.line == number - 1)
    }
  }

  @Test(arguments: 0..<64)
  func `what no reader of text knows is left to others`(seed: Int) {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    let bytes = (0..<4096).map { _ -> UInt8 in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
    // Bytes without any order are what ciphertext looks like.
    #expect([nil, "sqlcipher"].contains(FragmentRecord.reader(of: bytes)?.kind))
  }
}
