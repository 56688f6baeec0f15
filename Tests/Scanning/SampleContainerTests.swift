import Findings
import FixtureKit
import RuleEngine
import RulePacks
import Scanning
import Testing

/// The whole way: a container as an app leaves it, walked, read, judged and reported.
@Suite struct `Sample container` {
  /// Scans a fresh container with all packs and its own needles.
  private func report(jobs: Int = 1) async throws -> Report {
    let folder = try FixtureFolder(temporary: "sample-container-tests")
    defer { folder.remove() }
    let container = folder.path + "/container"
    try SampleContainer.write(to: container)
    var options = ScanOptions()
    options.paths = [container]
    options.rules = try RulePack.rules(in: RulePacks.files, checksPatterns: false)
    options.needles = try NeedleFile.needles(in: SampleValues.needles, path: "needles.yaml")
    options.jobs = jobs
    return try await Scanner(options).scan()
  }

  private func isFound(_ planted: SampleContainer.Planted, in report: Report) -> Bool {
    report.findings.contains { finding in
      finding.path == planted.path && finding.liveness.rawValue == planted.liveness
        && (finding.needle ?? finding.rule) == planted.what
    }
  }

  @Test func `every planted value is found where it is and for what it is worth`() async throws {
    let report = try await report()
    for planted in SampleContainer.planted {
      #expect(isFound(planted, in: report), "\(planted)")
    }
    #expect(report.run.status == 1)
  }

  @Test func `what only looks like a leak is silent`() async throws {
    let report = try await report()
    for path in SampleContainer.lookAlikes {
      #expect(report.inputs.contains { $0.path == path && $0.sha256 != nil }, "\(path) was read")
      #expect(!report.findings.contains { $0.path == path }, "\(path) is silent")
    }
  }

  @Test func `the encrypted store is said not to have been looked at, and nothing else`()
    async throws
  {
    let report = try await report()
    #expect(report.diagnostics.map(\.path) == [SampleContainer.vault])
    #expect(report.diagnostics.map(\.code) == [.formatEncrypted])
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
    for finding in report.findings {
      for value in [SampleValues.name, SampleValues.accessToken, SampleValues.phone] {
        #expect(!finding.sample.contains(value))
        #expect(!finding.message.contains(value))
      }
    }
    let places = report.findings.map { "\($0.path) \($0.rule) \($0.needle ?? "") \($0.locator)" }
    #expect(Set(places).count == places.count)
  }

  @Test func `the number of tasks changes nothing`() async throws {
    let folder = try FixtureFolder(temporary: "sample-container-tests")
    defer { folder.remove() }
    try SampleContainer.write(to: folder.path + "/container")
    var options = ScanOptions()
    options.paths = [folder.path + "/container"]
    options.rules = try RulePack.rules(in: RulePacks.files, checksPatterns: false)
    options.needles = try NeedleFile.needles(in: SampleValues.needles, path: "needles.yaml")
    let alone = try await Scanner(options).scan()
    options.jobs = 8
    let together = try await Scanner(options).scan()
    #expect(alone.findings == together.findings)
    #expect(alone.inputs == together.inputs)
    #expect(alone.diagnostics == together.diagnostics)
  }
}
