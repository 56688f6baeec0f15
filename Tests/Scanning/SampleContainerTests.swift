import Findings
import FixtureKit
import RuleEngine
import RulePacks
import Scanning
import Testing

/// The whole way: a container as an app leaves it, walked, read, judged and reported.
@Suite struct `Sample container` {
  /// Scans a fresh container with all packs and its own needles.
  private func report() async throws -> Report {
    let folder = try FixtureFolder(temporary: "sample-container-tests")
    defer { folder.remove() }
    try SampleContainer.write(to: folder.path + "/container")
    return try await Scanner(options(folder.path + "/container")).scan()
  }

  private func options(_ container: String, jobs: Int = 1) throws -> ScanOptions {
    var options = ScanOptions()
    options.paths = [container]
    options.rules = try RulePack.rules(in: RulePacks.files, checksPatterns: false)
    options.needles = try NeedleFile.needles(in: SampleValues.needles, path: "needles.yaml")
    options.jobs = jobs
    return options
  }

  private func isFound(_ planted: SampleContainer.Planted, in report: Report) -> Bool {
    report.findings.contains { finding in
      finding.path == planted.path && finding.liveness.rawValue == planted.liveness
        && (finding.needle ?? finding.rule) == planted.what
    }
  }

  @Test func `every planted value is found where it is and for what it is worth`() async throws {
    let report = try await report()
    let missed = SampleContainer.planted.filter { !isFound($0, in: report) }.map(\.description)
    #expect(missed == [])
    #expect(report.run.status == 1)
  }

  @Test func `what only looks like a leak is silent`() async throws {
    let report = try await report()
    let read = report.inputs.filter { $0.sha256 != nil }.map(\.path)
    #expect(SampleContainer.lookAlikes.filter { !read.contains($0) } == [])
    let reported = report.findings.filter { SampleContainer.lookAlikes.contains($0.path) }
    #expect(reported.map { "\($0.rule) in \($0.locator)" } == [])
  }

  @Test func `the encrypted store is said to be ciphertext, and nothing was passed over`()
    async throws
  {
    let report = try await report()
    #expect(report.diagnostics.isEmpty)
    let ciphertext = report.inputs.filter { $0.encrypted == .yes }.map(\.path)
    #expect(ciphertext == [SampleContainer.vault])
  }

  @Test func `a value across two overflow pages is one finding with both of its ranges`()
    async throws
  {
    let report = try await report()
    let backup = report.findings.filter { $0.path == "Documents/Notes.sqlite.bak" }
    let cut = backup.filter { $0.context.table == "note" && $0.needle == "name" }
    #expect(cut.count == 2)
    for finding in cut {
      #expect(finding.ranges.count == 2)
      #expect(finding.ranges.reduce(0) { $0 + $1.length } == SampleValues.name.utf8.count)
    }
  }

  @Test func `no finding shows a value, and no finding is told twice`() async throws {
    let report = try await report()
    let values = [SampleValues.name, SampleValues.accessToken, SampleValues.phone]
    let telling = report.findings.filter { finding in
      values.contains { finding.sample.contains($0) || finding.message.contains($0) }
    }
    #expect(telling.map(\.locator) == [])
    let places = report.findings.map { "\($0.path) \($0.rule) \($0.needle ?? "") \($0.locator)" }
    #expect(Set(places).count == places.count)
  }

  @Test func `the number of tasks changes nothing`() async throws {
    let folder = try FixtureFolder(temporary: "sample-container-tests")
    defer { folder.remove() }
    try SampleContainer.write(to: folder.path + "/container")
    let container = folder.path + "/container"
    let alone = try await Scanner(options(container)).scan()
    let together = try await Scanner(options(container, jobs: 8)).scan()
    #expect(alone.findings == together.findings)
    #expect(alone.inputs == together.inputs)
    #expect(alone.diagnostics == together.diagnostics)
  }
}
