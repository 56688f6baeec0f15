import Bytes
import Formats
import Testing

@Suite struct `Key-value text` {
  private func rows(_ text: String) -> [String] {
    let bytes = Array(text.utf8)
    var entries = KeyValueText(bytes.span.bytes)
    var rows: [String] = []
    while let entry = entries.next() {
      let path = entries.path.map { bytes.span.bytes.clamped(to: $0).repairedText() }
      let value =
        KeyValueText.decode(entry, of: bytes.span.bytes)?.text
        ?? bytes.span.bytes.clamped(to: entry.value).repairedText()
      rows.append("\(entry.line) \(path.joined(separator: ".")): \(value)")
    }
    return rows
  }

  @Test func `YAML nests by indentation and joins blocks`() {
    let text = """
      # comment: no
      database:
        password: "hun\\tter2"  # after
        hosts:
          - name: a
            port: 1
      key: |
        -----BEGIN-----
        abc

        def
      folded: >-
        one
        two
      last: 'it'
      """
    #expect(
      rows(text) == [
        "3 database.password: hun\tter2", "5 database.hosts.name: a", "6 database.hosts.port: 1",
        "7 key: -----BEGIN-----\nabc\n\ndef", "12 folded: one two", "15 last: it",
      ])
  }

  @Test func `INI, env and properties are lines too`() {
    #expect(
      rows("[auth]\nuser = me\npass=p=w\n") == ["2 auth.user: me", "3 auth.pass: p=w"])
    #expect(rows("export TOKEN=\"abc\"\nEMPTY=\n") == ["1 TOKEN: abc"])
    #expect(rows("db.pass=\\u4e2d\n! note\n") == ["1 db.pass: 中"])
  }

  @Test(arguments: [
    ("a: 1\nb: 2\n", true), ("# c\n[s]\nk = v\n", true), ("A=1", true),
    ("Just prose here.\nAnd: a sentence goes on.\nNo more.\n", false), ("", false),
    ("10:30:00 start\n10:31:00 stop\n", false), ("https://a.example/\n", false),
    ("if a == b:\n  return\n", false),
  ])
  func `it is recognised by most of its lines`(text: String, expected: Bool) {
    let bytes = Array(text.utf8)
    let isRecognised = KeyValueText.recognises(bytes.span.bytes, isWhole: true)
    #expect(isRecognised == expected)
  }

  @Test func `any bytes are survived`() {
    let whole = Array("[s]\n- a: |\n   x\n\n   y\nb = 'c' # d\nexport e=\"f\\n\"\n\"g\": h\n".utf8)
    for length in 0...whole.count { _ = rows(String(decoding: whole[..<length], as: UTF8.self)) }
    for offset in whole.indices {
      for byte: UInt8 in [0x22, 0x27, 0x3A, 0x3D, 0x0A, 0x20, 0x5B, 0x5D, 0x7C, 0x2D, 0x00] {
        var bytes = whole
        bytes[offset] = byte
        _ = rows(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  @Test func `indentation that only grows stays bounded`() {
    let text = (0..<5000).map { String(repeating: " ", count: $0 % 900) + "k: v\n" }.joined()
    #expect(rows(text).count == 5000)
  }
}
