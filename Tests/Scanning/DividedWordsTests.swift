import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `A needle of several words` {
  private static let needle = Needle(id: "name", kind: .text, value: "Marisol de Quennevik")

  private func forms(_ text: String, needle: Needle = needle) async throws -> [String?] {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", text)
    return try await folder.scan(needles: [needle]).findings.map(\.form)
  }

  @Test(arguments: [
    "said Marisol de\n    Quennevik today", "> met Marisol\n> de Quennevik, who",
    "> > Marisol\r\n> > de\r\n> > Quennevik",
    "/* Marisol\n * de Quennevik */", "// Marisol\n    // de Quennevik",
    "# Marisol de\n# Quennevik",
    "See **Marisol** de Quennevik.", "See _Marisol de_ **Quennevik**.",
    "| Marisol de | Quennevik |",
    "\"Marisol \" +\n  \"de Quennevik\"", "Marisol \\\n  de Quennevik",
    "Subject: Marisol\r\n de\r\n\tQuennevik",
    "1\n00:00:01,000 --> 00:00:02,000\nand Marisol\n\n2\n00:00:03,000 --> 00:00:04,000\nde Quennevik",
    "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Bob>Marisol <00:01.500><c>de</c> Quennevik",
    "[00:01] Marisol\n[00:02] de Quennevik", "MARISOL\n\tDE\n\tquennevik",
    "Marisol\u{a0}de\u{3000}Quennevik",
  ])
  func `is found however the text is laid out`(text: String) async throws {
    #expect(try await forms(text) == ["utf8-words"])
    #expect(try await forms(text.replacing("uennevik", with: "uennevok")).isEmpty)
    #expect(
      try await forms(text.replacing("arisol", with: "arisal").replacing("ARISOL", with: "X"))
        .isEmpty)
  }

  @Test(arguments: [
    "Marisol met de Quennevik", "Marisol, de Quennevik", "Marisolde Quennevik",
    "Marisol 2 de Quennevik",
    "Marisol\n\(String(repeating: " ", count: 400))de Quennevik", "Quennevik\nde\nMarisol",
    "Marisol <\(String(repeating: "x", count: 90))> de Quennevik",
  ])
  func `is not made of words that something stands between`(text: String) async throws {
    #expect(try await forms(text).isEmpty)
  }

  @Test func `is one finding where it stands as it is`() async throws {
    #expect(try await forms("Marisol de Quennevik") == ["utf8"])
    #expect(try await forms("Marisol de\nQuennevik\nMarisol de Quennevik").count == 2)
  }

  @Test func `keeps its case where it is a passphrase`() async throws {
    let needle = Needle(id: "pass", kind: .passphrase, value: "Plinth 77 Tern")
    #expect(try await forms("> Plinth\n> 77\n> Tern", needle: needle) == ["utf8-words"])
    #expect(try await forms("> plinth\n> 77\n> Tern", needle: needle).isEmpty)
  }

  @Test func `names the bytes from the first word to the last`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "> met Marisol\n> de\n> Quennevik, who")
    let found = try await folder.scan(needles: [Self.needle]).findings
    #expect(found.map(\.ranges) == [[ByteRange(offset: 6, length: 24)]])
    #expect(found.map(\.line) == [1])
  }
}
