import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

/// What a database file is worth with the log or the journal that lies beside it.
@Suite struct `Databases with what lies beside them` {
  static let old = Needle(id: "old", kind: .text, value: "NDL-KESTREL-0001")
  static let kept = Needle(id: "kept", kind: .text, value: "NDL-KESTREL-0002")

  private static func folder(of files: [String: [UInt8]]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (name, bytes) in files where !name.hasSuffix("-shm") {
      try folder.write(name, bytes: bytes)
    }
    return folder
  }

  /// The liveness of what was found of a needle in one of the files.
  private static func worth(_ needle: Needle, _ report: Report, in file: String) -> Set<Liveness> {
    Set(report.findings.filter { $0.needle == needle.id && $0.path == file }.map(\.liveness))
  }

  /// One table to be dropped and one to be kept, each with a value on a page of its own and one that
  /// goes to overflow pages.
  private static func tables(_ settings: SQLiteBuilder.Settings) throws -> SQLiteBuilder {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("PRAGMA journal_mode = WAL")
    try builder.execute("PRAGMA wal_autocheckpoint = 0")
    for (table, needle) in [("gone", old), ("here", kept)] {
      try builder.execute("CREATE TABLE \(table)(id INTEGER PRIMARY KEY, a TEXT)")
      let filler = PlantedDatabase.filler(settings.pageSize)
      for row in 1...40 {
        try builder.execute(
          "INSERT INTO \(table) VALUES(\(row), 'a \(PlantedDatabase.filler(60, seed: row)) z')")
      }
      try builder.execute("INSERT INTO \(table) VALUES(41, 'a \(needle.value) z')")
      try builder.execute("INSERT INTO \(table) VALUES(42, '\(filler) \(needle.value) \(filler)')")
    }
    try builder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return builder
  }

  @Test(arguments: [
    SQLiteBuilder.Settings(), SQLiteBuilder.Settings(pageSize: 512),
    SQLiteBuilder.Settings(pageSize: 1024, encoding: "UTF-16be", reserved: 80),
    SQLiteBuilder.Settings(pageSize: 1024, autoVacuum: 2),
  ])
  func `hold nothing live on pages that the log has freed without writing them`(
    settings: SQLiteBuilder.Settings
  ) async throws {
    let builder = try Self.tables(settings)
    try builder.execute("DROP TABLE gone")
    let report = try await Self.folder(of: builder.files()).scan(needles: [Self.old, Self.kept])
    #expect(Self.worth(Self.old, report, in: "store.db") == [.superseded])
    #expect(Self.worth(Self.kept, report, in: "store.db") == [.live])
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
    // Without the log the same file holds both.
    var alone = builder.files()
    alone["store.db-wal"] = nil
    let before = try await Self.folder(of: alone).scan(needles: [Self.old, Self.kept])
    #expect(Self.worth(Self.old, before, in: "store.db") == [.live])
  }

  @Test(arguments: SQLiteBuilder.Settings.some)
  func `hold live what goes on in pages that the log left alone`(
    settings: SQLiteBuilder.Settings
  ) async throws {
    let builder = try Self.tables(settings)
    // The page of both rows is written anew; the overflow pages of the second are not.
    try builder.execute("UPDATE here SET a = 'changed' WHERE id = 41")
    let report = try await Self.folder(of: builder.files()).scan(needles: [Self.kept])
    #expect(Self.worth(Self.kept, report, in: "store.db") == [.live, .superseded])
    let live = report.findings.filter { $0.liveness == .live }
    #expect(live.allSatisfy { $0.context.table == "here" && $0.context.column == "a" })
  }

