import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `Contact cards, calendars and LDIF` {
  private func findings(
    _ text: [UInt8], value: String = Leak.text, kind: Needle.Kind = .text
  ) async throws -> [Finding] {
    let folder = try TemporaryFolder()
    try folder.write("a", bytes: text)
    let report = try await folder.scan(needles: [Needle(id: "leak", kind: kind, value: value)])
    #expect(report.diagnostics.isEmpty)
    return report.findings
  }

  private static func card(_ lines: String, version: String = "3.0") -> String {
    "BEGIN:VCARD\r\nVERSION:\(version)\r\n\(lines)\r\nEND:VCARD\r\n"
  }

  private static let base64 = Base64Fixture.encoded(
    [0xff, 0xd8, 0xff, 0xe0] + Array("a picture, Orchid-Zebra-42, and more of it".utf8), width: 0)

  /// A value in each way that it can be divided or encoded, and where it is found.
  static let cases: [(text: String, place: String, line: Int)] = [
    (card("NOTE:It is Orchid-Z\r\n ebra-42, they said"), "line/3/property/NOTE", 3),
    (card("FN:X\r\nitem1.X-A;TYPE=\"a:b\":Orchid\r\n\t-Zebra-42"), "line/4/property/X-A", 4),
    (card("NOTE:Orchid-Zebra\\-42;Orchid-Zeb\r\n ra-4\r\n 2"), "line/3/property/NOTE", 3),
    (
      card(
        "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=4F=72=63hid-Ze=\r\nbra=2D42;;", version: "2.1"),
      "line/3/property/N", 3
    ),
    (card("NOTE;QUOTED-PRINTABLE:Orchid=2DZebra-42", version: "2.1"), "line/3/property/NOTE", 3),
    (card("KEY;ENCODING=b:\(fold(base64))"), "line/3/property/KEY", 3),
    (card("PHOTO;BASE64;TYPE=JPEG:\r\n\(base64)\r\n", version: "2.1"), "line/3/property/PHOTO", 3),
    (
      card("KEY:data:application/x;base64,\(fold(base64))", version: "4.0"), "line/3/property/KEY",
      3
    ),
    (
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDESCRIPTION:Orc\n hid-Zebra-42\nEND:VEVENT\nEND:VCALENDAR\n",
      "line/3/property/DESCRIPTION", 3
    ),
    ("version: 1\n\n# one\ndn: cn=x\ncn: Orchid-\n Zebra-42\n", "line/5/property/cn", 5),
    ("dn: cn=x\ncn:: \(fold(base64, "\n "))\nsn: y\n", "line/2/property/cn", 2),
  ]

  private static func fold(_ text: String, _ mark: String = "\r\n ") -> String {
    stride(from: 0, to: text.count, by: 30).map {
      String(text.dropFirst($0).prefix(30))
    }.joined(separator: mark)
  }

  @Test(arguments: cases.indices)
  func `show values that are divided or encoded`(index: Int) async throws {
    let (text, place, line) = Self.cases[index]
    let found = try await findings(Array(text.utf8))
    try #require(found.count == 1, "\(text)")
    #expect(found[0].locator.hasPrefix("a!/\(place)"))
    #expect(found[0].line == line)
    #expect(found[0].ranges.count == 1)
    #expect(try await findings(Array(text.utf8), value: "Orchid-Zebra-43").isEmpty)
  }

  @Test func `are divided inside of characters`() async throws {
    let name = Array("王明月".utf8)
    let head = Array("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:".utf8)
    let text =
      head + name[..<4] + Array("\r\n ".utf8) + name[4...] + Array("\r\nEND:VCARD\r\n".utf8)
    let found = try await findings(text, value: "王明月")
    #expect(found.map(\.ranges) == [[ByteRange(offset: head.count, length: 12)]])
    #expect(try await findings(text, value: "王明日").isEmpty)
  }

  @Test func `name the character set of a value`() async throws {
    let text = Self.card(
      "N;ENCODING=QUOTED-PRINTABLE;CHARSET=GBK:=C5=B7=D1=F4=C3=F7=\r\n=D4=C2", version: "2.1")
    #expect(try await findings(Array(text.utf8), value: "欧阳明月").map(\.form) == ["utf8"])
    let latin = Self.card("N;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Zo=EB Li", version: "2.1")
    #expect(!(try await findings(Array(latin.utf8), value: "Zoë Li").isEmpty))
    #expect(try await findings(Array(latin.utf8), value: "Zoe Li").isEmpty)
  }

  @Test func `of version 2.1 keep the blank of a fold`() async throws {
    let lines = "NOTE:It is Orchid\r\n Zebra"
    let old = Array(Self.card(lines, version: "2.1").utf8)
    let new = Array(Self.card(lines).utf8)
    #expect(!(try await findings(old, value: "Orchid Zebra", kind: .passphrase).isEmpty))
    #expect(!(try await findings(new, value: "OrchidZebra", kind: .passphrase).isEmpty))
    #expect(try await findings(old, value: "OrchidZebra", kind: .passphrase).isEmpty)
  }

  @Test func `inside of other files are read, too`() async throws {
    let card = Self.card("NOTE:It is Orchid-Z\\r\\n ebra-42").replacing("\r\n", with: "\\r\\n")
    let found = try await findings(Array("{\"card\": \"\(card)\"}".utf8))
    #expect(found.count == 1)
    #expect(found.first?.locator.hasSuffix("/property/NOTE") == true)
  }

  @Test(arguments: cases.indices)
  func `cut short anywhere are read as far as they go`(index: Int) async throws {
    let bytes = Array(Self.cases[index].text.utf8)
    let folder = try TemporaryFolder()
    for length in stride(from: 8, to: bytes.count, by: 3) {
      try folder.write("\(length)", bytes: Array(bytes[..<length]))
    }
    let report = try await folder.scan()
    #expect(report.diagnostics.isEmpty)
  }

  @Test func `larger than what is read at a time are read whole`() async throws {
    let filler = String(
      repeating: "X-A:" + String(repeating: "x", count: 70) + "\r\n", count: 150_000)
    let text = Self.card(filler + "NOTE:Orchid-Z\r\n ebra-42\r\n" + filler)
    let found = try await findings(Array(text.utf8))
    #expect(found.map(\.line) == [150_003])
  }
}
