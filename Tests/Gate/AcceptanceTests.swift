import Findings
import FixtureKit
import Gate
import Scanning
import Testing

@Suite struct `Allowed findings` {
  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("Tests/a.txt", "used \(Gating.secret)\n")
    try folder.write("Sources/a.txt", "used \(Gating.secret)\n")
    return folder
  }

  private static func policy(_ what: String, until: String = "2999-01-01") -> String {
    "allowed: [{\(what), reason: made up, owner: mei, until: \(until)}]"
  }

  @Test(arguments: [
    ("rule: test.token, paths: Tests", ["test.token Sources/a.txt"]), ("rule: test.token", []),
    ("rule: test.*", []), ("rule: tes.*", ["test.token Sources/a.txt", "test.token Tests/a.txt"]),
    ("rule: test.toke", ["test.token Sources/a.txt", "test.token Tests/a.txt"]),
  ])
  func `stay in the report, marked`(what: String, open: [String]) async throws {
    let report = try await Self.folder().judged(Self.policy(what))
    #expect(report.open == open)
    #expect(report.findings.count == 2)
    for finding in report.findings {
      guard let suppressed = finding.suppressed else { continue }
      #expect(suppressed.by == .policy)
      #expect(suppressed.reason == "made up (mei)")
      #expect(suppressed.until == "2999-01-01")
    }
    #expect(report.notes.map(\.code) == (open.count == 2 ? [.policyUnused] : []))
  }

  @Test func `can be named by fingerprint`() async throws {
    let folder = try Self.folder()
    let fingerprint = try #require(try await folder.scan().findings.first).fingerprint
    let report = try await folder.judged(Self.policy("fingerprint: \(fingerprint)"))
    #expect(report.open == ["test.token Tests/a.txt"])
  }

  @Test func `that had their day are findings again, and so is the entry`() async throws {
    let report = try await Self.folder().judged(
      Self.policy("rule: test.token, paths: Tests", until: "2020-01-01"))
    #expect(
      report.open == [
        "test.token Sources/a.txt", "test.token Tests/a.txt", "policy.expired policy.yaml",
      ])
    let expired = try #require(report.findings.last)
    #expect(expired.line == 2)
    #expect(expired.remedy.hasPrefix("mei"))
    #expect(expired.severity >= .medium)
  }

  @Test func `never are those that say the gate is broken`() async throws {
    let report = try await Self.folder().judged(
      "required: {files: 9}\nallowed: [{rule: policy.*, reason: r, owner: o, until: 2999-01-01},"
        + " {rule: x.y, reason: r, owner: o, until: 2020-01-01}]")
    #expect(report.open.contains("policy.required "))
    #expect(report.open.contains("policy.expired policy.yaml"))
    let baseline = Baseline(accepting: report, reason: "all", until: nil)
    #expect(Set(baseline.entries.map(\.rule)) == ["test.token"])
  }
}

@Suite struct `A baseline` {
  private static func accepting(_ folder: TemporaryFolder, until: String? = nil) async throws
    -> Baseline
  {
    Baseline(accepting: try await folder.scan(), reason: "before the gate", until: until)
  }

