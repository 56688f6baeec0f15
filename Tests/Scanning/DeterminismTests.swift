import Bytes
import Findings
import FixtureKit
import Foundation
import Reporting
import RuleEngine
import Scanning
import Testing

@Suite struct `Reports` {
  /// A folder of many kinds of files, some with a leak.
  private static func manyFiles() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for index in 0..<70 {
      let text =
        "line one\nvalue = tok_8fK3mQ2xW9p\(index)\nuser \(index.isMultiple(of: 3) ? Leak.text : "-")\n"
      switch index % 5 {
      case 0: try folder.write("d\(index % 7)/a\(index).txt", text)
      case 1:
        try folder.write(
          "d\(index % 7)/b\(index).json", "{\"k\": [\"\(text.replacing("\n", with: " "))\"]}")
      case 2:
        try folder.write("c\(index).gz", bytes: DeflateFixture.compress(Array(text.utf8), .gzip))
      case 3:
        try folder.write(
          "d\(index % 7)/d\(index).zip",
          bytes: ZipBuilder([ZipBuilder.Entry("m.txt", text)]).bytes())
      default:
        try folder.write("e\(index)", Data(text.utf8).base64EncodedString())
      }
    }
    // Names that are one in two normal forms, and one that looks like another's escape.
    for name in ["caf\u{e9}", "cafe\u{301}"] { try folder.write(name, "\(name) tok_8fK3mQ2xW9pL") }
    try folder.write(name: Array("x".utf8) + [0xff], bytes: Array("tok_8fK3mQ2xW9pL one".utf8))
    try folder.write("x%FF", "tok_8fK3mQ2xW9pL another")
    try folder.write("large.log", String(repeating: "all is well\n", count: 400_000) + Leak.text)
    folder.makePipe("pipe")
    return folder
  }

  @Test func `are the same bytes for any number of jobs`() async throws {
    let folder = try Self.manyFiles()
    let one = try await folder.scan(rules: [Leak.rule]) { $0.jobs = 1 }
    #expect(one.findings.count > 90)
    for _ in 0..<4 {
      for jobs in [1, 2, 8] {
        let other = try await folder.scan(rules: [Leak.rule]) { $0.jobs = jobs }
        #expect(other.timeless == one.timeless)
      }
    }
  }

  @Test func `of all shards together hold what one run finds`() async throws {
    let folder = try Self.manyFiles()
    let whole = try await folder.scan(rules: [Leak.rule])
    var findings: [Finding] = []
    var inputs: [String] = []
    for index in 1...3 {
      let report = try await folder.scan(rules: [Leak.rule]) {
        $0.shard = Report.Shard(index: index, count: 3)
      }
      #expect(report.inputs.count < whole.inputs.count / 2)
      findings += report.findings
      inputs += report.inputs.map(\.path)
    }
    #expect(Set(inputs) == Set(whole.inputs.map(\.path)))
    #expect(inputs.count == whole.inputs.count)
    #expect(findings.sorted(by: Finding.precedes) == whole.findings)
  }

  @Test(arguments: [2, 3, 7])
  func `of all shards merge into the report of one run`(count: Int) async throws {
    let folder = try Self.manyFiles()
    folder.hardLink("second name", to: "d0/a0.txt")
    folder.hardLink("a first name", to: "large.log")
    folder.link("elsewhere", to: "/etc")
    try folder.write(
      "weak.bin", bytes: [0] + Array(repeating: [1, 2, 3, 0x1a, 0x5b, 9], count: 9).joined())
    let needles = [Leak.needle, Needle(id: "day", kind: .date, value: "1984-03-17")]
    let whole = try await folder.scan(needles: needles, rules: [Leak.rule])
    var shares: [Report] = []
    for index in (1...count).reversed() {
      let share = try await folder.scan(needles: needles, rules: [Leak.rule]) {
        $0.shard = Report.Shard(index: index, count: count)
      }
      let written = Array(JSONReport().render(share).utf8)
      shares.append(try ReportFile.report(in: written, path: "share"))
    }
    let merged = try Report(merging: shares)
    let isSame = merged.timeless == whole.timeless
    #expect(isSame)
    #expect(whole.inputs.contains { $0.sameAs != nil && $0.sha256 != nil })
    if count > 2 {
      #expect(throws: MergeError.missing("1/\(count)")) {
        _ = try Report(merging: shares.dropLast())
      }
    }
    #expect(throws: MergeError.twice("\(count)/\(count)")) {
      _ = try Report(merging: shares + [shares[0]])
    }
    #expect(throws: MergeError.noShare) { _ = try Report(merging: [whole, shares[0]]) }
    shares[0].run.failOn = .low
    #expect(throws: MergeError.different("--fail-on")) { _ = try Report(merging: shares) }
  }
}

@Suite struct `Fingerprints` {
  private static func fingerprints(
    _ text: String, name: String = "a.txt", rule: Rule = Leak.rule,
    key: FingerprintKey = .published
  ) async throws -> [String] {
    let folder = try TemporaryFolder()
    try folder.write(name, text)
    return try await folder.scan(rules: [rule]) { $0.fingerprintKey = key }.findings.map(
      \.fingerprint)
  }

  @Test func `stay when the value moves, and change with it`() async throws {
    let one = try await Self.fingerprints("used tok_8fK3mQ2xW9pL \(Leak.text)")
    #expect(one.count == 2)
    #expect(Set(one).count == 2)
    let moved = try await Self.fingerprints(
      "\n\nmore lines\nthen used tok_8fK3mQ2xW9pL; and \(Leak.text)")
    #expect(moved == one)
    let other = try await Self.fingerprints("used tok_8fK3mQ2xW9pM \(Leak.text)")
    #expect(other[0] != one[0])
    #expect(other[1] == one[1])
    #expect(try await Self.fingerprints("used tok_8fK3mQ2xW9pL", name: "b.txt")[0] != one[0])
  }

  @Test func `differ under a key of one's own`() async throws {
    let text = "k=tok_8fK3mQ2xW9pL"
    let published = try await Self.fingerprints(text)
    let own = try await Self.fingerprints(text, key: .secret(Array("mine".utf8)))
    #expect(own != published)
    #expect(own == (try await Self.fingerprints(text, key: .secret(Array("mine".utf8)))))
    #expect(own != (try await Self.fingerprints(text, key: .secret([]))))
  }

  /// Whoever knows the published key could try all telephone numbers: eight bits do not tell which.
  @Test func `of values that can be guessed tell eight bits under the published key`() async throws
  {
    var rule = Leak.rule
    rule.id = "pii.token"
    let text = (0..<1_500).map { "tok_8fK3mQ2xW\($0 + 1_000)\n" }.joined()
    let published = try await Self.fingerprints(text, rule: rule)
    #expect(published.count == 1_500)
    #expect(Set(published).count <= 256)
    #expect(Set(published).count > 200)
    let own = try await Self.fingerprints(text, rule: rule, key: .secret([1]))
    #expect(Set(own).count == 1_500)
    #expect(Set(try await Self.fingerprints(text)).count == 1_500)
  }
}
