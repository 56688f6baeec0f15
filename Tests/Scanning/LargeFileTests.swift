import Bytes
import Findings
import FixtureKit
import Foundation
import Reporting
import RuleEngine
import Scanning
import Testing

@Suite struct `Files read in parts` {
  private static let part = 1 << 16
  private static var inParts: ScanOptions.Limits {
    var limits = ScanOptions.Limits()
    limits.partSize = part
    limits.largeSize = 2 * part
    return limits
  }

  /// Text with the leak at every seam of two parts, encoded text across one, and a database with rows
  /// that are gone.
  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    var text = Array(String(repeating: "all is well here\n", count: 24_000).utf8)
    let leak = Array(Leak.text.utf8)
    for seam in 1..<text.count / part {
      let start = seam * part - seam * 2 % leak.count
      text.replaceSubrange(start..<start + leak.count, with: leak)
    }
    try folder.write("seams.txt", bytes: text)
    let inner = String(repeating: "nothing to see. ", count: 3_000) + Leak.text
    let encoded = Data((inner + inner).utf8).base64EncodedString()
    try folder.write(
      "encoded.txt", "start of it\n" + encoded + "\nend " + Leak.text + "\n" + encoded)
    let builder = try SQLiteBuilder()
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)")
    try builder.execute("BEGIN")
    for row in 1...6_000 {
      let leaks = row % 500 == 7
      let body = leaks ? Leak.text : PlantedDatabase.filler(40, seed: row)
      let long = row % 900 == 7 ? PlantedDatabase.filler(9_000) + Leak.text : ""
      try builder.execute("INSERT INTO t VALUES(\(row), 'a \(body) \(long) z')")
    }
    try builder.execute("COMMIT")
    try builder.execute("DELETE FROM t WHERE id BETWEEN 2000 AND 4000")
    try folder.write("store.db", bytes: builder.files()["store.db"] ?? [])
    try folder.writeSparse(
      "holes.bin", size: 40 * part,
      [(3 * part - 8, leak), (20 * part + 100, leak), (40 * part - leak.count, leak)])
    return folder
  }

  private static func places(_ report: Report) -> [String] {
    report.findings.map { finding in
      let ranges = finding.ranges.map { "\($0.offset)+\($0.length)" }
      return "\(finding.path) \(finding.locator) \(finding.liveness) \(finding.line ?? 0) \(ranges)"
    }
  }

  @Test func `bring up what one reading does, with any number of jobs`() async throws {
    let folder = try Self.folder()
    let whole = try await folder.scan(rules: [Leak.rule])
    #expect(whole.findings.count > 20)
    #expect(Set(whole.paths) == ["seams.txt", "encoded.txt", "store.db", "holes.bin"])
    let one = try await folder.scan(rules: [Leak.rule]) { $0.limits = Self.inParts }
    #expect(Self.places(one) == Self.places(whole))
    #expect(one.inputs.map(\.sha256) == whole.inputs.map(\.sha256))
    #expect(one.inputs.allSatisfy { $0.sha256 != nil })
    #expect(one.run.status == whole.run.status)
    for jobs in [2, 3, 8] {
      let other = try await folder.scan(rules: [Leak.rule]) {
        $0.limits = Self.inParts
        $0.jobs = jobs
      }
      #expect(other.timeless == one.timeless)
    }
  }

  /// Structure that is read in shares gives what one reading gives, where the file is damaged too.
  @Test(arguments: Array(0..<12) + [100, 300])
  func `are put together to one structure, damaged or not`(seed: Int) async throws {
    let folder = try Self.folder()
    let store = try #require(FileManager.default.contents(atPath: folder["store.db"]))
    var bytes = [UInt8](store)
    for step in 0..<seed * 6 {
      let random = UInt64(seed * 1_000 + step + 1) &* 0x9e37_79b9_7f4a_7c15
      bytes[100 + Int(random >> 33) % (bytes.count - 100)] = UInt8(truncatingIfNeeded: random >> 8)
    }
    let only = try TemporaryFolder()
    try only.write("store.db", bytes: bytes)
    func scan(_ partSize: Int?, jobs: Int) async throws -> Report {
      try await only.scan(rules: [Leak.rule]) {
        if partSize != nil { $0.limits = Self.inParts }
        $0.jobs = jobs
      }
    }
    let whole = try await scan(nil, jobs: 1)
    let shared = try await scan(Self.part, jobs: 3)
    #expect(Self.places(shared) == Self.places(whole))
    #expect(shared.diagnostics == whole.diagnostics)
    #expect(shared.inputs.map(\.layout) == whole.inputs.map(\.layout))
    #expect(shared.inputs.map(\.sha256) == whole.inputs.map(\.sha256))
    #expect(whole.findings.count > 5)
    #expect(try await scan(Self.part, jobs: 1).timeless == shared.timeless)
  }

  @Test func `that take too long are said to be incomplete, no cause twice`() async throws {
    let folder = try Self.folder()
    let report = try await folder.scan {
      $0.limits = Self.inParts
      $0.limits.seconds = 0
    }
    #expect(report.run.status != 0)
    for path in ["seams.txt", "store.db", "holes.bin"] {
      let late = report.diagnostics.filter { $0.path == path && $0.code == .limitTime }
      #expect(!late.isEmpty && Set(late.map(\.message)).count == late.count, "\(path): \(late)")
      #expect(report.inputs.first { $0.path == path }?.sha256 == nil)
    }
  }
}
