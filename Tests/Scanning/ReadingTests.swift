import Bytes
import Findings
import FixtureKit
import Foundation
import RuleEngine
import Scanning
import Testing

@Suite struct `Reading` {
  @Test(arguments: [0, 1, 4_096, 100_000, 4 << 20, (4 << 20) + 1, 5_500_000])
  func `hashes every file of any size and writes nothing beside it`(size: Int) async throws {
    let folder = try TemporaryFolder()
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 9) }
    try folder.write("file.bin", bytes: bytes)
    let before = folder.listing
    let report = try await folder.scan(rules: [Leak.rule])
    #expect(report.inputs.map(\.sha256) == [SHA256.digest(of: bytes.span.bytes).hexadecimal])
    #expect(report.inputs.map(\.bytes) == [size])
    #expect(report.scope.bytes == size)
    #expect(folder.listing == before)
  }

  @Test func `finds a leak behind a hole and hashes the hole as zeros`() async throws {
    let folder = try TemporaryFolder()
    let (size, offset) = (40 << 20, (39 << 20) + 12_345)
    try folder.writeSparse("sparse.img", size: size, [(offset, Array(Leak.text.utf8))])
    let report = try await folder.scan()
    #expect(report.findings.map(\.ranges) == [[ByteRange(offset: offset, length: 15)]])
    let hash = SHA256()
    let zeros = [UInt8](repeating: 0, count: 1 << 20)
    for block in 0..<40 {
      var part = zeros
      if block == 39 { part.replaceSubrange(12_345..<12_360, with: Leak.text.utf8) }
      hash.update(part.span.bytes)
    }
    #expect(report.inputs.first?.sha256 == hash.finish().hexadecimal)
  }

  /// Text in UTF-16 has zeros, and zeros beside a hole may be part of it.
  @Test func `finds a leak whose last or first zero lies in a hole`() async throws {
    let folder = try TemporaryFolder()
    // A letter on the other side, so that no text in the other byte order lies there too.
    let little: [UInt8] = [0x78] + Leak.text.utf8.flatMap { [$0, 0] }
    let big: [UInt8] = Leak.text.utf8.flatMap { [0, $0] } + [0x78]
    let (first, second) = (1 << 20, 3 << 20)
    try folder.writeSparse(
      "sparse.img", size: 8 << 20,
      [(first - 30, Array(little.dropLast())), (second, Array(big.dropFirst()))])
    let report = try await folder.scan()
    #expect(report.findings.map { $0.ranges.first?.offset } == [first - 29, second - 1])
    #expect(report.findings.map(\.form) == ["utf16le", "utf16be"])
  }

  /// Large files are read in blocks and searched in windows; a leak may lie across any border of either.
  @Test(arguments: 0..<14)
  func `finds a leak across every border of a large file`(round: Int) async throws {
    let folder = try TemporaryFolder()
    var bytes = [UInt8](repeating: 0x2e, count: 6 << 20)
    var places: [Int] = []
    for block in 1...5 {
      // 81 shifts in all, shared among blocks and rounds.
      let shift = min(-40 + round * 6 + block, 40)
      for border in [block << 20, block << 20 + 4_096, block << 20 - 17_408, block << 20 + 21_504] {
        places.append(border + shift)
      }
    }
    for place in places { bytes.replaceSubrange(place..<place + 15, with: Leak.text.utf8) }
    try folder.write("large.txt", bytes: bytes)
    let report = try await folder.scan()
    #expect(report.findings.compactMap { $0.ranges.first?.offset } == places.sorted())
    #expect(report.findings.allSatisfy { $0.ranges.count == 1 && $0.ranges[0].length == 15 })
  }

  @Test(arguments: [10, 1_000, 60_000])
  func `names the line of a leak, in small and large text`(lines: Int) async throws {
    let folder = try TemporaryFolder()
    let leaks = [1, lines / 3, lines / 2, lines].map { max(1, $0) }
    let filler = String(repeating: "words ", count: 18)
    let text = (1...lines).map { line in
      leaks.contains(line) ? "\(filler)k=\(Leak.text)" : "\(filler)\(line)"
    }
    try folder.write("a.txt", text.joined(separator: "\n"))
    try folder.write("b.txt", text.joined(separator: "\r\n") + "\r\n")
    let report = try await folder.scan(rules: [Leak.rule])
    #expect(report.findings.filter { $0.path == "a.txt" }.map(\.line) == leaks)
    #expect(report.findings.filter { $0.path == "b.txt" }.map(\.line) == leaks)
  }

  @Test(arguments: [
    String.Encoding.utf8, .utf16, .utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian,
    .isoLatin1,
  ])
  func `names the line in text of any encoding, once`(encoding: String.Encoding) async throws {
    let folder = try TemporaryFolder()
    let name = encoding == .isoLatin1 ? "Zo\u{eb} M\u{fc}ller, Fran\u{e7}ois" : "第二行 文字 和 名字"
    let lines = ["first line", "\(name)", "and \(Leak.text), too", "last", "tok_8fK3mQ2xW9pL"]
    let data = try #require(lines.joined(separator: "\n").data(using: encoding))
    try folder.write("a.txt", bytes: Array(data))
    let report = try await folder.scan(rules: [Leak.rule])
    #expect(report.findings.map(\.line) == [3, 5])
    #expect(report.findings.map(\.rule) == ["needle.text", "test.token"])
    #expect(report.inputs.map(\.kind) == ["text"])
    for finding in report.findings where finding.locator != "a.txt" {
      #expect(finding.locator == "a.txt!/line/\(finding.line ?? 0)")
    }
  }

  @Test func `joins what is seen raw and in structure to one finding at the closest place`()
    async throws
  {
    let folder = try TemporaryFolder()
    let text = "{\"user\": {\"note\": \"\(Leak.text)\"}, \"key\": \"tok_8fK3mQ2xW9pL\"}"
    try folder.write("a.json", text)
    let report = try await folder.scan(rules: [Leak.rule])
    #expect(report.findings.map(\.rule).sorted() == ["needle.text", "test.token"])
    let found = try #require(report.findings.first { $0.rule == "needle.text" })
    #expect(found.locator == "a.json!/user/note" || found.locator.hasPrefix("a.json!/"))
    #expect(found.also == ["a.json"])
    let offset = try #require(text.utf8.firstOffset(of: Leak.text))
    #expect(found.ranges == [ByteRange(offset: offset, length: 15)])
    #expect(found.context.key?.hasSuffix("note") == true)
  }

  @Test func `keeps two secrets two, and one secret at two places two`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "used tok_8fK3mQ2xW9pL tok_7bD9nR4yV1qM\nthen tok_8fK3mQ2xW9pL\n")
    let report = try await folder.scan(needles: [], rules: [Leak.rule])
    #expect(report.findings.map { $0.ranges.first?.offset } == [9, 26, 48])
    #expect(Set(report.findings.map(\.fingerprint)).count == 2)
  }

  @Test func `masks values unless asked, and then says so`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "k=\(Leak.text)")
    let masked = try await folder.scan()
    #expect(!masked.timeless.contains(Leak.text))
    #expect(masked.findings.count == 1)
    let shown = try await folder.scan { $0.reveals = true }
    #expect(shown.findings.map(\.sample) == [Leak.text])
    #expect(shown.timeless.contains("\"reveal\": true"))
    #expect(masked.timeless.contains("\"reveal\": false"))
  }

  @Test func `weighs a value in source code as its rule says`() async throws {
    let folder = try TemporaryFolder()
    for name in ["a.txt", "a.swift"] { try folder.write(name, "used tok_8fK3mQ2xW9pL\n") }
    var rule = Leak.rule
    let plain = try await folder.scan(needles: [], rules: [rule])
    #expect(plain.findings.map(\.severity) == [.high, .high])
    rule.severityInCode = .low
    let weighed = try await folder.scan(needles: [], rules: [rule])
    #expect(weighed.findings.map(\.path) == ["a.swift", "a.txt"])
    #expect(weighed.findings.map(\.severity) == [.low, .high])
  }

  @Test func `takes the threshold from the options`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "k=\(Leak.text)")
    #expect(try await folder.scan { $0.failOn = .high }.run.status == 1)
    #expect(try await folder.scan { $0.failOn = .critical }.run.status == 0)
    #expect(try await folder.scan { $0.failOn = nil }.run.status == 0)
    #expect(try await folder.scan { $0.failOn = nil }.findings.count == 1)
  }

  @Test func `counts short forms as chance, with how often chance would show them`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.bin", bytes: [7, 7, 0x1a, 0xb8, 0xf7, 0x80, 7, 7, 0, 0])
    let report = try await folder.scan(needles: [
      Needle(id: "dob", kind: .date, value: "1984-03-17")
    ])
    #expect(report.findings.isEmpty)
    #expect(report.scope.chanceHits.map(\.needle) == ["dob"])
    #expect(report.scope.chanceHits.first?.seen == 1)
    #expect((0..<0.001).contains(report.scope.chanceHits.first?.expected ?? 1))
    #expect((report.scope.chanceHits.first?.expected ?? 0) > 0)
  }

  @Test(arguments: [
    "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://x/PropertyList-1.0.dtd\">\n",
    "", "<!doctype plist>", "<!DOCTYPE\n\tplist  SYSTEM 'x'>", "<!-- a list -->\n",
    "<!DOCTYPE plist [\n<!ENTITY a \"]>\">\n]>\n", "<?xml version='1.0'?>\n<!DOCTYPE x [ ]>",
  ])
  func `knows a property list by its root element`(before: String) async throws {
    let list = "\(before)<plist version=\"1.0\"><dict><key>k</key><string>Orchid-Z&#101;bra-42"
    let text = "\(list)</string></dict></plist>\n"
    let folder = try TemporaryFolder()
    try folder.write("a", text)
    try folder.write("b", "\u{FEFF}\(text)")
    try folder.write(
      "c", bytes: [0xff, 0xfe] + text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] })
    try folder.write("d", text.replacing("plist", with: "notes"))
    let report = try await folder.scan()
    #expect(report.findings.map(\.context.key) == ["k", "k", "k"] + [nil])
    #expect(report.inputs.map(\.kind).prefix(3) == ["plist", "plist", "plist"])
    #expect(report.inputs.last?.kind != "plist")
    #expect(report.diagnostics.isEmpty)
  }
}

@Suite struct `Short forms that are whole values` {
  @Test func `are findings, and not chance as well`() async throws {
    let folder = try TemporaryFolder()
    let database = try SQLiteFixture(at: folder["a.db"])
    try database.run(
      "CREATE TABLE people (born INTEGER)", "INSERT INTO people VALUES (448329600)")
    let report = try await folder.scan(needles: [
      Needle(id: "dob", kind: .date, value: "1984-03-17")
    ])
    #expect(report.findings.map(\.form) == ["epoch-s-int32-be"])
    #expect(report.scope.chanceHits.isEmpty)
  }
}

extension Sequence<UInt8> {
  func firstOffset(of text: String) -> Int? {
    let (all, part) = (Array(self), Array(text.utf8))
    return all.indices.first { all[$0...].starts(with: part) }
  }
}
