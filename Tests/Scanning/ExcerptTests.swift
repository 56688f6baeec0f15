import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `Excerpts` {
  private static func scan(
    _ files: [String: [UInt8]], needles: [Needle] = [Leak.needle], reveals: Bool = false
  ) async throws -> Report {
    let folder = try TemporaryFolder()
    for (name, bytes) in files { try folder.write(name, bytes: bytes) }
    return try await folder.scan(needles: needles, rules: [Leak.rule]) {
      $0.details = .excerpts
      $0.reveals = reveals
    }
  }

  /// Bytes that are shown, as text, with covered ones as dots.
  private static func shown(_ excerpt: Excerpt) -> String {
    String(decoding: excerpt.bytes.map { $0 ?? UInt8(ascii: ".") }, as: UTF8.self)
  }

  @Test func `show the bytes around a value, and cover the value`() async throws {
    let before = String(repeating: "-", count: 100) + " sender="
    let text = before + Leak.text + " sent\n" + String(repeating: "=", count: 100)
    let report = try await Self.scan(["a.log": Array(text.utf8)])
    let excerpt = try #require(report.findings.first?.excerpt)
    #expect(excerpt.source == .file)
    #expect(excerpt.offset == (before.utf8.count - 16) / 16 * 16)
    #expect(excerpt.bytes.count == Excerpt.mostBytes)
    #expect(
      Self.shown(excerpt)
        == "-------------------- sender=............... sent\n===============")
    for (index, byte) in excerpt.bytes.enumerated() where byte != nil {
      #expect(byte == Array(text.utf8)[excerpt.offset + index])
    }
  }

  @Test func `cover other values, other forms and what touches them`() async throws {
    let needles = [
      Leak.needle, Needle(id: "city", kind: .text, value: "Augsburg"),
      Needle(id: "born", kind: .date, value: "1984-03-17"),
    ]
    let text =
      "a \(Leak.text)xyz 4f72636869642d5a656272612d3432 tok_8fK3mQ2xW9pL 19840317 Augsburg ok"
    let report = try await Self.scan(["a.txt": Array(text.utf8)], needles: needles)
    #expect(report.findings.count >= 3)
    for finding in report.findings {
      let shown = Self.shown(try #require(finding.excerpt))
      for part in ["Orchid", "xyz", "4f72", "3432", "8fK3", "pL", "1984", "0317", "Augs"] {
        #expect(!shown.contains(part), "\(shown)")
      }
    }
  }

  @Test func `come from the unpacked value where no byte of the file shows it`() async throws {
    let zip = ZipBuilder([
      ZipBuilder.Entry(
        "m.txt", "line one\nfor \(Leak.text) only\n" + String(repeating: "x ", count: 200))
    ])
    let report = try await Self.scan(["in.zip": zip.bytes()])
    let finding = try #require(report.findings.first)
    let excerpt = try #require(finding.excerpt)
    #expect(finding.ranges.isEmpty == (excerpt.source == .unpacked))
    #expect(Self.shown(excerpt).contains("for ............... only"))
  }

  @Test func `are whole where values are to be shown`() async throws {
    let report = try await Self.scan(["a": Array("is \(Leak.text)".utf8)], reveals: true)
    let excerpt = try #require(report.findings.first?.excerpt)
    #expect(Self.shown(excerpt) == "is \(Leak.text)")
  }

  @Test func `are not taken where no report shows them`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a", "is \(Leak.text)")
    #expect(try await folder.scan().findings.first?.excerpt == nil)
  }

  @Test func `are the same on every run, however many there are`() async throws {
    let line = Array("\(Leak.text) and more\n".utf8)
    let bytes = (0..<700).flatMap { _ in line }
    let first = try await Self.scan(["a.txt": bytes])
    let second = try await Self.scan(["a.txt": bytes])
    #expect(first.findings == second.findings)
    #expect(first.findings.count == 700)
    #expect(first.findings.prefix(500).allSatisfy { $0.excerpt != nil })
    #expect(first.findings.dropFirst(500).allSatisfy { $0.excerpt == nil })
  }

  @Test(arguments: [0, 1, 2, 15, 16, 17, 63, 64, 65, 4_095, 4_096, 1 << 20])
  func `stay within the file wherever the value lies`(offset: Int) async throws {
    let bytes = [UInt8](repeating: 0x2e, count: offset) + Array(Leak.text.utf8)
    let report = try await Self.scan(["a": bytes])
    let excerpt = try #require(report.findings.first?.excerpt)
    #expect(excerpt.offset <= offset)
    #expect(excerpt.offset + excerpt.bytes.count == min(bytes.count, excerpt.offset + 64))
    #expect(excerpt.bytes.count { $0 == nil } == Leak.text.utf8.count)
  }

  @Test func `read back as they are written`() {
    let excerpt = Excerpt(source: .file, offset: 32, bytes: [0, nil, 0xff, nil, 0x41])
    #expect(excerpt.text == "00..ff..41")
    #expect(Excerpt(source: .file, offset: 32, text: excerpt.text) == excerpt)
    for wrong in ["0", "zz", String(repeating: "00", count: 65)] {
      #expect(Excerpt(source: .file, offset: 0, text: wrong) == nil)
    }
  }
}
