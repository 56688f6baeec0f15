import Bytes
import Formats
import Testing

@Suite struct `OpenStep property list` {
  private func walk(_ text: String) throws -> WalkedValues {
    let bytes = Array(text.utf8)
    return WalkedValues(try OpenStepPropertyList(parsing: bytes.span.bytes).list, in: bytes)
  }

  @Test func `dictionaries, arrays, data and escapes are read`() throws {
    let values = try walk(
      #"""
      // !$*UTF8*$!
      { "Quoted \"key\"" = plain-word; /* comment */
        list = ("a\tb", 'single', "\U4e2d\U6587", "\344"); data = <0fbd 77>; number = <*I42>;
      }
      """#)
    #expect(
      values.rows == [
        #"Quoted "key": plain-word"#, "list.0: a\tb", "list.1: single", "list.2: 中文", "list.3: ä",
        "data: 0fbd77", "number: 42",
      ])
  }

  @Test func `a file of localised strings is a dictionary without braces`() throws {
    let values = try walk("/* Title */\n\"title\" = \"Hello\";\n\"same\";\n\"last\" = \"one\";\n")
    #expect(values.rows == ["title: Hello", "same: same", "last: one"])
  }

  @Test(arguments: [
    #"{"a": 1}"#, "key = value\n", "{ int x = 1; }", "(defun a (b) c)", "", "{", "int main() {}",
    "<html>", "// comment only\n",
    #"{"","#, #"{"a", "b"}"#, #"("a"; "b")"#,
    // Source code that was cut.
    "('/a/b',\n  '/c'))\n\nif x:\n  main()\n", "('abc',), {}) )\n",
    "(\"a\",)\n\nfor m in [b, c]:\n",
    "('a', 'b'),\n ('c', 'd'),\n ]),\n",
    "{   test => sub { $_->is },\n colors => ['yellow'],\n}, );\n",
  ])
  func `what only looks like one is left alone`(text: String) {
    let bytes = Array(text.utf8)
    let isRecognised = OpenStepPropertyList.recognises(bytes.span.bytes)
    #expect(!isRecognised)
  }

  @Test func `an array may be all there is`() throws {
    #expect(try walk(#"("a\tb", "c") // end"#).rows == ["0: a\tb", "1: c"])
    #expect(try walk("(\"a\", \"b\"").rows == ["0: a", "1: b"])
    #expect(try walk("( { a = b; }, { c = d; } )\n").rows == ["0.a: b", "1.c: d"])
  }

  @Test func `nesting 10,000 deep ends`() throws {
    let values = try walk("{ a = " + String(repeating: "(", count: 10_000) + "innermost")
    #expect(values.rows.contains { $0.hasSuffix(": innermost") })
  }

  @Test func `a list cut or changed anywhere is survived`() {
    let whole = Array(#"{ "a\U4e2d" = ("b", <0f0f>, { c = "\101"; }); /* x */ d = 'e'; }"#.utf8)
    for length in 0...whole.count {
      let bytes = Array(whole[..<length])
      guard let list = try? OpenStepPropertyList(parsing: bytes.span.bytes).list else { continue }
      _ = WalkedValues(list, in: bytes)
    }
    for offset in whole.indices {
      for byte: UInt8 in [0x22, 0x5C, 0x3C, 0x7B, 0x7D, 0x28, 0x29, 0x2F, 0x00, 0xFF] {
        var bytes = whole
        bytes[offset] = byte
        guard let list = try? OpenStepPropertyList(parsing: bytes.span.bytes).list else { continue }
        _ = WalkedValues(list, in: bytes)
      }
    }
  }
}
