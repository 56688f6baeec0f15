import Findings
import FixtureKit
import Reporting
import Scanning
import Testing

@Suite struct `Bills of materials` {
  private static let lock = #"""
    {"pins": [
      {"identity": "tide", "location": "https://github.com/example/tide.git",
       "state": {"revision": "0123456789012345678901234567890123456789", "version": "2.3.0"}},
      {"identity": "fork", "location": "https://example.org/fork",
       "state": {"branch": "main", "revision": "89"}}], "version": 2}
    """#
  private static let advisory = #"""
    {"id": "GHSA-1", "aliases": ["CVE-2026-1"], "summary": "Bad.", "affected": [{
      "package": {"ecosystem": "SwiftURL", "name": "github.com/example/tide"},
      "ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "2.3.1"}]}]}],
      "database_specific": {"severity": "HIGH"}}
    """#
  private static let framework = """
    <plist version="1.0"><dict><key>CFBundlePackageType</key><string>FMWK</string>
    <key>CFBundleName</key><string>Lantern</string>
    <key>CFBundleShortVersionString</key><string>4.1</string></dict></plist>
    """

  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("app/Package.resolved", Self.lock)
    try folder.write("other/Package.resolved", Self.lock)
    try folder.write(
      "app/.build/checkouts/tide/LICENSE",
      "Permission is hereby granted, free of charge, to any person obtaining a copy of this")
    try folder.write(
      "Tidal.ipa",
      bytes: ZipBuilder([
        .init("Payload/Tidal.app/Frameworks/Lantern.framework/Info.plist", Self.framework)
      ])
      .bytes())
    return folder
  }

  private func report(_ folder: TemporaryFolder, advisories: String?) async throws -> Report {
    var book: AdvisoryBook?
    if let advisories {
      let file = try TemporaryFolder()
      try file.write("GHSA-1.json", advisories)
      book = AdvisoryBook(try InputFile.advisories(at: file.path))
    }
    return try await folder.scan {
      $0.listsComponents = true
      $0.advisories = book
    }
  }

  @Test func `list what lock files and embedded frameworks name, once, with licences`() async throws
  {
    let report = try await report(try folder(), advisories: nil)
    #expect(
      report.components.map(\.packageURL) == [
        "pkg:generic/Lantern@4.1", "pkg:swift/example.org/fork@89",
        "pkg:swift/github.com/example/tide@2.3.0",
      ])
    let tide = try #require(report.components.last)
    #expect(tide.places == ["app/Package.resolved", "other/Package.resolved"])
    #expect(tide.licences == ["MIT"])
    #expect(
      report.components.first?.places
        == ["Tidal.ipa!/Payload/Tidal.app/Frameworks/Lantern.framework/Info.plist"])
  }

  @Test func `are compared with advisories`() async throws {
    let report = try await report(try folder(), advisories: Self.advisory)
    let found = report.findings.filter { $0.rule == "dependencies.vulnerable" }
    #expect(found.map(\.path) == ["app/Package.resolved", "other/Package.resolved"])
    #expect(found.first?.severity == .high)
    #expect(found.first?.message.contains("repaired in 2.3.1") == true)
    #expect(report.results.first { $0.rule == "dependencies.vulnerable" }?.outcome == .fail)
    #expect(report.run.status == 1)
    // The same in a version with the repair.
    let clean = try await self.report(
      try folder(), advisories: Self.advisory.replacing("2.3.1", with: "2.3.0"))
    let result = try #require(clean.results.first { $0.rule == "dependencies.vulnerable" })
    #expect(result.outcome == .notEvaluated)
    #expect(result.reason.contains("1 have no version"))
    #expect(!clean.findings.contains { $0.rule == "dependencies.vulnerable" })
  }

  @Test func `come back from a JSON report as they were`() async throws {
    let report = try await report(try folder(), advisories: Self.advisory)
    let read = try ReportFile.report(
      in: Array(JSONReport().render(report).utf8), path: "report.json")
    #expect(read.components == report.components)
    #expect(CycloneDXReport().render(read) == CycloneDXReport().render(report))
  }

  @Test func `hold no protected value, even where it is the name of a package`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "Package.resolved",
      Self.lock.replacing("example/tide", with: "example/\(Leak.text)").replacing(
        "https://example.org", with: "https://somebody:hunter2@example.org"))
    let report = try await folder.scan { $0.listsComponents = true }
    let bill = CycloneDXReport().render(report)
    #expect(report.components.count == 2)
    #expect(!bill.contains(Leak.text) && !bill.contains("hunter2"))
  }
}
