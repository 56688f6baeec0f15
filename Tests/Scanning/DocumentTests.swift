import Findings
import FixtureKit
import Scanning
import Testing

/// Documents divide what a person reads as one: at a change of spelling, for a smaller gap between letters.
@Suite struct `Text in documents` {
  private static func word(_ first: String, _ second: String) -> [UInt8] {
    let text =
      "<w:document><w:p><w:r><w:t>\(first)</w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>\(second)</w:t>"
      + "</w:r></w:p></w:document>"
    return ZipBuilder([ZipBuilder.Entry("word/document.xml", text)]).bytes()
  }

  private static func pdf(_ first: String, _ second: String) -> [UInt8] {
    let content = DeflateFixture.compress(
      Array("BT /F1 12 Tf [(\(first)) -18 (\(second))] TJ ET".utf8), .zlib)
    return Array("%PDF-1.4\n1 0 obj<</Length \(content.count)/Filter/FlateDecode>>stream\n".utf8)
      + content + Array("\nendstream endobj\ntrailer<<>>\n%%EOF".utf8)
  }

  @Test func `is found where its parts stand apart`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.docx", bytes: Self.word("x Orchid-", "Zebra-42 y"))
    try folder.write("b.docx", bytes: Self.word("x Orchid- ", "Zebra-42 y"))
    try folder.write("c.html", "<html><p>Orchid-<b>Zebra</b>-42</p><p>Orchid-</p><p>Zebra-42</p>")
    try folder.write("d.pdf", bytes: Self.pdf("x Orchid-Ze", "bra-42 y"))
    try folder.write("e.pdf", bytes: Self.pdf("x Orchid-Ze ", "bra-42 y"))
    let report = try await folder.scan()
    #expect(report.paths == ["a.docx", "c.html", "d.pdf"])
    #expect(
      report.findings.first { $0.path == "c.html" }?.ranges == [ByteRange(offset: 9, length: 22)])
    #expect(report.diagnostics.isEmpty)
  }
}
