import Findings
import FixtureKit
import RuleEngine
import SQLiteFormat
import Scanning
import Testing

@Suite struct `Keys of encrypted databases` {
  /// Scans the sample container's encrypted store, and its plain one as the leak beside it.
  private func report(_ keys: [DatabaseKey]) async throws -> Report {
    let folder = try FixtureFolder(temporary: "database-key-tests")
    defer { folder.remove() }
    try SampleContainer.write(to: folder.path + "/container")
    var options = ScanOptions()
    options.paths = [folder.path + "/container/" + SampleContainer.vault]
    options.needles = [Needle(id: "name", kind: .text, value: SampleValues.name)]
    options.keys = keys
    return try await Scanner(options).scan()
  }

  @Test func `without a key ciphertext is clean`() async throws {
    let report = try await report([])
    #expect(report.findings.isEmpty)
    #expect(report.inputs.map(\.encrypted) == [.yes])
    #expect(report.run.status == 0)
  }

  @Test func `what the right key opens is reported, and is no leak`() async throws {
    let key = try #require(DatabaseKey(hexadecimal: SampleValues.vaultKey))
    let report = try await report([key])
    let finding = try #require(report.findings.first { $0.needle == "name" })
    #expect(finding.suppressed?.reason == "inside ciphertext that a given key opens")
    #expect(finding.context.table == "person")
    #expect(finding.ranges.isEmpty)
    #expect(report.run.status == 0)
  }

  @Test func `a key that opens nothing leaves the scan incomplete`() async throws {
    let report = try await report([.raw([UInt8](repeating: 7, count: 32))])
    #expect(report.findings.isEmpty)
    #expect(report.diagnostics.map(\.code) == [.formatEncrypted])
    #expect(report.run.status == 3)
  }
}
