import Bytes
import Formats
import Testing

@Suite struct `JSON` {
  /// `path: value` of every value that is no key.
  private func rows(_ text: String) -> (rows: [String], damage: Int?, isDeep: Bool) {
    let bytes = Array(text.utf8)
    var walk = JSONWalk(bytes.span.bytes)
    var rows: [String] = []
    while let value = walk.next() {
      if value.isKey { continue }
      let stored = bytes.span.bytes.clamped(to: value.token.range)
      let text =
        value.token.isEscaped ? BackslashEscapes.decode(stored)?.text : stored.repairedText()
      rows.append(walk.steps().joined(separator: ".") + ": " + (text ?? "?"))
    }
    return (rows, walk.firstDamage, walk.isDeep)
  }

  @Test func `every value comes with the path that leads to it`() {
    let read = rows(
      #"{"a": {"b": [1, {"c": "x\u4e2d"}, true], "d\n": null}, "e": -1.5e3, "f": [], "g": "last"}"#)
    #expect(
      read.rows == [
        "a.b.0: 1", "a.b.1.c: x中", "a.b.2: true", "a.d\n: null", "e: -1.5e3", "g: last",
      ])
    #expect(read.damage == nil)
  }

  @Test func `comments, trailing commas, bare words and single quotes pass`() {
    let read = rows("/* a */ {'k': 'v', // c\n bare: [1, 2,], # d\n}")
    #expect(read.rows == ["k: v", "bare.0: 1", "bare.1: 2"])
    #expect(read.damage == nil)
  }

  @Test func `what follows a whole document is no damage to it`() {
    #expect(rows("{\"a\": 1}\nbj/It2iRhpFf7jsk+9PHyUjNx6V6HWwAlw==").damage == nil)
    #expect(rows("{\"a\": ^1}\nbj/It2iRhpFf7jsk+9PHyUjNx6V6HWwAlw==").damage == 6)
  }

  @Test(arguments: [
    ("[H5UXQCX4K3MD0KUZTFTF", false), ("[A78EF0F9F6168ADB4B7A3E7", false), ("[tru", true),
    ("{\"a\": fal", true), ("[true", true), ("[1", true),
  ])
  func `a text that ends in a word is some if JSON has the word`(text: String, isJSON: Bool) {
    #expect(JSONWalk.recognises(Array(text.utf8).span.bytes) == isJSON)
  }

  @Test func `several documents follow one another`() {
    #expect(rows("{\"a\":1}\n{\"a\":2}").rows == ["a: 1", "a: 2"])
  }

  @Test(arguments: [#"{"a":"cut"#, #"{"a":["#, #"{"a":1}}"#, #"{"a":1]"#, "{\"a\":\u{1}1}"])
  func `damage is reported and what was read stays`(text: String) {
    #expect(rows(text).damage != nil)
  }

  @Test func `nesting 10,000 deep ends and hides nothing`() {
    let read = rows(String(repeating: "[{\"a\":", count: 10_000) + "\"innermost\"")
    #expect(read.isDeep)
    #expect(read.rows.last?.hasSuffix(": innermost") == true)
  }

  @Test func `a text cut or changed anywhere is survived`() {
    let whole = Array(#"{"a\u4e2d": [1, "x\"y", {"b": null}], /* c */ "d": "\ud83d\ude00"}"#.utf8)
    for length in 0...whole.count {
      _ = rows(String(decoding: whole[..<length], as: UTF8.self))
    }
    for offset in whole.indices {
      for byte: UInt8 in [0x22, 0x5C, 0x7B, 0x7D, 0x5B, 0x5D, 0x2C, 0x3A, 0x2F, 0x00] {
        var bytes = whole
        bytes[offset] = byte
        _ = rows(String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  @Test(arguments: [
    (#"{"a": 1}"#, true), ("[1, 2", true), ("{}", true), ("[]", true), (#"[{"a""#, true),
    ("[section]\nkey=1", false), ("{ key = value; }", false), ("[12:30:00] started", false),
    ("[1] see the notes", false), ("{foo}", false), ("", false), ("text", false),
    ("[link](address)", false), ("[//harbor.example/Page_about#boats Boats]", false),
    ("[ // two\n  1, 2]", true),
  ])
  func `it is recognised by its grammar`(text: String, isJSON: Bool) {
    let bytes = Array(text.utf8)
    let isRecognised = JSONWalk.recognises(bytes.span.bytes)
    #expect(isRecognised == isJSON)
  }

  /// In a German and a Chinese encoding of before Unicode, in UTF-8 with any byte damaged, and with a
  /// control character that nobody escaped.
  @Test func `it is recognised in any encoding, and damaged`() {
    let german = Array(#"{"city": "K"#.utf8) + [0xF6] + Array(#"ln", "n": 1}"#.utf8)
    let chinese =
      Array(#"{"a": ""#.utf8) + [0xC3, 0xDC, 0xC2, 0xEB, 0xB5, 0xC4] + Array(#""}"#.utf8)
    let control = Array("{\"a\": \"b\u{1}c\"}".utf8)
    let whole = Array(#"{"密码": "这是一个很长的句子，没有别的"}"#.utf8)
    var damaged: [[UInt8]] = []
    for offset in 12..<whole.count - 2 {
      var bytes = whole
      bytes[offset] ^= 0x40
      damaged.append(bytes)
    }
    for bytes in [german, chinese, control, whole] + damaged {
      let isRecognised = JSONWalk.recognises(bytes.span.bytes)
      #expect(isRecognised, "\(bytes)")
    }
  }

  @Test func `members of an object are found around a value`() {
    let text = #"{"name": "encryption_key", "nested": {"x": "y"}, "value": "00ff", "n": 5}"#
    let bytes = Array(text.utf8)
    let members = JSONWalk.members(of: bytes.span.bytes, at: 0)
    #expect(members.map(\.name) == ["name", "value", "n"])
    #expect(members.map(\.text) == ["encryption_key", "00ff", nil])
  }
}
