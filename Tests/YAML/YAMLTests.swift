import Testing
import YAML

@Suite struct `YAML values` {
  @Test func `a value knows the line and column it starts at`() throws {
    let root = try #require(try YAMLParser.parse("a: 1\nb:\n  - x\n  - 'y'\n"))
    let fields = try root.fields(["a", "b"])
    #expect(try fields.required("a").integer() == 1)
    #expect(try fields.required("b").texts() == ["x", "y"])
    #expect(try fields.required("b").items()[1].mark == YAMLMark(line: 4, column: 5))
  }

  @Test func `an unknown key is an error with its place`() throws {
    let root = try #require(try YAMLParser.parse("known: 1\nunknown: 2\n"))
    #expect {
      try root.fields(["known"])
    } throws: { error in
      (error as? YAMLError)?.mark == YAMLMark(line: 2, column: 1)
    }
  }

  @Test(arguments: ["a: [1, 2", "a: 1\na: 2", "x: &a 1\ny: *a", "a: b: c", "{a: 1}\n---\n{b: 2}"])
  func `what is damaged or clever is refused`(text: String) {
    #expect(throws: YAMLError.self) { try YAMLParser.parse(text) }
  }

  @Test func `nesting ends`() {
    let text = String(repeating: "[", count: 5_000)
    #expect(throws: YAMLError.self) { try YAMLParser.parse(text) }
  }

  @Test(arguments: [
    (#"["a\ud83d\ude00z"]"#, "a😀z"), (#"{"k": "\uD834\uDD1E"}"#, "𝄞"),
    (#"["\\ud83d\\ude00"]"#, #"\ud83d\ude00"#), (#"["\u00e9\u4e2d"]"#, "é中"),
    ("- '\\ud83d\\ude00'", #"\ud83d\ude00"#),
  ]) func `a character that JSON writes as two is one`(text: String, value: String) throws {
    let root = try #require(try YAMLParser.parse(text))
    let node = text.contains("k") ? try root.fields(["k"]).required("k") : try root.items()[0]
    #expect(try node.text() == value)
  }

  @Test(arguments: [#"["\ud83d"]"#, #"["\ude00\ud83d"]"#, #"["\ud83d\u0041"]"#, #"["\ud83d\"#])
  func `half a character is refused`(text: String) {
    #expect(throws: YAMLError.self) { try YAMLParser.parse(text) }
  }

  @Test func `JSON is read as it is`() throws {
    let root = try #require(try YAMLParser.parse(#"[{"id": "dob", "value": "1984-03-17"}]"#))
    let fields = try root.items()[0].fields(["id", "value"])
    #expect(try fields.required("value").text() == "1984-03-17")
  }
}
