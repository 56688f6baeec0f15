import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `Dumps in hexadecimal` {
  @Test func `show a value that a line divides, by its line and bytes`() async throws {
    let folder = try TemporaryFolder()
    let leak = Array("\u{1}\u{2}some header\u{0}Orchid-Zebra-42\u{0}".utf8)
    let decoy = Array("\u{1}\u{2}some header\u{0}Orchid-Zibra-42\u{0}".utf8)
    try folder.write("a.log", "started\n\(HexDumpFixture.xxd(leak))ended\n")
    try folder.write("b.log", "started\n\(HexDumpFixture.xxd(decoy))ended\n")
    let report = try await folder.scan()
    #expect(report.paths == ["a.log"])
    let found = try #require(report.findings.first)
    #expect(found.locator == "a.log!/hex-dump/18")
    #expect(found.line == 2)
    #expect(found.ranges == [ByteRange(offset: 60, length: 72)])
    #expect(report.diagnostics.isEmpty)
  }

  @Test func `are read as the file that was dumped`() async throws {
    let folder = try TemporaryFolder()
    var builder = PropertyListBuilder()
    let value = builder.string(Leak.text)
    let top = builder.dictionary([("name", value)])
    let list = builder.file(top: top)
    try folder.write("a.txt", "memory:\n" + HexDumpFixture.xxd(list))
    try folder.write("b.txt", HexDumpFixture.plain(list))
    let report = try await folder.scan()
    #expect(
      report.findings.map(\.locator) == ["a.txt!/hex-dump/18!/key/name", "b.txt!/hex/0!/key/name"])
  }

  @Test func `go on behind the end of a page`() async throws {
    let lines = HexDumpFixture.xxd(Array("some header of bytes, Orchid-Zebra-42, and more".utf8))
      .split(separator: "\n").map { "   \($0)\n" }
    func page(_ gap: String) -> String { "text\n\n" + lines[0] + lines[1] + gap + lines[2] }
    let folder = try TemporaryFolder()
    let foot = "\n\nThomson                  Informational               [Page 12]\n"
    try folder.write("a.txt", page(foot + "\u{0C}\nRFC 8448   TLS 1.3 Traces   January 2019\n\n\n"))
    try folder.write("b.txt", page("\u{0C}"))
    try folder.write("c.txt", page("\u{0C}\n\nRFC 8448\n"))
    // Two paragraphs between the lines are no end of a page, with a form feed or without.
    try folder.write("d.txt", page(foot + "RFC 8448\n\n"))
    try folder.write("e.txt", page(foot + "\nmore\n\u{0C}\nRFC 8448\n"))
    try folder.write("f.txt", page(foot + "\u{0C}\nRFC 8448\n\nmore\n"))
    let report = try await folder.scan()
    #expect(report.paths == ["a.txt", "b.txt", "c.txt"])
    #expect(report.diagnostics.isEmpty)
  }

  @Test func `that show a part of a file are searched, and are no damaged file`() async throws {
    let folder = try TemporaryFolder()
    let signature = "let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]\n"
    let part = [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + Array("  Orchid-Zebra-42  ".utf8)
    try folder.write("a.swift", signature)
    try folder.write("b.log", HexDumpFixture.xxd(part))
    let report = try await folder.scan()
    #expect(report.paths == ["b.log"])
    #expect(report.diagnostics.isEmpty)
  }

  @Test func `in plain lines are joined, whatever they start with`() async throws {
    let folder = try TemporaryFolder()
    let leak: [UInt8] =
      [0, 1, 0xfe, 0x90] + Array("a header of its own, Orchid-Zebra-42, end".utf8)
    try folder.write("a.txt", HexDumpFixture.plain(leak))
    try folder.write(
      "b.txt", HexDumpFixture.plain(leak.map { $0 == UInt8(ascii: "Z") ? 0x41 : $0 }))
    // Lists of hashes are lines of digits, too.
    let hashes = (0..<50).map { index in
      HexDumpFixture.address(index * 7_919, 40)
    }.joined(separator: "\n")
    try folder.write("c.txt", hashes)
    let report = try await folder.scan()
    #expect(report.paths == ["a.txt"])
    #expect(report.findings.first?.locator == "a.txt!/hex/0")
  }

  @Test func `behind a prefix that says so are decoded`() async throws {
    let folder = try TemporaryFolder()
    let token = "the token tok_8fK3mQ2xW9pL is here"
    let digits = token.utf8.map { String($0, radix: 16) }.joined()
    try folder.write("a.sql", "INSERT INTO t VALUES (1, 0x\(digits));\n")
    try folder.write("b.sql", "1\t\\x\(digits)\t2\n")
    try folder.write("c.sql", "1\t\\x\(digits.replacing("6f6b", with: "6f6c"))\t2\n")
    let report = try await folder.scan(needles: [], rules: [Leak.rule])
    #expect(report.paths == ["a.sql", "b.sql"])
    #expect(report.findings.map(\.locator) == ["a.sql!/hex/27", "b.sql!/hex/4"])
  }

  @Test func `in a large file are found in every window`() async throws {
    let folder = try TemporaryFolder()
    var bytes = [UInt8](repeating: 0x2e, count: 1_500_000)
    for offset in [100, 700_001, 1_499_900] {
      bytes.replaceSubrange(offset..<offset + 15, with: Leak.text.utf8)
    }
    try folder.write("a.txt", HexDumpFixture.xxd(bytes))
    let report = try await folder.scan()
    #expect(report.findings.count == 3)
  }

  @Test func `that are made to cost end inside the limits`() async throws {
    let folder = try TemporaryFolder()
    let line = "00000000 00 00 00 00 00 00 00 00\n*\n00400000 00 00 00 00 00 00 00 00\n"
    try folder.write("a.txt", String(repeating: line, count: 2_000))
    try folder.write("b.txt", String(repeating: "12345678 ", count: 100_000))
    let report = try await folder.scan { $0.limits.expansion = 64 << 20 }
    #expect(report.findings.isEmpty)
  }
}