  /// A database in a row of another, whose page is written anew in the log or whose value is replaced there.
  @Test(arguments: SQLiteBuilder.Settings.some, [false, true])
  func `judge a database in a row by the pages that it lies on`(
    settings: SQLiteBuilder.Settings, isReplaced: Bool
  ) async throws {
    let inner = try SQLiteBuilder(settings)
    try inner.execute("CREATE TABLE n(a TEXT)")
    for row in 1...40 {
      try inner.execute("INSERT INTO n VALUES('\(PlantedDatabase.filler(60, seed: row))')")
    }
    // On pages behind the first, where nothing lies that the row's own page shows, and over two of them.
    let filler = PlantedDatabase.filler(settings.pageSize)
    try inner.execute("INSERT INTO n VALUES('a \(Self.kept.value) z')")
    try inner.execute("INSERT INTO n VALUES('\(filler) \(Self.old.value) \(filler)')")
    let digits = try #require(inner.files()["store.db"]).map {
      ($0 < 16 ? "0" : "") + String($0, radix: 16)
    }
    let builder = try SQLiteBuilder(settings)
    try builder.execute("PRAGMA journal_mode = WAL")
    try builder.execute("PRAGMA wal_autocheckpoint = 0")
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b BLOB)")
    try builder.execute("INSERT INTO t VALUES(1, 'x', x'\(digits.joined())'), (2, 'y', NULL)")
    try builder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let change = isReplaced ? "b = NULL WHERE id = 1" : "a = 'z' WHERE id = 2"
    try builder.execute("UPDATE t SET \(change)")
    let report = try await Self.folder(of: builder.files()).scan(needles: [Self.old, Self.kept])
    for needle in [Self.old, Self.kept] {
      let worth = Self.worth(needle, report, in: "store.db")
      #expect(worth == [isReplaced ? .superseded : .live], "\(needle.id)")
    }
    let nested = report.findings.filter { $0.locator.contains("/cell/1!/page/") }
    #expect(!nested.isEmpty && nested.allSatisfy { $0.context.table == "n" })
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  /// More pages than a small database has: what goes on in others is known all the same.
  @Test(arguments: [20, 4500])
  func `know the pages that a row goes on in, however many there are`(count: Int) async throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 512))
    try builder.execute("PRAGMA journal_mode = WAL")
    try builder.execute("PRAGMA wal_autocheckpoint = 0")
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)")
    try builder.execute("BEGIN")
    let filler = PlantedDatabase.filler(700)
    for row in 1...count {
      try builder.execute("INSERT INTO t VALUES(\(row), '\(filler) \(row)')")
    }
    try builder.execute("INSERT INTO t VALUES(9000, '\(filler) \(Self.old.value) \(filler)')")
    try builder.execute("INSERT INTO t VALUES(9001, '\(filler) \(Self.kept.value) \(filler)')")
    try builder.execute("COMMIT")
    try builder.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    try builder.execute("DELETE FROM t WHERE id = 9000")
    let new = Needle(id: "new", kind: .text, value: "NDL-KESTREL-0004")
    try builder.execute("INSERT INTO t VALUES(9002, '\(filler) \(new.value) \(filler)')")
    try builder.execute("UPDATE t SET a = '\(filler) \(filler) changed' WHERE id = 9002")
    try builder.execute("INSERT INTO t VALUES(9003, '\(filler) \(new.value) \(filler)')")
    let files = builder.files()
    #expect(try #require(files["store.db"]).count / 512 > count)
    let report = try await Self.folder(of: files).scan(needles: [Self.old, Self.kept, new])
    #expect(Self.worth(Self.kept, report, in: "store.db") == [.live])
    #expect(Self.worth(Self.old, report, in: "store.db") == [.superseded])
    let frames = report.findings.filter { $0.needle == "new" && $0.path == "store.db-wal" }
    #expect(Set(frames.map(\.liveness)) == [.live, .superseded])
    #expect(
      frames.filter { $0.liveness == .live }.allSatisfy {
        $0.context.table == "t" && $0.context.column == "a" && $0.context.rowid == 9003
      })
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  @Test func `name a table as the log calls it now`() async throws {
    let builder = try Self.tables(SQLiteBuilder.Settings())
    try builder.execute("ALTER TABLE gone RENAME TO renamed")
    try builder.execute("DROP TABLE here")
    let report = try await Self.folder(of: builder.files()).scan(needles: [Self.old])
    let live = report.findings.filter { $0.liveness == .live && $0.path == "store.db" }
    #expect(live.count == 2)
    #expect(live.allSatisfy { $0.context.table == "renamed" })
    #expect(!report.codes.contains(.formatDamaged), "\(report.diagnostics)")
  }

  @Test(arguments: [
    SQLiteBuilder.Settings(pageSize: 1024),
    SQLiteBuilder.Settings(pageSize: 512, encoding: "UTF-16le"),
    SQLiteBuilder.Settings(pageSize: 4096, reserved: 32, autoVacuum: 1),
  ])
  func `keep what a hot journal takes back apart from what it brings back`(
    settings: SQLiteBuilder.Settings
  ) async throws {
    let builder = try Self.tables(settings)
    try builder.execute("PRAGMA journal_mode = DELETE")
    try builder.execute("PRAGMA cache_size = 2")
    try builder.execute("BEGIN")
    // Free pages are not journalled, only what points to them: the rows stay where they are.
    try builder.execute("DELETE FROM gone")
    let new = Needle(id: "new", kind: .text, value: "NDL-KESTREL-0003")
    for row in 100...400 {
      try builder.execute("INSERT INTO here VALUES(\(row), 'a \(new.value) z \(row)')")
    }
    let files = builder.files()
    try #require(files["store.db-journal"]?.isEmpty == false)
    let report = try await Self.folder(of: files).scan(needles: [Self.old, Self.kept, new])
    let all = ["store.db", "store.db-journal"].map { Self.worth(Self.old, report, in: $0) }
    #expect(all.contains { $0.contains(.live) }, "\(all)")
    let written = Self.worth(new, report, in: "store.db")
    #expect(written.contains(.uncommitted) && !written.contains(.live), "\(written)")
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  /// A transaction over several files is committed where its super-journal is gone.
  @Test(arguments: [0, 1, 2, 3]) func `go by the super-journal that a journal names`(
    kind: Int
  ) async throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024))
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)")
    for row in 1...200 {
      try builder.execute("INSERT INTO t VALUES(\(row), 'a \(Self.old.value) \(row)')")
    }
    try builder.execute("PRAGMA cache_size = 2")
    try builder.execute("PRAGMA synchronous = FULL")
    try builder.execute("BEGIN")
    try builder.execute("UPDATE t SET a = 'a \(Self.kept.value) ' || id")
    var files = builder.files()
    let name = Array("/data/app/\(kind == 3 ? "other" : "store").db-mj0A1B2C3D9".utf8)
    // The page that holds the file's lock bytes, and the name with its length and sum.
    var end: [UInt8] = []
    end.appendBigEndian(UInt32(0x4000_0000 / 1024 + 1))
    end += name
    end.appendBigEndian(UInt32(name.count))
    end.appendBigEndian(name.reduce(UInt32(0)) { $0 + UInt32($1) })
    end += [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    if kind > 0 { files["store.db-journal"]? += end }
    if kind == 1 { files["store.db-mj0A1B2C3D9"] = Array("/data/app/store.db-journal\0".utf8) }
    let report = try await Self.folder(of: files).scan(needles: [Self.old, Self.kept])
    let isDone = kind == 2
    #expect(Self.worth(Self.kept, report, in: "store.db").contains(isDone ? .live : .uncommitted))
    #expect(!Self.worth(Self.kept, report, in: "store.db").contains(isDone ? .uncommitted : .live))
    let before = Self.worth(Self.old, report, in: "store.db-journal")
    #expect(before.contains(isDone ? .stale : .live) && !before.contains(isDone ? .live : .stale))
  }

  @Test func `are judged by themselves beside the log of another`() async throws {
    let builder = try Self.tables(SQLiteBuilder.Settings())
    let other = try SQLiteBuilder(SQLiteBuilder.Settings())
    try other.execute("PRAGMA journal_mode = WAL")
    try other.execute("PRAGMA wal_autocheckpoint = 0")
    try other.execute("CREATE TABLE elsewhere(id INTEGER PRIMARY KEY, z TEXT)")
    try other.execute("INSERT INTO elsewhere VALUES(1, '\(Self.kept.value)')")
    var files = builder.files()
    files["store.db-wal"] = other.files()["store.db-wal"]
    let report = try await Self.folder(of: files).scan(needles: [Self.old, Self.kept])
    #expect(Self.worth(Self.old, report, in: "store.db") == [.live])
    #expect(report.findings.contains { $0.context.table == "elsewhere" })
    #expect(report.codes == [.formatDamaged])
  }

  @Test func `take records behind the end of a rollback for what they are`() async throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024))
    try builder.execute("PRAGMA journal_mode = PERSIST")
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)")
    for row in 1...400 {
      try builder.execute("INSERT INTO t VALUES(\(row), 'a \(Self.old.value) \(row)')")
    }
    try builder.execute("UPDATE t SET a = 'changed ' || id")
    // Not synced: nothing counts the records of the new transaction, and it is shorter.
    try builder.execute("PRAGMA cache_size = 2")
    try builder.execute("BEGIN")
    try builder.execute("UPDATE t SET a = 'again ' || id WHERE id < 120")
    let files = builder.files()
    let journal = try #require(files["store.db-journal"])
    try #require(journal.starts(with: [0xd9, 0xd5]))
    let report = try await Self.folder(of: files).scan(needles: [Self.old])
    let worth = Self.worth(Self.old, report, in: "store.db-journal")
    #expect(worth.contains(.stale) && !worth.contains(.live), "\(worth)")
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
    // One bit of a record that counts is damage.
    var damaged = files
    damaged["store.db-journal"]?[512 + 4 + 1024 - 200] ^= 1
    let second = try await Self.folder(of: damaged).scan(needles: [Self.old])
    #expect(second.codes.contains(.formatDamaged))
  }
}

