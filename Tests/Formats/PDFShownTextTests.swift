import Bytes
import Formats
import Testing

@Suite struct `Text that a page shows in pieces` {
  private func texts(_ stream: String) -> [String] {
    let bytes = Array(stream.utf8)
    var texts: [String] = []
    PDFShownText.divided(in: bytes.span.bytes) { texts.append($0.text) }
    return texts
  }

  @Test(arguments: [
    ("[(Orchid-) -20 (Zebra) 10.5 (-42)] TJ", ["Orchid-Zebra-42"]),
    ("[(one) -250 (two)] TJ [(whole)] TJ", ["one two"]),
    ("[(a\\)b) (c(d)e)] TJ", ["a)bc(d)e"]), ("[/Name (a) (b)] q", []), ("[(a) (b", []),
    ("[(a) (b)", []), ("[", []), ("", []), ("[(a\\", []), ("[1 2 3] 0 d", []),
  ])
  func `is put together`(stream: String, expected: [String]) {
    #expect(texts(stream) == expected)
  }
}
