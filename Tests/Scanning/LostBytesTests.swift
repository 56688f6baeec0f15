import Findings
import FixtureKit
import RuleEngine
import Testing

@Suite struct `A needle of which bytes were written over` {
  private func report(
    _ settings: SQLiteBuilder.Settings, needle: String
  ) async throws -> Report {
    let folder = try TemporaryFolder()
    let planted = try PlantedDatabase.overwrittenHead(settings)
    try folder.write("store.db", bytes: #require(planted.files["store.db"]))
    return try await folder.scan(needles: [Needle(id: "half", kind: .text, value: needle)])
  }

  @Test(arguments: PlantedDatabase.settings)
  func `is found by the bytes that are left, and says how many`(
    settings: SQLiteBuilder.Settings
  ) async throws {
    let report = try await report(settings, needle: PlantedDatabase.lostNeedle)
    let found = report.findings.filter { $0.needle == "half" }
    let finding = try #require(found.first, "\(settings)")
    #expect(finding.form?.hasSuffix("bytes") == true)
    #expect(finding.form?.contains(" of ") == true)
    #expect(finding.liveness == .deleted)
    #expect(finding.context.table == "doc")
    #expect(finding.context.column == "body")
    #expect(!finding.ranges.isEmpty)
  }

  @Test func `is not found where a byte that is left is another one`() async throws {
    let other = "NDL-HALF-OF-IT-IS-LOST-012345678X"
    let report = try await report(SQLiteBuilder.Settings(), needle: other)
    #expect(report.findings.isEmpty)
  }
}
