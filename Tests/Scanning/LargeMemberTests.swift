import Findings
import FixtureKit
import Foundation
import Scanning
import Testing

/// Members of archives that are larger than what is kept in memory.
@Suite struct `Large members` {
  /// Text that compresses to something, of 400 KB.
  private static let filler = (0..<20_000).map { "line \($0 &* 2_654_435_761 % 1_000_003)\n" }
    .joined()
  private static let longName = String(repeating: "folder-of-some-length/", count: 12) + "note.txt"

  private static func takesLongNames(_ format: ArchiveFixture.Format) -> Bool {
    format == .pax || format == .gnutar
  }

  private static func archive(
    _ format: ArchiveFixture.Format, filter: String? = nil, holding text: String
  ) throws -> [UInt8] {
    let inner = try #require(
      ArchiveFixture.write(.raw, filter: "gzip", [ArchiveFixture.Entry("note.txt", "x \(text)")]))
    var entries = [
      ArchiveFixture.Entry("a/filler.txt", filler),
      ArchiveFixture.Entry("a/note.txt.gz", ""),
      ArchiveFixture.Entry("a/empty", ""),
      ArchiveFixture.Entry("a/last.txt", "the end: \(text)"),
    ]
    entries[1].content = inner
    if takesLongNames(format) {
      entries.insert(ArchiveFixture.Entry(longName, "deep: \(text)"), at: 3)
    }
    return try #require(ArchiveFixture.write(format, filter: filter, entries))
  }

  private static func change(_ options: inout ScanOptions) { options.limits.memberSize = 64 << 10 }

  @Test(
    arguments: [ArchiveFixture.Format.pax, .ustar, .gnutar, .v7tar],
    ["gzip", "xz", "bzip2", "zstd"])
  func `of a compressed tar archive are read`(
    _ format: ArchiveFixture.Format, _ filter: String
  ) async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.tar.x", bytes: try Self.archive(format, filter: filter, holding: Leak.text))
    let report = try await folder.scan(needles: [Leak.needle], rules: [], Self.change)
    #expect(report.codes == [] && report.run.status == 1)
    #expect(report.findings.contains { $0.locator.hasSuffix("!/a/last.txt") })
    #expect(
      report.findings.contains { $0.locator.contains("!/a/note.txt.gz!/note.txt") })
    let named = report.findings.contains { $0.context.member == Self.longName }
    #expect(named == Self.takesLongNames(format))
    #expect(report.findings.count == (named ? 3 : 2))
    // The same with another text is clean, and was read to its end.
    let clean = try TemporaryFolder()
    try clean.write("a.tar.x", bytes: try Self.archive(format, filter: filter, holding: "a boat"))
    #expect(try await clean.scan(needles: [Leak.needle], rules: [], Self.change).run.status == 0)
  }

  @Test func `of a tar archive that is cut off are read as far as they go, which is told`()
    async throws
  {
    let whole = try Self.archive(.pax, holding: Leak.text)
    let cut = Array(whole[..<(whole.count / 512 * 512 - 1_024 - 700)])
    let folder = try TemporaryFolder()
    try folder.write("a.tar.gz", bytes: DeflateFixture.compress(cut, .gzip))
    let report = try await folder.scan(needles: [Leak.needle], rules: [], Self.change)
    #expect(report.codes == [.formatDamaged])
    #expect(report.findings.contains { $0.locator.contains("!/a/note.txt.gz!/note.txt") })
  }

  /// A package of Debian: archives that are compressed, stored in one that is not.
  @Test func `that are stored are opened where they lie`() async throws {
    let inner = try Self.archive(.gnutar, filter: "xz", holding: Leak.text)
    var entry = ArchiveFixture.Entry("data.tar.xz", "")
    entry.content = inner
    let package = try #require(ArchiveFixture.write(.ar, [entry]))
    let folder = try TemporaryFolder()
    try folder.write("a.deb", bytes: package)
    let report = try await folder.scan(needles: [Leak.needle], rules: []) {
      $0.limits.memberSize = inner.count / 2
    }
    #expect(report.codes == [])
    #expect(
      report.findings.contains {
        $0.locator.hasPrefix("a.deb!/data.tar.xz!/") && $0.locator.hasSuffix("!/a/last.txt")
      })
    let other = try Self.archive(.gnutar, filter: "xz", holding: "a boat")
    entry.content = other
    try folder.write("a.deb", bytes: try #require(ArchiveFixture.write(.ar, [entry])))
    #expect(
      try await folder.scan(needles: [Leak.needle], rules: []) {
        $0.limits.memberSize = other.count / 2
      }.run.status == 0)
  }
}
