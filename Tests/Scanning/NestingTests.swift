import Bytes
import Findings
import FixtureKit
import Foundation
import RuleEngine
import Scanning
import Testing

@Suite struct `Nested containers` {
  private static func gzip(_ bytes: [UInt8]) -> [UInt8] { DeflateFixture.compress(bytes, .gzip) }

  @Test func `are looked into: a text in a zip in a gzip in base64 in JSON`() async throws {
    let folder = try TemporaryFolder()
    let zip = ZipBuilder([ZipBuilder.Entry("in/notes.txt", "dear diary: \(Leak.text)")]).bytes()
    let base64 = Data(Self.gzip(zip)).base64EncodedString()
    let text = "{\"attachment\": \"\(base64)\"}"
    try folder.write("a.json", text)
    let report = try await folder.scan()
    let found = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect(found.locator.hasPrefix("a.json!/"))
    #expect(found.locator.contains("base64"))
    #expect(found.locator.contains("in/notes.txt"))
    #expect(found.context.member?.hasSuffix("notes.txt") == true)
    // The text it was decoded from is the evidence.
    let start = try #require(text.utf8.firstOffset(of: base64))
    #expect(found.ranges.allSatisfy { $0.offset >= start && $0.end <= start + base64.utf8.count })
    #expect(!found.ranges.isEmpty)
    // The same with another value is clean.
    #expect(
      try await folder.scan(needles: [Needle(id: "x", kind: .text, value: "Orchid-Zebra-43")]).run
        .status == 0)
  }

  @Test func `have no lines, though a text that lies stored in them has`() async throws {
    let text = "x\n\(Leak.text)\n"
    let folder = try TemporaryFolder()
    try folder.write(
      "a.zip", bytes: ZipBuilder([ZipBuilder.Entry("in/notes.txt", text, method: 0)]).bytes())
    try folder.write("b.txt", text)
    let findings = try await folder.scan().findings
    #expect(findings.map(\.locator) == ["a.zip!/in/notes.txt", "b.txt"])
    #expect(findings.map(\.line) == [nil, 2])
    #expect(findings.allSatisfy { $0.ranges.count == 1 })
  }

  @Test(arguments: 0..<40)
  func `name a value the same wherever it and its name lie in the file`(before: Int) async throws {
    let folder = try TemporaryFolder()
    let padding = String(repeating: "a", count: before)
    try folder.write("a.json", "{\"x\": \"\(padding)\", \"email\": \"zora.quill@harbor9.net\"}")
    let report = try await folder.scan(needles: [], rules: Leak.rules)
    #expect(report.findings.map(\.locator) == ["a.json!/key/email"])
    #expect(report.findings.map(\.also) == [["a.json"]])
  }

  @Test(arguments: [(2, false), (3, true), (8, true)])
  func `are looked into as deep as allowed`(depth: Int, isFound: Bool) async throws {
    let folder = try TemporaryFolder()
    var bytes = Array("deep: \(Leak.text)".utf8)
    for _ in 0..<3 { bytes = Self.gzip(bytes) }
    try folder.write("deep.gz", bytes: bytes)
    let report = try await folder.scan { $0.limits.depth = depth }
    #expect(report.findings.isEmpty != isFound)
    #expect(report.codes == (isFound ? [] : [.limitDepth]))
    #expect(report.run.status == (isFound ? 1 : 3))
  }

  @Test func `nested without end stop at the depth, and a leak beside them is found`() async throws
  {
    let folder = try TemporaryFolder()
    var bytes = Array("end".utf8)
    for _ in 0..<200 { bytes = Self.gzip(bytes) }
    try folder.write("deep.gz", bytes: bytes)
    let alone = try await folder.scan()
    #expect(alone.codes == [.limitDepth])
    #expect(alone.run.status == 3)
    try folder.write("leak.txt", Leak.text)
    let both = try await folder.scan()
    #expect(both.codes == [.limitDepth])
    #expect(both.paths == ["leak.txt"])
  }

  /// 300 members that share 2 MiB of zeros.
  static let bomb = ZipBuilder.overlapping(
    count: 300, kernel: [UInt8](repeating: 0x61, count: 2 << 20))

  @Test func `that are bombs stop at the expansion, and a leak beside them is found`() async throws
  {
    let folder = try TemporaryFolder()
    try folder.write("bomb.zip", bytes: Self.bomb)
    try folder.write("zeros.gz", bytes: Self.gzip([UInt8](repeating: 0, count: 30 << 20)))
    let alone = try await folder.scan { $0.limits.expansion = 8 << 20 }
    #expect(Set(alone.codes).isSubset(of: [.limitExpansion, .formatDamaged, .limitSize]))
    #expect(alone.diagnostics.contains { $0.path == "zeros.gz" && $0.code == .limitExpansion })
    #expect(alone.diagnostics.contains { $0.path == "bomb.zip" })
    #expect(alone.run.status == 3)
    try folder.write("leak.txt", Leak.text)
    #expect(try await folder.scan { $0.limits.expansion = 8 << 20 }.paths == ["leak.txt"])
  }

  @Test func `that are encrypted are told, and what is not encrypted is read`() async throws {
    let folder = try TemporaryFolder()
    var secret = ZipBuilder.Entry("secret.txt", "unreadable words of some length")
    secret.flags = 1
    try folder.write(
      "a.zip",
      bytes: ZipBuilder([secret, ZipBuilder.Entry("open.txt", "x \(Leak.text)", method: 0)]).bytes()
    )
    let report = try await folder.scan()
    #expect(report.codes == [.formatEncrypted])
    #expect(report.diagnostics.first?.locator.contains("secret.txt") == true)
    #expect(report.findings.map(\.context.member) == ["open.txt"])
    #expect(
      try await folder.scan(needles: [Needle(id: "x", kind: .text, value: "Nothing-Here")]).run
        .status == 3)
  }

  @Test(arguments: ["../../etc/passwd", "/etc/passwd", "a\u{1b}[2J\nb", "!/x", "a//b", ""])
  func `with hostile member names stay harmless`(name: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.zip", bytes: ZipBuilder([ZipBuilder.Entry(name, "x \(Leak.text)", method: 0)]).bytes())
    let before = folder.listing
    let report = try await folder.scan()
    #expect(report.findings.count == 1)
    let locator = try #require(report.findings.first?.locator)
    #expect(locator.hasPrefix("a.zip!/"))
    #expect(!locator.dropFirst(6).contains("!/") || name.isEmpty)
    #expect(!locator.contains("/../"))
    #expect(locator.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f })
    #expect(folder.listing == before)
  }

  @Test(arguments: ["gz", "zip", "json", "base64"])
  func `cut short anywhere never trap, and are told or whole`(kind: String) async throws {
    let folder = try TemporaryFolder()
    let text = Array("some words before \(Leak.text) and some behind".utf8)
    let whole: [UInt8] =
      switch kind {
      case "gz": Self.gzip(text)
      case "zip": ZipBuilder([ZipBuilder.Entry("a.txt", text)]).bytes()
      case "json": Array("{\"a\": [1, \"\(Leak.text)\"], \"b\": null}".utf8)
      default: Array(Data(text).base64EncodedString().utf8)
      }
    for length in 0..<whole.count {
      try folder.write("cut\(length)", bytes: Array(whole[..<length]))
    }
    try folder.write("whole", bytes: whole)
    let report = try await folder.scan()
    #expect(report.inputs.count == whole.count + 1)
    #expect(report.paths.contains("whole"))
    #expect(!report.diagnostics.contains { $0.path == "whole" })
  }
}
