import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `Documents in RTF` {
  private static func document(_ body: String, page: Int = 1252, charset: Int = 0) -> String {
    "{\\rtf1\\ansi\\ansicpg\(page)\\deff0{\\fonttbl{\\f0\\fnil\\fcharset\(charset) Times;}"
      + "{\\f1\\fcharset134 SimSun;}}{\\colortbl;\\red0\\green0;}\n\\pard\\f0\\fs24 \(body)\\par}\n"
  }

  private func findings(_ text: String, value: String = Leak.text) async throws -> [Finding] {
    let folder = try TemporaryFolder()
    try folder.write("a.rtf", bytes: Array(text.utf8))
    let report = try await folder.scan(needles: [Needle(id: "leak", kind: .text, value: value)])
    #expect(report.diagnostics.isEmpty)
    return report.findings
  }

  @Test(arguments: [
    "Orchid-{\\b Zebra}-42", "Or\\'63hid-Zebra-42", "Orchid\\u45?Zebra\\u45\\'2d42",
    "Orchid\\_Zebra-42",
    "Orc\nhid-\\i0 Zebra-\r\n42", "Orchid-{\\*\\bkmkstart mark}Zebra{\\*\\bkmkend mark}-42",
    "Orchid-{\\*\\unknown of \\b it}{\\field{\\*\\fldinst REF x}{\\fldrslt Zebra}}-42",
    "Orch\\uc2\\u105\\'61\\'62d-Zebra-42", "Orch\\uc0\\u105d-Zebra-42",
    "x\\par Orchid\\-\\emdash\\bin4 }}{{",
    "Orchid-{\\bin3 }{\\}Zebra-42", "Orchid-Z{\\pict\\pngblip\n89504e47\n0d0a}ebra-42",
  ])
  func `are read as a person reads them`(body: String) async throws {
    let text = Self.document(body)
    let expected = body.contains("emdash") ? "Orchid—" : Leak.text
    #expect(try await findings(text, value: expected).count == 1, "\(body)")
    #expect(try await findings(text, value: expected.replacing("O", with: "A")).isEmpty)
  }

  @Test func `name the place and the bytes of what is divided`() async throws {
    let head = Self.document("").prefix(while: { $0 != "\n" }) + "\n\\pard\\f0\\fs24 "
    let found = try await findings(Self.document("Orchid-{\\b Zebra}-42"))
    #expect(found.map(\.ranges) == [[ByteRange(offset: head.utf8.count, length: 20)]])
    #expect(found.first?.locator == "a.rtf!/text/\(head.utf8.count)")
  }

  @Test(arguments: [
    ("\\f1\\'c5\\'b7\\'d1\\'f4", 1252, 0), ("\\'c5\\'b7\\'d1\\'f4", 936, 1),
    ("\\'c5\\'b7\\'d1\\'f4", 1252, 134),
    ("\\u27431\\'3f\\u-27085?", 1252, 0), ("\\u27431\\u-27085", 1252, 0),
  ])
  func `are in the code page of their font`(body: String, page: Int, charset: Int) async throws {
    let body = body == "\\u27431\\u-27085" ? "\\uc0" + body : body
    let text = Self.document(body, page: page, charset: charset)
    #expect(try await findings(text, value: "欧阳").count == 1)
    #expect(try await findings(text, value: "欧明").isEmpty)
  }

  @Test(arguments: ["title", "author", "keywords"])
  func `are searched beside their body`(name: String) async throws {
    let text = Self.document("Text").replacing(
      "\n\\pard", with: "{\\info{\\\(name) Orchid-Z\\'65bra-42}{\\operator x}}\n\\pard")
    #expect(try await findings(text).count == 1)
    #expect(try await findings(text, value: "Orchid-Zebra-42x").isEmpty)
  }

  @Test func `hold objects that are read in turn`() async throws {
    let zip = ZipBuilder([ZipBuilder.Entry("notes.txt", "It is Orchid-Zebra-42")]).bytes()
    let digits = HexDumpFixture.plain(zip, perLine: 40)
    let text = Self.document("Text {\\object\\objemb{\\*\\objdata \n\(digits)}{\\result x}}")
    let found = try await findings(text)
    #expect(found.map(\.locator) == ["a.rtf!/objdata/1!/notes.txt"])
  }

  @Test func `divide a key into paragraphs without hiding it`() async throws {
    let folder = try TemporaryFolder()
    let key =
      "-----BEGIN PRIVATE KEY-----\\par\nMC4CAQAwBQYDK2VwBCIEINiIF4l9NMYGmHuIrU8Ba4iNV0tN{\\b mDVsilJwkw5+y447}\\\n-----END PRIVATE KEY-----"
    try folder.write("a.rtf", Self.document(key))
    try folder.write("b.rtf", Self.document(key.replacing("MC4C", with: "MC4D")))
    let report = try await folder.scan(needles: [], rules: Leak.rules)
    #expect(
      report.findings.filter { $0.rule == "secrets.pem-private-key" }.map(\.path) == ["a.rtf"])
  }

  @Test func `cut short anywhere are read as far as they go`() async throws {
    let text = Array(
      Self.document(
        "a{\\info{\\title \\'c5}}\\u-10179?\\u-8704?{\\*\\bkmkstart x}\\bin9 123{{{{}}}}\\'8\\~\\",
        charset: 134
      ).utf8)
    let folder = try TemporaryFolder()
    for length in 5..<text.count {
      try folder.write("\(length).rtf", bytes: Array(text[..<length]))
    }
    #expect(try await folder.scan().diagnostics.isEmpty)
  }

  @Test func `nested deeper than anything are read`() async throws {
    let open = String(repeating: "{\\info{\\b ", count: 50_000)
    let text = Self.document("\(open)Orchid-{\\b Ze}bra-42\(String(repeating: "}", count: 99_000))")
    #expect(try await findings(text).count == 1)
    // Closed too often, and never.
    #expect(try await findings("{\\rtf1 }}}}}}Orchid-{\\b Zebra}-42").count == 1)
  }
}
