import Bytes
import Formats
import Testing

@Suite struct `XML property list` {
  private func walk(_ text: String) throws -> WalkedValues {
    let bytes = Array(text.utf8)
    return WalkedValues(try XMLPropertyList(parsing: bytes.span.bytes).list, in: bytes)
  }

  private static let sample = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <!-- a comment with <string>no value</string> -->
      <key>token</key> <string>a&amp;b&#x4e2d;</string>
      <key>raw</key> <string><![CDATA[1 < 2 & 3]]> end</string>
      <key>blob</key> <data>
        AQID
        BAU=
      </data>
      <key>list</key> <array><integer>42</integer><real>1.5</real><true/><false/><string/></array>
      <key>born</key> <date>1984-03-17T00:00:00Z</date>
    </dict>
    </plist>
    """

  @Test func `every element is read with the path that leads to it`() throws {
    #expect(
      try walk(Self.sample).rows == [
        "token: a&b中", "raw: 1 < 2 & 3 end", "blob: 0102030405", "list.0: 42", "list.1: 1.5",
        "list.2: true", "list.3: false", "list.4: ", "born: 1984-03-17T00:00:00Z",
      ])
  }

  @Test func `values say which bytes of the file they are`() throws {
    let bytes = Array(Self.sample.utf8)
    let list = try XMLPropertyList(parsing: bytes.span.bytes).list
    let texts = list.nodes.filter { $0.kind == .string }.map {
      String(decoding: bytes[$0.content], as: UTF8.self)
    }
    #expect(texts.contains("a&amp;b&#x4e2d;"))
    #expect(list.damage.isEmpty)
  }

  @Test func `entities that a document declares are never expanded`() throws {
    let values = try walk(
      """
      <!DOCTYPE plist [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>
      <plist><array><string>&b;&x;</string></array></plist>
      """)
    #expect(values.rows == ["0: &b;&x;"])
  }

  @Test func `a document type ends where its quotes and its subset are closed`() throws {
    let values = try walk(
      """
      <!DOCTYPE\tplist PUBLIC "a>b" "c" [<!ENTITY a "]><string>no</string>"><!-- ' ]> -->]>
      <plist><array><string>yes</string></array></plist>
      """)
    #expect(values.rows == ["0: yes"])
    // What is never closed hides nothing behind its first bracket.
    #expect(
      try walk("<!DOCTYPE plist \"x>\n<plist><array><true/></array></plist>").rows == ["0: true"])
  }

  @Test(arguments: [
    ("<?xml version=\"1.0\"?>\n<!-- <a> -->\n<plist version=\"1.0\"><dict/></plist>", true),
    ("<!DOCTYPE plist SYSTEM \"x\"><dict/>", true), ("\n <plist>", true), ("<plist", true),
    ("<!doctype plist><dict/>", true), ("<!DOCTYPE\n  plist\tPUBLIC \"a>b\" 'x'><dict/>", true),
    ("<!DOCTYPE PLIST><plist><dict/>", true), ("<!DOCTYPE x [<!ENTITY a \"]>\">]><plist/>", true),
    ("<!DOCTYPE x [<!-- ' ]> -->]> <!-- y --><plist>", true),
    ("\u{FEFF}<?xml version=\"1.0\"?><plist>", true), ("<plists>", false),
    ("<!DOCTYPE html><html><plist>", false), ("<!DOCTYPE x [<plist>", false),
    ("<!DOCTYPE x \"<plist>", false), ("<!DOCTYPE", false), ("<!DOCTYPE x", false),
    ("<?xml version=\"1.0\"?><database><metadata><plist><dict/></plist>", false),
    ("<!DOCTYPE database SYSTEM \"x\"><database><plist>", false), ("<!-- <plist>", false),
    ("<? <plist>", false), ("x <plist>", false), ("<", false), ("", false),
  ])
  func `is known by the first element or the document type`(text: String, isList: Bool) {
    #expect(XMLPropertyList.recognises(Array(text.utf8).span.bytes) == isList)
  }

  @Test func `what is not closed, or closed twice, leaves the rest readable`() throws {
    #expect(try walk("<plist><dict><key>a</key><string>1").rows == ["a: 1"])
    #expect(try walk("<plist></array><array><string>1</string></dict></array>").rows == ["0: 1"])
    #expect(
      try walk("<plist><dict><key>a</key><key>b</key><string>1</string></dict>").rows == ["b: 1"])
    #expect(try walk("<plist><dict><string>1</string></dict>").rows == ["?: 1"])
    #expect(try walk("<plist><array><odd>x</odd><string>1</string></array>").rows == ["0: 1"])
  }

  @Test func `nesting 10,000 deep neither overflows nor hides the innermost value`() throws {
    let text =
      "<plist>" + String(repeating: "<array>", count: 10_000) + "<string>innermost</string>"
    let values = try walk(text)
    #expect(values.isDeep)
    #expect(values.rows.contains { $0.hasSuffix(": innermost") })
  }

  @Test func `a list cut short anywhere is read as far as it goes`() throws {
    let whole = Array(Self.sample.utf8)
    let start = Array(Self.sample.utf8.prefix { _ in true }).count - 440
    for length in stride(from: whole.count, to: start, by: -1) {
      let bytes = Array(whole[..<length])
      let list = try XMLPropertyList(parsing: bytes.span.bytes).list
      _ = WalkedValues(list, in: bytes)
    }
  }

  @Test func `a changed byte anywhere is survived`() {
    let whole = Array(Self.sample.utf8)
    for offset in whole.indices {
      for byte: UInt8 in [0x00, 0x3C, 0x3E, 0x26, 0x2F, 0x5B, 0xFF] {
        var bytes = whole
        bytes[offset] = byte
        guard let list = try? XMLPropertyList(parsing: bytes.span.bytes).list else { continue }
        _ = WalkedValues(list, in: bytes)
      }
    }
  }
}
