import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `Names of files and folders` {
  @Test func `that show a protected value are findings, each once`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("users/\(Leak.text)/a.txt", "one")
    try folder.write("users/\(Leak.text)/b.txt", "two")
    try folder.write("users/\(Leak.text)-old/orchid_zebra_42.db", "three")
    try folder.write("users/other/c.txt", "four")
    let spaced = Needle(id: "orchid", kind: .text, value: "Orchid Zebra 42")
    for needle in [Leak.needle, spaced] {
      let report = try await folder.scan(needles: [needle])
      let isSpaced = needle.value.contains(" ")
      #expect(report.findings.count == (isSpaced ? 3 : 2), "\(report.findings.map(\.message))")
      #expect(report.findings.allSatisfy { $0.locator.hasSuffix("!/name") && $0.ranges.isEmpty })
      #expect(
        report.findings.allSatisfy { $0.message.hasSuffix("in the name of a file or folder") })
      #expect(Set(report.findings.map(\.fingerprint)).count == report.findings.count)
      #expect(report.run.status == 1)
      #expect(!report.timeless.contains(needle.value))
    }
    let clean = try await folder.scan(needles: [Needle(id: "x", kind: .text, value: "Orchid-43")])
    #expect(clean.run.status == 0)
  }

  @Test func `are judged below what is scanned, whatever it is called itself`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("\(Leak.text)/in/a.txt", "one")
    try folder.write("\(Leak.text)/\(Leak.text)/b.txt", "two")
    let inside = folder[Leak.text]
    #expect(try await folder.scan { $0.paths = [inside] }.findings.count == 1)
    #expect(try await folder.scan { $0.paths = [inside, inside + "/in"] }.findings.count == 1)
    let named = try await folder.scan { $0.paths = [inside + "/in/a.txt"] }
    #expect(named.run.status == 0)
  }

  @Test func `are told by one share of the files alone`() async throws {
    let folder = try TemporaryFolder()
    for index in 0..<20 { try folder.write("\(Leak.text)/\(index).txt", "file \(index)") }
    var found = 0
    for index in 1...3 {
      found += try await folder.scan { $0.shard = .init(index: index, count: 3) }.findings.count
    }
    #expect(found == 1)
  }
}
