import Findings
import FixtureKit
import Foundation
import RuleEngine
import Scanning
import Testing

/// A table of customers holds a million of addresses: a report that lists them all fits no memory.
@Suite struct `More places of one rule than a report lists` {
  private static func token(_ number: Int) -> String { "tok_8fK3mQ2xW9p\(100_000 + number)" }

  private static func scan(
    _ folder: TemporaryFolder, atMost places: Int, _ change: (inout ScanOptions) -> Void = { _ in }
  ) async throws -> Report {
    try await folder.scan(rules: [Leak.rule]) { options in
      options.limits.places = places
      change(&options)
    }
  }

  private static func message(_ seen: Int, _ listed: Int) -> String {
    "test.token was seen at least \(seen) times in this file: the first \(listed) places are listed"
  }

  @Test func `are counted, and the first are listed`() async throws {
    let folder = try TemporaryFolder()
    let lines = (1...60).map { "line \($0) \(Self.token($0))\n" }
    try folder.write("a.txt", lines.joined() + Leak.text)
    try folder.write("b.txt", lines[0])
    let all = try await Self.scan(folder, atMost: 60)
    #expect(all.findings.count == 62 && all.diagnostics.isEmpty)
    let report = try await Self.scan(folder, atMost: 50)
    #expect(
      report.findings.filter { $0.rule == "test.token" && $0.path == "a.txt" }.map(\.line)
        == Array(1...50))
    // What is rare in the file, and the other file, are told of as before.
    #expect(report.findings.count { $0.needle != nil || $0.path == "b.txt" } == 2)
    #expect(report.diagnostics.map(\.code) == [.limitCount])
    #expect(report.diagnostics.map(\.message) == [Self.message(60, 50)])
    let quiet = try await Self.scan(folder, atMost: 50) { $0.failOn = nil }
    #expect(report.run.status == 1 && quiet.run.status == 3)
  }

  @Test func `of a database keep the place that its reader gives them`() async throws {
    let builder = try SQLiteBuilder()
    try builder.execute("CREATE TABLE people(id INTEGER PRIMARY KEY, a TEXT)")
    for row in 1...400 {
      try builder.execute("INSERT INTO people VALUES(\(row), '\(Self.token(row))')")
    }
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: try #require(builder.files()["store.db"]))
    let report = try await Self.scan(folder, atMost: 300)
    #expect(report.findings.count == 300)
    #expect(report.findings.count { $0.context.column == "a" } > 200)
    #expect(report.diagnostics.map(\.code) == [.limitCount])
  }

  /// A value in base64 is seen in the line as it lies, in the line that a reader hands out, and where the
  /// padding looks like a soft line break once more: that is one place.
  @Test func `are counted once, in whatever view they are seen`() async throws {
    let folder = try TemporaryFolder()
    let values = (1...60).map { Data("x \(Self.token($0)) there".utf8).base64EncodedString() }
    try folder.write("a.txt", values.map { "data: \($0)\n" }.joined())
    let json = (1...60).map { Data("{\"a\": \"\(Self.token($0))\"}".utf8).base64EncodedString() }
    try folder.write("b.txt", json.map { "data: \($0)\n" }.joined())
    let all = try await Self.scan(folder, atMost: 60)
    #expect(all.findings.count == 120 && all.diagnostics.isEmpty)
    let report = try await Self.scan(folder, atMost: 50)
    #expect(report.findings.count == 100)
    #expect(report.diagnostics.map(\.message) == [Self.message(60, 50), Self.message(60, 50)])
  }

  /// What was not listed may have been none that another rule knows.
  @Test func `are told of where all that were kept gave way to another rule`() async throws {
    let folder = try TemporaryFolder()
    let lines = (1...60).map { "line \($0) \(Self.token($0))\n" }
    try folder.write("a.txt", lines.joined())
    var generic = Leak.rule
    generic.id = "test.any-token"
    generic.knownBy = .name
    for (places, listed) in [(60, 60), (50, 50)] {
      let report = try await folder.scan(rules: [generic, Leak.rule]) {
        $0.limits.places = places
      }
      #expect(report.findings.map(\.rule) == Array(repeating: "test.token", count: listed))
      guard places < 60 else {
        #expect(report.diagnostics.isEmpty)
        continue
      }
      #expect(
        report.diagnostics.map(\.message) == [
          "test.any-token was seen at least 60 times in this file: the first are listed"
            + " under rules that know more of them",
          Self.message(60, 50),
        ])
    }
  }

  /// The parts of a large file are searched in any order.
  @Test func `are the same for any number of jobs`() async throws {
    let folder = try TemporaryFolder()
    let text = (1...40_000).map {
      "\($0) " + ($0 % 9 == 0 ? Self.token($0) : "nothing here") + "\n"
    }
    try folder.write("large.txt", text.joined())
    // What is decoded and read in its structure is seen twice, and is one place.
    let json = Array("{\"a\": \"\(Self.token(1))\", \"b\": \"x \(Self.token(2))\"}".utf8)
    try folder.write(
      "calm.txt",
      "data: \(Data(json).base64EncodedString())\n"
        + String(repeating: "all is well\n", count: 20_000))
    // What a part has joined counts once, in the part and in the file.
    let twice = (1...6_000).map {
      Data("{\"a\": \"\(Self.token($0))\"}".utf8).base64EncodedString()
    }
    try folder.write("twice.txt", twice.map { "data: \($0)\n" }.joined())
    let builder = try SQLiteBuilder()
    try builder.execute("CREATE TABLE t(a TEXT)")
    try builder.execute("BEGIN")
    for row in 1...12_000 {
      try builder.execute(
        "INSERT INTO t VALUES('\(row % 5 == 0 ? Self.token(row) : "nothing in this row")')")
    }
    try builder.execute("COMMIT")
    try folder.write("large.db", bytes: try #require(builder.files()["store.db"]))
    var reports: [Report] = []
    for jobs in [1, 2, 8] {
      reports.append(
        try await Self.scan(folder, atMost: 700) {
          $0.jobs = jobs
          $0.limits.partSize = 1 << 16
          $0.limits.largeSize = 1 << 17
        })
    }
    #expect(Set(reports.map(\.timeless)).count == 1)
    let report = reports[0]
    let listed = report.findings.filter { $0.path == "large.txt" }
    #expect(listed.map(\.line) == (1...700).map { $0 * 9 })
    #expect(report.findings.count { $0.path == "large.db" } == 700)
    #expect(
      report.findings.filter { $0.path == "twice.txt" }.map(\.line) == Array(1...700))
    #expect(report.findings.count { $0.path == "calm.txt" } == 2)
    // Pages that were split hold more copies of rows.
    #expect(report.diagnostics.map(\.path) == ["large.db", "large.txt", "twice.txt"])
    #expect(report.diagnostics.dropLast().last?.message == Self.message(4_444, 700))
    #expect(report.diagnostics.last?.message == Self.message(6_000, 700))
  }

  /// A value that is not listed may be the key that another one stands under.
  @Test func `are covered in the places of others`() async throws {
    let folder = try TemporaryFolder()
    let members = (1...60).map {
      "\"\(Self.token($0))\": {\"x\": \"\($0 == 60 ? "\\u004frchid-Zebra-42" : "-")\"}"
    }
    try folder.write("a.json", "{\(members.joined(separator: ", "))}")
    let report = try await Self.scan(folder, atMost: 10)
    let leak = try #require(report.findings.first { $0.needle != nil })
    #expect(leak.locator.contains("/x"))
    for number in 1...60 { #expect(!report.timeless.contains(Self.token(number))) }
  }

  /// Nothing in the path says that it is one: the rule knows it by the word before.
  @Test func `are covered in the places of others, whatever told them`() async throws {
    let folder = try TemporaryFolder()
    let members = (1...60).map {
      "\"zebra\": 1, \"\(Self.token($0))\": {\"x\": \"\($0 == 60 ? "\\u004frchid-Zebra-42" : "-")\"}"
    }
    try folder.write("a.json", "{\(members.joined(separator: ", "))}")
    var rule = Leak.rule
    rule.context = ["zebra"]
    rule.examples.match = [Array("zebra tok_8fK3mQ2xW9pL".utf8)]
    for places in [10, 60] {
      let report = try await folder.scan(rules: [rule]) { $0.limits.places = places }
      #expect(report.findings.count { $0.rule == "test.token" } == places)
      #expect(report.findings.contains { $0.needle != nil && $0.locator.contains("/x") })
      for number in 1...60 { #expect(!report.timeless.contains(Self.token(number))) }
    }
  }

  /// A file of which all was left out is no quiet one.
  @Test func `are listed of the next file that holds the same`() async throws {
    let folder = try TemporaryFolder()
    let members = (1...60).map { ZipBuilder.Entry("m\($0).txt", "x \(Self.token($0))\n") }
    try folder.write("a.zip", bytes: ZipBuilder(members).bytes())
    try folder.write("b.zip", bytes: ZipBuilder(Array(members.suffix(5))).bytes())
    let report = try await Self.scan(folder, atMost: 10) { $0.jobs = 1 }
    #expect(report.findings.count { $0.path == "a.zip" } == 10)
    #expect(report.findings.count { $0.path == "b.zip" } == 5)
  }
}