@Suite struct `Rows that share bytes with others` {
  private static let number = "+442079460958"

  @Test(arguments: SQLiteBuilder.Settings.some)
  func `are live where no row was ever deleted, whatever copies point to their pages`(
    settings: SQLiteBuilder.Settings
  ) async throws {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT)")
    try builder.execute("CREATE INDEX by_a ON t(a)")
    let needles = (1...60).map {
      Needle(id: "n\($0)", kind: .text, value: "NDL-PLOVER-\(1000 + $0 * 37 % 61)")
    }
    // Keys in no order split the pages of the index, and leave copies of their cells.
    for (row, needle) in needles.enumerated() {
      let filler = PlantedDatabase.filler(settings.pageSize / 4 * 5, seed: row * 7919)
      try builder.execute("INSERT INTO t VALUES(\(row), '\(filler) \(needle.value) \(filler)')")
    }
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: try #require(builder.files()["store.db"]))
    let report = try await folder.scan(needles: needles)
    for needle in needles {
      let found = report.findings.filter { $0.needle == needle.id }
      #expect(found.count { $0.liveness == .live } >= 2, "\(needle.value)")
      #expect(found.allSatisfy { $0.liveness == .live }, "\(needle.value)")
    }
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  @Test(arguments: SQLiteBuilder.Settings.some)
  func `are found by their rowid`(settings: SQLiteBuilder.Settings) async throws {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("CREATE TABLE person(number INTEGER PRIMARY KEY, a TEXT)")
    try builder.execute("CREATE TABLE event(a TEXT)")
    try builder.execute("INSERT INTO person VALUES(442079460958, 'x')")
    try builder.execute("INSERT INTO event(rowid, a) VALUES(7305518264991, 'y')")
    try builder.execute("INSERT INTO event(rowid, a) VALUES(9123456789012345678, 'y')")
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: try #require(builder.files()["store.db"]))
    let report = try await folder.scan(needles: [
      Needle(id: "phone", kind: .phone, value: Self.number),
      Needle(id: "number", kind: .number, value: "7305518264991"),
      Needle(id: "long", kind: .number, value: "9123456789012345678"),
    ])
    let found = report.findings.map { [$0.needle, $0.context.table, $0.context.column] }
    #expect(
      Set(found) == [
        ["phone", "person", "number"], ["number", "event", "rowid"], ["long", "event", "rowid"],
      ])
  }

  @Test(arguments: [512, 1024, 4096])
  func `are seen across two free pages when nothing points to the first any more`(
    size: Int
  ) async throws {
    let needle = Needle(id: "seam", kind: .text, value: "NDL-SANDPIPER-0001")
    func file(with text: String) throws -> [UInt8] {
      let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: size))
      try builder.execute("CREATE TABLE t(a TEXT)")
      try builder.execute("INSERT INTO t VALUES('HEAD\(text)')")
      try builder.execute("DELETE FROM t")
      var bytes = try #require(builder.files()["store.db"])
      let head = try #require(Self.offset(of: Array("HEAD".utf8), in: bytes))
      // What was left of the row is written over.
      for offset in head - 16..<(head / size + 1) * size { bytes[offset] = 0 }
      return bytes
    }
    let filler = PlantedDatabase.filler(size * 6)
    let bytes = try file(with: filler)
    let start = Array(bytes[4 * size + 4..<4 * size + 24])
    let border = try #require(Self.offset(of: start, in: Array(filler.utf8)))
    let text = filler.prefix(border - 7) + needle.value + filler.dropFirst(border + 11)
    let cut = try file(with: String(text))
    #expect(Self.offset(of: Array(needle.value.utf8), in: cut) == nil)
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: cut)
    let found = try await folder.scan(needles: [needle]).findings
    #expect(found.map(\.liveness) == [.deleted])
    #expect(found.first?.ranges.count == 2)
  }

  private static func offset(of part: [UInt8], in bytes: [UInt8]) -> Int? {
    (0...bytes.count - part.count).first {
      bytes[$0] == part[0] && bytes[$0..<$0 + part.count].elementsEqual(part)
    }
  }

  @Test func `that are left over and cut are no damage to the file`() async throws {
    for isDeleted in [false, true] {
      let builder = try SQLiteBuilder()
      try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a BLOB)")
      // The start of a compressed stream, and then something else.
      let blob = "1f8b0800000000000003" + String(repeating: "ffeeddcc", count: 60)
      try builder.execute("INSERT INTO t VALUES(1, 'first'), (2, x'\(blob)'), (3, 'last')")
      if isDeleted { try builder.execute("DELETE FROM t WHERE id = 2") }
      let folder = try TemporaryFolder()
      try folder.write("store.db", bytes: try #require(builder.files()["store.db"]))
      let report = try await folder.scan()
      #expect(report.codes.contains(.formatDamaged) == !isDeleted, "\(report.diagnostics)")
    }
  }
}

extension SQLiteBuilder.Settings {
  static let some = [
    Self(), Self(pageSize: 512), Self(pageSize: 1024, encoding: "UTF-16be", reserved: 80),
    Self(pageSize: 1024, encoding: "UTF-16le", autoVacuum: 1),
  ]
}
