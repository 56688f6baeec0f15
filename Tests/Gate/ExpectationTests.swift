import Findings
import FixtureKit
import Gate
import Scanning
import Testing

@Suite struct `Expectations` {
  /// A key and a salt: one page of which a part is the same byte over and over is hardly random.
  private static let key =
    String(repeating: "5a", count: 32) + "00112233445566778899aabbccddeeff"

  /// A folder with an encrypted database and a plain one, as the library writes them.
  private static func stores() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("plain/readme.txt", "nothing")
    try folder.write("sealed/readme.txt", "nothing")
    for (name, key) in [("plain/s.1", nil), ("sealed/s.1", Self.key)] {
      let database = try SQLiteFixture(at: folder[name], rawKey: key)
      try database.run(
        "PRAGMA journal_mode=WAL", "CREATE TABLE t(x)", "INSERT INTO t VALUES(zeroblob(9000))")
      // The library removes the log when it closes the database.
      for suffix in ["", "-wal", "-shm"] {
        try folder.copy(name + suffix, to: name.replacing("/", with: "/kept/") + suffix)
      }
    }
    return folder
  }

  @Test func `tell ciphertext from a plain database, logs included`() async throws {
    let folder = try Self.stores()
    let report = try await folder.judged(
      """
      expect:
        - {paths: "plain/**/s.*", encrypted: sqlcipher, severity: critical, why: the reason}
        - {paths: "sealed/**/s.*", encrypted: sqlcipher}
      """)
    #expect(
      report.open == [
        "policy.encrypted plain/kept/s.1", "policy.encrypted plain/kept/s.1-wal",
        "policy.encrypted plain/s.1",
      ])
    #expect(report.outcomes == ["policy.encrypted fail", "policy.encrypted pass"])
    let finding = try #require(report.findings.first)
    #expect(finding.severity == .critical)
    #expect(finding.remedy.contains("the reason"))
    #expect(report.run.status == 1)
  }

  @Test func `fail on text where ciphertext is wanted, and on ciphertext that is no database`()
    async throws
  {
    let folder = try TemporaryFolder()
    try folder.write("a/text", String(repeating: "all is well\n", count: 900))
    let report = try await folder.judged("expect: [{paths: a, encrypted: any}]")
    #expect(report.open == ["policy.encrypted a/text"])
  }

  @Test func `that cannot be decided leave the run incomplete`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a/small", bytes: [0x8f, 0, 0x3a, 0xff, 0x81])
    let report = try await folder.judged("expect: [{paths: a, encrypted: any}]")
    #expect(report.diagnostics.map(\.code) == [.policyUndecided])
    #expect(report.outcomes == ["policy.encrypted notEvaluated"])
    #expect(report.run.status == 3)
    var options = try await folder.scan { $0.allowed = [.policyUndecided] }
    try Gating.gate("expect: [{paths: a, encrypted: any}]").judge(&options)
    #expect(options.run.status == 0)
  }

  @Test func `take an empty log for no plaintext`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("s.1-wal", bytes: [])
    let report = try await folder.judged("expect: [{paths: \"s.*\", encrypted: sqlcipher}]")
    #expect(report.run.status == 0)
  }

  @Test func `see what must not be there, whatever it holds`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.bak", "nothing")
    try folder.write("tmp/x/y", "nothing")
    try folder.write("kept", "nothing")
    folder.makePipe("b.bak")
    let policy =
      "expect: [{paths: [\"*.bak\", tmp], absent: true}, {paths: \"*.old\", absent: true}]"
    let report = try await folder.judged(policy)
    #expect(
      report.open == ["policy.absent a.bak", "policy.absent b.bak", "policy.absent tmp/x/y"])
    #expect(report.outcomes == ["policy.absent fail", "policy.absent pass"])
  }

  @Test func `forbid what would not reach the threshold`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a/leak.txt", "used \(Gating.secret) and Orchid-Zebra-42\n")
    try folder.write("b/leak.txt", "used \(Gating.secret)\n")
    let report = try await folder.judged(
      """
      fail-on: never
      expect:
        - {paths: a, no: [needles, test]}
        - {paths: b, no: [needles]}
        - {paths: b, no: [pii]}
      """)
    #expect(
      report.open.filter { $0.hasPrefix("policy") } == [
        "policy.no-needle a/leak.txt", "policy.no-test a/leak.txt",
      ])
    #expect(
      report.outcomes == [
        "policy.no-needle fail", "policy.no-needle pass", "policy.no-pii notEvaluated",
        "policy.no-test fail",
      ])
    // No rule of that pack was in effect: nothing found there means nothing.
    #expect(report.diagnostics.map(\.code) == [.policyUndecided])
  }

  @Test func `do not count what lies inside ciphertext or was accepted`() async throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "a.swift", "let t = \"\(Gating.secret)\" // vestige:allow test.token a made-up one\n")
    let report = try await folder.judged("expect: [{paths: \"**\", no: [test]}]")
    #expect(report.open.isEmpty)
    #expect(report.run.status == 0)
  }

  @Test func `want names that say nothing, and tell each name once`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("birth/one", "nothing")
    try folder.write("birth/two", "nothing")
    try folder.write("x/birthday.db", "nothing")
    let report = try await folder.judged("expect: [{paths: \"**\", names: neutral}]")
    #expect(report.open == ["policy.names birth", "policy.names x/birthday.db"])
  }

  @Test(arguments: [
    ("required: {files: 3}", ["policy.required "]), ("required: {files: 2}", []),
    ("required: {paths: [\"**/s.sqlite\"]}", ["policy.required **/s.sqlite"]),
    ("required: {paths: [a.txt, d]}", []), ("required: {paths: pipe}", ["policy.required pipe"]),
    ("expect: [{paths: \"*.db\", required: true}]", ["policy.required *.db"]),
    ("expect: [{paths: \"*.txt\", required: true}]", []),
  ])
  func `want what the gate is about to be read`(policy: String, open: [String]) async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "nothing")
    try folder.write("d/b.txt", "nothing")
    folder.makePipe("pipe")
    let report = try await folder.judged(policy + "\nallow: [walk.special]")
    #expect(report.open == open)
  }

  @Test func `of a share are left to the whole`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "nothing")
    var report = try await folder.scan { $0.shard = Report.Shard(index: 1, count: 2) }
    try Gating.gate("required: {files: 9}").judge(&report)
    #expect(report.open.isEmpty)
  }
}
