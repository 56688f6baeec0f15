import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

/// Compressed values of which nothing is left but their own bytes: the raw search cannot see what they hold.
@Suite struct `Compressed data left over in a database` {
  private static let needle = Needle(id: "lost", kind: .text, value: "NDL-CORMORANT-0001")

  struct Case: Sendable, CustomStringConvertible {
    var size: Int
    var isGzip: Bool

    var description: String { "\(isGzip ? "gzip" : "zlib") in pages of \(size)" }

    static let all = [512, 1024, 4096].flatMap {
      [Case(size: $0, isGzip: true), Case(size: $0, isGzip: false)]
    }

    /// A blob of SQL that holds the needle, or nothing of interest.
    func blob(_ row: Int, holds: Bool, words: Int = 40) -> String {
      let (text, end) = (
        PlantedDatabase.filler(words, seed: row), PlantedDatabase.filler(words, seed: row + 100)
      )
      let middle = holds ? needle.value : "nothing at all"
      let content = Array("\(text) \(middle) \(end)".utf8)
      let bytes = DeflateFixture.compress(content, isGzip ? .gzip : .zlib)
      let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      return "x'\(digits.joined())'"
    }

    func builder() throws -> SQLiteBuilder {
      try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: size))
    }
  }

  private static func scan(_ files: [String: [UInt8]]) async throws -> Report {
    let folder = try TemporaryFolder()
    for (name, bytes) in files where !name.hasSuffix("-shm") {
      try folder.write(name, bytes: bytes)
    }
    return try await folder.scan(needles: [needle])
  }

  /// Expects the needle in the files, and nothing in those of a database that was told to leave nothing.
  private static func expect(
    _ worth: Set<Liveness>, in name: String = "store.db", _ test: Case,
    _ make: (SQLiteBuilder) throws -> Void
  ) async throws {
    let builder = try test.builder()
    try make(builder)
    let report = try await scan(builder.files())
    let found = report.findings.filter { $0.path == name }
    #expect(!found.isEmpty && worth.isSuperset(of: found.map(\.liveness)), "\(found)")
    #expect(found.allSatisfy { $0.context.page != nil })
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
    let clean = try test.builder()
    try clean.execute("PRAGMA secure_delete = ON")
    try make(clean)
    try clean.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try clean.execute("PRAGMA journal_mode = DELETE")
    try clean.execute("VACUUM")
    let none = try await scan(clean.files())
    #expect(none.findings.isEmpty && none.diagnostics.isEmpty)
  }

  @Test(arguments: Case.all) func `is read where its row was deleted`(test: Case) async throws {
    try await Self.expect([.deleted], test) { builder in
      try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, b BLOB)")
      for row in 1...12 {
        let blob = test.blob(row, holds: row == 5)
        try builder.execute("INSERT INTO t VALUES(\(row), 'row \(row)', \(blob))")
      }
      try builder.execute("DELETE FROM t WHERE id = 5")
    }
  }

  @Test(arguments: Case.all)
  func `is read where other rows have taken the start of its own`(test: Case) async throws {
    try await Self.expect([.deleted], test) { builder in
      try builder.execute("CREATE TABLE u(a TEXT)")
      try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, b BLOB)")
      for row in 1...3 {
        try builder.execute("INSERT INTO t VALUES(\(row), \(test.blob(row, holds: row == 1)))")
      }
      try builder.execute("DROP TABLE t")
      // The page is one of another table now: whose columns do not explain what is left.
      try builder.execute("CREATE TABLE v(a INTEGER, b INTEGER, c INTEGER, d INTEGER, e INTEGER)")
      try builder.execute("INSERT INTO v VALUES(1, 2, 3, 4, 5)")
    }
  }

  /// What is not followed is told.
  @Test(arguments: [(400, false), (700, true)])
  func `is told of where more starts of it stand on a page than are tried`(
    starts: Int, isTold: Bool
  ) async throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 65_536))
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, b BLOB)")
    // The first block is of a type that there is not.
    let blob = String(repeating: "789cff", count: starts)
    try builder.execute("INSERT INTO t VALUES(1, x'\(blob)'), (2, 'stays')")
    try builder.execute("DELETE FROM t WHERE id = 1")
    let codes = try await Self.scan(builder.files()).diagnostics.map(\.code)
    #expect(codes == (isTold ? [.limitCount] : []))
  }

  @Test(arguments: Case.all)
  func `is read from free pages of which no row tells`(test: Case) async throws {
    for words in [40, test.size] {
      try await Self.expect([.deleted], test) { builder in
        try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, p TEXT, b BLOB)")
        let filler = PlantedDatabase.filler(test.size * 2)
        for row in 1...2 {
          let blob = test.blob(row, holds: row == 2, words: words)
          try builder.execute("INSERT INTO t VALUES(\(row), '\(filler)', \(blob))")
        }
        try builder.execute("DELETE FROM t")
        let text = PlantedDatabase.filler(test.size / 5)
        for row in 3...5 { try builder.execute("INSERT INTO t VALUES(\(row), '\(text)', 0)") }
      }
    }
  }

  @Test(arguments: Case.all.filter { $0.size > 512 })
  func `is read behind the end of a value that uses its page`(test: Case) async throws {
    try await Self.expect([.slack, .deleted], test) { builder in
      try builder.execute("CREATE TABLE keep(a BLOB)")
      try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, b BLOB)")
      for row in 1...3 {
        try builder.execute("INSERT INTO t VALUES(\(row), \(test.blob(row, holds: row == 1)))")
      }
      try builder.execute("DROP TABLE t")
      // The shortest value that goes on in another page leaves an eighth of it free.
      try builder.execute("INSERT INTO keep VALUES(zeroblob(\(test.size - 38)))")
    }
  }

  @Test(arguments: Case.all) func `is read from frames and journals`(test: Case) async throws {
    for (mode, name, worth) in [
      ("WAL", "store.db-wal", [.superseded, .deleted, .live]),
      ("PERSIST", "store.db-journal", [.stale]),
    ] as [(String, String, Set<Liveness>)] {
      try await Self.expect(worth, in: name, test) { builder in
        try builder.execute("PRAGMA journal_mode = \(mode)")
        try builder.execute("PRAGMA wal_autocheckpoint = 0")
        try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, p TEXT, b BLOB)")
        for row in 1...4 {
          let blob = test.blob(row, holds: row == 2, words: 20)
          try builder.execute("INSERT INTO t VALUES(\(row), 'a text', \(blob))")
        }
        try builder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try builder.execute("DELETE FROM t WHERE id = 2")
        try builder.execute("INSERT INTO t VALUES(9, 'x', 1)")
      }
    }
  }

  @Test func `is not seen in text and noise`() async throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024))
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b BLOB)")
    let letters = Array("hCxXGHK8O(Sabc^")
    var random = SplitMix(seed: 800)
    for row in 1...800 {
      let text = (0..<200).map { letters[(row &* 7919 &+ $0 &* $0 &* row) % letters.count] }
      try builder.execute(
        "INSERT INTO t VALUES(\(row), '\(String(text))', x'\(SampleValues.hexadecimal(random.bytes(200)))')"
      )
    }
    try builder.execute("DELETE FROM t WHERE id % 2")
    let report = try await Self.scan(builder.files())
    #expect(report.findings.isEmpty && report.diagnostics.isEmpty, "\(report.diagnostics)")
  }
}