  /// The folder under another name, as a build server makes a new one for every run.
  private static func moved(_ change: (TemporaryFolder) throws -> Void) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try change(folder)
    return folder
  }

  @Test func `survives moved lines and renamed temporary folders, and sees what is new`()
    async throws
  {
    let old = try Self.moved {
      try $0.write("Data/7C1E6A0B-9D5F-4E21-8A77-0F3B52C6D911/a.txt", "k=\(Gating.secret)\n")
      try $0.write("work/tmp.Xy12Ab/b.txt", "k=\(Gating.secret)\n")
      try $0.write("out/vestige-OOgKmv/c.txt", "k=\(Gating.secret)\n")
    }
    let new = try Self.moved {
      try $0.write(
        "Data/0B9F1C7A-1111-4E21-8A77-0F3B52C6D9FF/a.txt", "\n\nmoved, k=\(Gating.secret)\n")
      try $0.write("work/tmp.Q9wK4z/b.txt", "k=\(Gating.secret)\n")
      try $0.write("out/vestige-zQ3PaX/c.txt", "more\nk=\(Gating.secret)\n")
    }
    let baseline = try await Self.accepting(old)
    let report = try await new.judged(baseline: baseline)
    #expect(report.open.isEmpty)
    #expect(report.findings.map(\.suppressed?.by) == [.baseline, .baseline, .baseline])
    #expect(report.notes.isEmpty)
    try new.write("work/tmp.Q9wK4z/b.txt", "k=\(Gating.secret)x\n")
    let changed = try await new.judged(baseline: baseline)
    #expect(changed.open == ["test.token work/tmp.Q9wK4z/b.txt"])
    #expect(changed.notes.map(\.code) == [.baselineGone])
    #expect(changed.run.status == 1)
  }

  @Test func `survives a vacuumed database, and counts rows of one value`() async throws {
    let folder = try TemporaryFolder()
    func change(_ statements: [String]) throws {
      let database = try SQLiteFixture(at: folder["s.sqlite"])
      for statement in statements { try database.run(statement) }
    }
    let row = "INSERT INTO person(name) VALUES('\(Gating.secret)')"
    try change(
      ["CREATE TABLE person(id INTEGER PRIMARY KEY, name)"]
        + [String](repeating: row, count: 5) + ["INSERT INTO person(name) VALUES(zeroblob(20000))"]
        + [row, "DELETE FROM person WHERE id = 6"])
    let baseline = try await Self.accepting(folder)
    #expect(baseline.entries.filter { $0.rule == "test.token" }.map(\.count).max() == 6)
    let before = try await folder.scan()
    try change(["VACUUM"])
    let after = try await folder.scan()
    #expect(before.findings.map(\.ranges) != after.findings.map(\.ranges))
    #expect(try await folder.judged(baseline: baseline).open.isEmpty)
    try change([row, row])
    let more = try await folder.judged(baseline: baseline)
    #expect(more.open.contains("test.token s.sqlite"))
    #expect(more.findings.count { $0.suppressed?.by == .baseline } >= 6)
  }

  @Test func `counts residue as one, however much there is`() async throws {
    let folder = try TemporaryFolder()
    let database = try SQLiteFixture(at: folder["live"])
    try database.run("PRAGMA journal_mode=WAL", "CREATE TABLE t(x)")
    for number in 0..<4 {
      try database.run("INSERT INTO t VALUES('\(Gating.secret)')", "DELETE FROM t")
      try folder.copy("live-wal", to: "kept/s-wal")
      try folder.copy("live", to: "kept/s")
      guard number == 1 else { continue }
      let report = try await folder.scan { $0.include = [Glob("kept")] }
      let residue = report.findings.filter { $0.liveness != .live }
      #expect(!residue.isEmpty)
    }
    var first = try await folder.scan { $0.include = [Glob("kept")] }
    first.findings = Array(first.findings.filter { $0.liveness != .live }.prefix(1))
    let baseline = Baseline(accepting: first, reason: "known residue", until: nil)
    var report = try await folder.scan { $0.include = [Glob("kept")] }
    let same = report.findings.filter { $0.fingerprint == first.findings.first?.fingerprint }
    #expect(same.count > 1)
    try Gating.gate(baseline: baseline).judge(&report)
    #expect(
      report.findings.filter { $0.fingerprint == first.findings.first?.fingerprint }
        .allSatisfy { $0.suppressed?.by == .baseline })
  }

  @Test func `that had its day accepts nothing and says so`() async throws {
    let folder = try Self.moved { try $0.write("a.txt", "k=\(Gating.secret)\n") }
    let report = try await folder.judged(
      baseline: try await Self.accepting(folder, until: "2020-01-01"))
    #expect(report.open == ["test.token a.txt"])
    #expect(report.notes.map(\.code) == [.baselineExpired])
    let later = try await folder.judged(
      baseline: try await Self.accepting(folder, until: "2999-01-01"))
    #expect(later.open.isEmpty)
  }

  @Test func `made under another key is refused`() async throws {
    let folder = try Self.moved { try $0.write("a.txt", "k=\(Gating.secret)\n") }
    var baseline = try await Self.accepting(folder)
    baseline.fingerprintKey = "0011223344556677"
    await #expect(throws: Gate.Failure.otherKey(baseline: "baseline.yaml")) {
      _ = try await folder.judged(baseline: baseline)
    }
  }

  @Test func `brought up to date keeps reasons, drops what is gone, and adds only when asked`()
    async throws
  {
    let folder = try Self.moved {
      try $0.write("a.txt", "k=\(Gating.secret)\n")
      try $0.write("b.txt", "k=\(Gating.secret)\n")
    }
    let old = try await Self.accepting(folder)
    try folder.write("b.txt", "clean\n")
    try folder.write("c.txt", "k=\(Gating.secret)\nk=\(Gating.secret)\n")
    let report = try await folder.judged(baseline: old)
    let kept = old.updated(to: report, reason: nil, until: nil)
    #expect(kept.baseline.entries.map(\.path) == ["a.txt"])
    #expect((kept.added, kept.removed) == (0, 1))
    let grown = old.updated(to: report, reason: "newer", until: "2999-01-01")
    #expect(grown.baseline.entries.map(\.path) == ["a.txt", "c.txt"])
    #expect(grown.baseline.entries.map(\.reason) == ["before the gate", "newer"])
    #expect(grown.baseline.entries.map(\.count) == [1, 2])
    #expect((grown.added, grown.removed) == (2, 1))
    #expect(try await folder.judged(baseline: grown.baseline).open.isEmpty)
    let again = grown.baseline.updated(to: report, reason: "again", until: nil)
    #expect(again.baseline == grown.baseline)
  }

  @Test(arguments: [
    "plain", "\"}], \\ \n\t", "日本語 é e\u{301}", "# : - {", "\u{1b}[31m\u{2028}", "'",
  ])
  func `reads back as it was written, whatever its texts`(text: String) throws {
    var baseline = Baseline(fingerprintKey: "published")
    baseline.entries = [
      Baseline.Entry(
        fingerprint: "00ff", count: 3, rule: "a.b", path: text, reason: "because " + text,
        until: "2027-01-31"),
      Baseline.Entry(
        fingerprint: "0a", count: 1, rule: "a.b", path: text + "x", reason: "r", until: nil),
    ]
    var read = try Baseline(yaml: baseline.text, path: "b.yaml")
    #expect(read.entries.map(\.line) == [5, 6])
    for index in read.entries.indices { read.entries[index].line = 0 }
    #expect(read == baseline)
    #expect(baseline.text.split(separator: "\n").count == 6)
    #expect(try Baseline(yaml: Baseline(fingerprintKey: "k").text, path: "b").entries.isEmpty)
  }

  @Test(
    arguments: [
      ("count: 3", "count: 0", "5:5: the count"), ("count: 3", "count: x", "a whole number"),
      ("rule: \"a.b\"", "rul: \"a.b\"", "unknown key"), ("reason: \"r\"", "reason: \"\"", "empty"),
      ("vestige-baseline: 1", "vestige-baseline: 2", "2:19: the version must be 1"),
      ("fingerprint: \"0a\"", "fingerprint: \"00ff\"", "6:5: a fingerprint stands here"),
      ("2027-01-31", "2027-13-31", "a day is wanted"),
    ] as [(String, String, String)])
  func `that is damaged is refused with its line and column`(
    part: String, change: String, problem: String
  ) throws {
    let text = """
      # A baseline.
      vestige-baseline: 1
      fingerprint-key: "published"
      accepted:
        - {fingerprint: "00ff", rule: "a.b", path: "p", count: 3, reason: "r", until: "2027-01-31"}
        - {fingerprint: "0a", rule: "a.b", path: "p", count: 1, reason: "r"}
      """
    let error = try #require(throws: GateFileError.self) {
      _ = try Baseline(
        yaml: text.replacing(part, with: change, maxReplacements: 1), path: "b.yaml")
    }
    #expect(error.problem.contains(problem), "\(error.problem)")
  }
}

@Suite struct `The difference of two reports` {
  @Test func `is what is new, gone and unchanged`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "k=\(Gating.secret)\n")
    try folder.write("b.txt", "k=\(Gating.secret)\n")
    let old = try await folder.scan()
    try folder.write("a.txt", "\n\nk=\(Gating.secret)\nk=\(Gating.secret)\n")
    try folder.write("b.txt", "clean")
    let new = try await folder.scan()
    let difference = try ReportDifference(from: old, to: new)
    #expect(difference.new.map(\.path) == ["a.txt"])
    #expect(difference.gone.map(\.path) == ["b.txt"])
    #expect(difference.unchanged.map(\.path) == ["a.txt"])
    #expect(difference.failures(from: .high).count == 1)
    #expect(difference.failures(from: .critical).isEmpty)
    #expect(difference.failures(from: nil).isEmpty)
    let same = try ReportDifference(from: new, to: new)
    #expect(same.new.isEmpty && same.gone.isEmpty && same.unchanged.count == 2)
    var other = new
    other.run.fingerprintKey = "00"
    #expect(throws: ReportDifference.Incomparable.self) {
      _ = try ReportDifference(from: old, to: other)
    }
  }
}
