import Bytes
import Findings
import Formats
import Testing

@Suite struct `Text that tags divide` {
  private func paragraphs(_ source: String) -> [String] {
    let bytes = Array(source.utf8)
    var texts: [String] = []
    DividedText.paragraphs(of: bytes.span.bytes) { texts.append($0.text) }
    return texts
  }

  @Test(arguments: [
    ("<p>Orchid-<b>Zebra</b>-42</p><p>whole</p>", ["Orchid-Zebra-42"]),
    ("<p>one</p><p>two</p>", []), ("<p>a <i>b</i></p>\n<div>c<br>d</div>", ["a b"]),
    (
      "<w:p><w:r><w:t>Orchid-</w:t></w:r>\n  <w:r><w:rPr><w:b/></w:rPr>\n<w:t>Zebra</w:t></w:r></w:p>",
      ["Orchid-Zebra"]
    ),
    ("<si><r><t>Orchid-</t></r><r><rPr/><t>Zebra</t></r></si><si><t>x</t></si>", ["Orchid-Zebra"]),
    ("<text:p>Orchid-<text:span>Zebra</text:span></text:p>", ["Orchid-Zebra"]),
    ("a<!-- <b> -->b<script>c<b>d</b></script>", []), ("a<b>b", ["ab"]), ("a < b", []),
    ("<b", []), ("<", []), ("", []), ("<p>x<script>", []), ("<!-- never closed", []),
  ])
  func `is put together by paragraphs`(source: String, expected: [String]) {
    #expect(paragraphs(source) == expected)
  }

  @Test func `is the same in pieces as at once`() {
    let source = Array(
      (0..<40).map { "<p>Orchid-<b>Ze\($0)bra</b>-42 <i>x</i></p>\n<script>a<b>b</script>" }
        .joined().utf8)
    var whole: [String] = []
    DividedText.paragraphs(of: source.span.bytes) { whole.append($0.text) }
    #expect(whole.count == 40)
    for size in [90, 97, 200, 1_000] {
      var pieces: [String] = []
      var start = 0
      while start < source.count {
        let piece = Array(source[start..<min(start + size, source.count)])
        start += DividedText.paragraphs(
          of: piece.span.bytes, isLast: start + piece.count == source.count
        ) { pieces.append($0.text) }
      }
      #expect(pieces == whole, "\(size)")
    }
  }

  @Test func `knows where its bytes came from`() throws {
    let source = Array("<p>Orchid-<b>Zebra</b>".utf8)
    var found: [ByteRange?] = []
    DividedText.paragraphs(of: source.span.bytes) { text in
      found = [text.map.range(of: 0..<7), text.map.range(of: 7..<12), text.map.range(of: 0..<12)]
    }
    #expect(
      found == [
        ByteRange(offset: 3, length: 7), ByteRange(offset: 13, length: 5),
        ByteRange(offset: 3, length: 15),
      ])
  }
}
