import Artifacts
import Bytes
import Findings
import Testing

@Suite struct `JSON reader` {
  private func read(_ text: String, touched: TouchMap = .everything) -> FragmentRecord {
    FragmentRecord.reading(Array(text.utf8), with: JSONReader(), touched: touched)
  }

  @Test func `a value comes with its path, line, neighbours and bytes`() throws {
    let text = """
      {"items": [
        {"name": "encryption_key", "value": "00ff\\u00e9x", "n": 123456}
      ]}
      """
    let record = read(text)
    let value = try #require(record.fragment("00ffé" + "x"))
    #expect(value.path == "key/items/0/value")
    #expect(value.place.line == 2)
    #expect(value.place.context.key == "value")
    #expect(value.place.context.neighbours.contains("encryption_key"))
    #expect(value.source(of: "é", in: Array(text.utf8)) == Array("\\u00e9".utf8))
    let number = try #require(record.fragment("123456"))
    #expect(number.source(of: "234", in: Array(text.utf8)) == Array("234".utf8))
    #expect(record.diagnostics.isEmpty)
  }

  @Test func `only marked and escaped values are handed on`() {
    let filler = String(repeating: "x", count: 2000)
    let text = #"{"a": "plain", "b": "\#(filler)", "c": "esc\n", "d": "marked"}"#
    var touched = TouchMap(byteCount: text.utf8.count)
    touched.mark(text.utf8.count - 4..<text.utf8.count)
    #expect(
      read(text, touched: touched).fragments.map(\.text).filter { $0.count < 100 } == [
        "esc\n", "marked",
      ])
    #expect(read(#"{"a": "plain"}"#, touched: TouchMap(byteCount: 20)).fragments.isEmpty)
  }

  @Test func `JSON Lines are named by their line, and damage ends with it`() throws {
    let text = "{\"a\":\"one\"}\n{\"a\":\"two\n{\"a\":\"three\"}\n"
    let record = read(text)
    let last = try #require(record.fragment("three"))
    #expect(last.path == "line/3/key/a")
    #expect(last.place.line == 3)
    #expect(record.diagnostics.map(\.code) == [.formatDamaged])
  }

  @Test func `JSON kept in a string is a file of its own`() throws {
    let record = read(#"{"body": "{\"token\": \"abcdef\"}"}"#)
    let inner = try #require(record.fragments.first { $0.name == "body" })
    #expect(inner.text == #"{"token": "abcdef"}"#)
  }

  @Test func `a cut document and deep nesting are diagnostics`() {
    #expect(read(#"{"a": "cu"#).diagnostics.map(\.code) == [.formatDamaged])
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    #expect(read(deep).diagnostics.map(\.code) == [.limitDepth])
    let large = "[" + String(repeating: " ", count: 32 << 20) + "]"
    #expect(read(large).diagnostics.map(\.code) == [.limitSize])
  }

  @Test func `UTF-16 JSON is read`() throws {
    let bytes = #"{"key": "value"}"#.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    #expect(FragmentRecord.reader(of: bytes)?.kind == "json")
    let record = FragmentRecord.reading(bytes, with: JSONReader())
    #expect(record.fragment("value")?.path == "key/key")
  }

  @Test func `a crash report is a line of JSON and a body`() throws {
    let text = """
      {"app_name":"Vault","bug_type":"309"}
      {"asi": {"libsystem": ["open failed: key x'00ff'"]}, "uptime": 5}
      """
    #expect(FragmentRecord.reader(of: Array(text.utf8))?.kind == "ips")
    let record = FragmentRecord.reading(Array(text.utf8), with: CrashReportReader())
    #expect(record.fragment("open failed: key x'00ff'")?.path == "key/asi/libsystem/0")
    #expect(record.fragment("open failed: key x'00ff'")?.place.line == 2)
    #expect(record.fragment("309")?.path == "line/1/key/bug_type")
    let old = "{\"bug_type\":\"109\"}\nIncident Identifier: 1\nCrashed: key\n"
    let lines = FragmentRecord.reading(Array(old.utf8), with: CrashReportReader())
    #expect(lines.fragment("Crashed: key")?.place.line == 3)
  }
}
