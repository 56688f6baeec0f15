/// A database with values planted where residue lies, and what a reader must say of each.
package struct PlantedDatabase: Sendable, CustomStringConvertible {
  package struct Needle: Sendable {
    package var text: String
    /// Liveness by name: `live`, `deleted`, …
    package var liveness: String
    package var table: String
    /// The file it must be found in.
    package var file = "store.db"
    /// Raw bytes do not show it: it lies in pieces.
    package var isSplit = false
  }

  package var name: String
  package var settings: SQLiteBuilder.Settings
  package var files: [String: [UInt8]]
  package var needles: [Needle]

  package var description: String { "\(name), \(settings)" }

  init(
    _ name: String, _ builder: SQLiteBuilder, files: [String: [UInt8]]? = nil, _ needles: [Needle]
  ) {
    self.name = name
    settings = builder.settings
    self.files = files ?? builder.files()
    self.needles = needles
  }

  /// Text of `count` characters that is the same in every run and holds no needle.
  package static func filler(_ count: Int, seed: Int = 1) -> String {
    var state = UInt64(truncatingIfNeeded: seed &* 2_654_435_761 &+ 12345)
    var text = ""
    for _ in 0..<max(0, count) {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      text.unicodeScalars.append(Unicode.Scalar(UInt8(97 + (state >> 33) % 26)))
    }
    return text
  }

  /// Rows deleted one by one, and so many that whole pages are freed.
  package static func deletedRows(_ settings: SQLiteBuilder.Settings) throws -> PlantedDatabase {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("CREATE TABLE msg(id INTEGER PRIMARY KEY, body TEXT, n INTEGER)")
    try builder.execute("BEGIN")
    let rows = max(settings.pageSize / 4, 600)
    for row in 1...rows {
      let text =
        switch row {
        case 5: "NDL-LIVE-ROW-0001"
        case 20: "NDL-FREEBLOCK-002"
        case rows - 8: "NDL-FREELIST-0003"
        default: filler(17, seed: row)
        }
      try builder.execute("INSERT INTO msg VALUES(\(row), 'a \(text) z', \(row))")
    }
    try builder.execute("COMMIT")
    try builder.execute("DELETE FROM msg WHERE id = 20")
    try builder.execute("DELETE FROM msg WHERE id > \(rows / 2)")
    return PlantedDatabase(
      "deleted rows", builder,
      [
        Needle(text: "NDL-LIVE-ROW-0001", liveness: "live", table: "msg"),
        Needle(text: "NDL-FREEBLOCK-002", liveness: "deleted", table: "msg"),
        Needle(text: "NDL-FREELIST-0003", liveness: "deleted", table: "msg"),
      ])
  }

  /// Values that straddle the cell and its first overflow page, and two overflow pages.
  package static func overflowingRow(
    _ settings: SQLiteBuilder.Settings, isDeleted: Bool
  ) throws -> PlantedDatabase {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT)")
    let width = settings.encoding == "UTF-8" ? 1 : 2
    let usable = settings.pageSize - settings.reserved
    // Several chains before and after, so that freed pages are leaves of the freelist too.
    try builder.execute("INSERT INTO doc VALUES(1, '\(filler(usable * 3 / width))')")
    let count = usable * 4
    let minLocal = (usable - 12) * 32 / 255 - 23
    let header = 5  // sizes of header, NULL and text: 1 + 1 + 3
    let payload = header + count
    let kept = minLocal + (payload - minLocal) % (usable - 4)
    let local = kept <= usable - 35 ? kept : minLocal
    let needles = ["NDL-SPLIT-CELL-01", "NDL-SPLIT-PAGES-2"]
    var text = Array(filler(count / width, seed: 7))
    for (index, seam) in [local, local + usable - 4].enumerated() {
      let start = (seam - header) / width - 8
      for (offset, letter) in needles[index].enumerated() { text[start + offset] = letter }
    }
    try builder.execute("INSERT INTO doc VALUES(2, '\(String(text))')")
    try builder.execute("INSERT INTO doc VALUES(3, 'short')")
    var wanted = needles
    if isDeleted {
      try builder.execute("DELETE FROM doc WHERE id = 1")
      try builder.execute("DELETE FROM doc WHERE id = 2")
    } else {
      wanted = needles
    }
    return PlantedDatabase(
      isDeleted ? "deleted overflow" : "overflow", builder,
      wanted.map {
        Needle(
          text: $0, liveness: isDeleted ? "deleted" : "live", table: "doc", isSplit: true)
      })
  }

  /// A deleted value whose chain's first page became the trunk of the freelist: the freelist wrote
  /// over the middle of a needle that straddles cell and page.
  package static func overwrittenHead(
    _ settings: SQLiteBuilder.Settings
  ) throws -> PlantedDatabase {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT)")
    let width = settings.encoding == "UTF-8" ? 1 : 2
    let usable = settings.pageSize - settings.reserved
    let count = usable * 2
    let minLocal = (usable - 12) * 32 / 255 - 23
    let kept = minLocal + (5 + count - minLocal) % (usable - 4)
    let local = kept <= usable - 35 ? kept : minLocal
    var text = Array(filler(count / width, seed: 9))
    let start = (local - 5) / width - 8
    for (offset, letter) in lostNeedle.enumerated() { text[start + offset] = letter }
    try builder.execute("INSERT INTO doc VALUES(1, '\(String(text))')")
    try builder.execute("INSERT INTO doc VALUES(2, 'short')")
    try builder.execute("DELETE FROM doc WHERE id = 1")
    return PlantedDatabase("overwritten head of a chain", builder, [])
  }

  /// What is planted there: some of it is lost.
  package static let lostNeedle = "NDL-HALF-OF-IT-IS-LOST-0123456789"

  /// A table that is dropped with its rows.
  package static func droppedTable(_ settings: SQLiteBuilder.Settings) throws -> PlantedDatabase {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("CREATE TABLE keep(a)")
    try builder.execute("CREATE TABLE secret(id INTEGER PRIMARY KEY, pin TEXT, n INTEGER)")
    try builder.execute("INSERT INTO keep VALUES('stays')")
    for row in 1...max(settings.pageSize / 64, 200) {
      let text = row == 42 ? "NDL-DROPPED-00001" : filler(17, seed: row)
      try builder.execute("INSERT INTO secret VALUES(\(row), '\(text)', \(row * 1000))")
    }
    try builder.execute("DROP TABLE secret")
    return PlantedDatabase(
      "dropped table", builder,
      [Needle(text: "NDL-DROPPED-00001", liveness: "deleted", table: "secret")])
  }

  /// A log with every class of frame: current, superseded, never committed, older generation.
  package static func log(_ settings: SQLiteBuilder.Settings) throws -> PlantedDatabase {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("PRAGMA journal_mode = WAL")
    try builder.execute("PRAGMA wal_autocheckpoint = 0")
    try builder.execute("CREATE TABLE msg(id INTEGER PRIMARY KEY, body TEXT)")
    try builder.execute("BEGIN")
    for row in 1...60 {
      try builder.execute("INSERT INTO msg VALUES(\(row), '\(filler(40, seed: row))')")
    }
    try builder.execute("COMMIT")
    // A long first generation: its end outlasts what is written over its start.
    for row in 1...300 {
      try builder.execute("UPDATE msg SET body = '\(filler(40, seed: row))' WHERE id = 7")
    }
    try builder.execute("UPDATE msg SET body = 'NDL-STALE-FRAME-1' WHERE id = 30")
    try builder.execute("UPDATE msg SET body = 'overwritten again' WHERE id = 30")
    try builder.execute("PRAGMA wal_checkpoint(RESTART)")
    try builder.execute("UPDATE msg SET body = 'NDL-SUPERSEDED-02' WHERE id = 3")
    try builder.execute("UPDATE msg SET body = 'replaced by this.' WHERE id = 3")
    try builder.execute("UPDATE msg SET body = 'NDL-CURRENT-00003' WHERE id = 4")
    try builder.execute("PRAGMA cache_size = 5")
    try builder.execute("BEGIN")
    try builder.execute("CREATE TABLE spilled(id INTEGER PRIMARY KEY, body TEXT)")
    for row in 1...max(settings.pageSize / 32, 150) {
      let text = row == 2 ? "NDL-UNCOMMITTED-4" : filler(200, seed: row)
      try builder.execute("INSERT INTO spilled VALUES(\(row), '\(text)')")
    }
    let files = builder.files()
    try builder.execute("ROLLBACK")
    return PlantedDatabase(
      "write-ahead log", builder, files: files,
      [
        Needle(text: "NDL-STALE-FRAME-1", liveness: "stale", table: "msg", file: "store.db-wal"),
        Needle(
          text: "NDL-SUPERSEDED-02", liveness: "superseded", table: "msg", file: "store.db-wal"),
        Needle(text: "NDL-CURRENT-00003", liveness: "live", table: "msg", file: "store.db-wal"),
        Needle(text: "NDL-UNCOMMITTED-4", liveness: "uncommitted", table: "", file: "store.db-wal"),
      ])
  }

  /// A journal that is done with, its header zeroed, or one that a crash left hot.
  package static func journal(
    _ settings: SQLiteBuilder.Settings, isHot: Bool
  ) throws -> PlantedDatabase {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("PRAGMA journal_mode = PERSIST")
    try builder.execute("CREATE TABLE t(a TEXT, b INTEGER)")
    try builder.execute("INSERT INTO t VALUES('NDL-JOURNALED-001', 1)")
    try builder.execute("BEGIN")
    for row in 2...max(settings.pageSize / 16, 400) {
      try builder.execute("INSERT INTO t VALUES('\(filler(60, seed: row))', \(row))")
    }
    try builder.execute("COMMIT")
    var files: [String: [UInt8]]?
    if isHot {
      try builder.execute("PRAGMA cache_size = 5")
      try builder.execute("PRAGMA synchronous = FULL")
      try builder.execute("BEGIN")
      try builder.execute("UPDATE t SET a = 'changed ' || b")
      files = builder.files()
      try builder.execute("ROLLBACK")
    } else {
      try builder.execute("UPDATE t SET a = 'overwritten......' WHERE b = 1")
    }
    return PlantedDatabase(
      isHot ? "hot journal" : "persisted journal", builder, files: files,
      [
        Needle(
          text: "NDL-JOURNALED-001", liveness: isHot ? "live" : "stale", table: "t",
          file: "store.db-journal")
      ])
  }

  /// Trees without rowids and indexes, live and deleted.
  package static func keyedTrees(_ settings: SQLiteBuilder.Settings) throws -> PlantedDatabase {
    let builder = try SQLiteBuilder(settings)
    try builder.execute(
      "CREATE TABLE kv(value TEXT, name TEXT, PRIMARY KEY(name)) WITHOUT ROWID")
    try builder.execute("CREATE TABLE person(id INTEGER PRIMARY KEY, mail TEXT)")
    try builder.execute("CREATE INDEX by_mail ON person(mail)")
    for row in 1...max(settings.pageSize / 64, 200) {
      let live = row == 10
      let text =
        row == 12 ? "NDL-KEYED-GONE-02" : live ? "NDL-KEYED-LIVE-01" : filler(17, seed: row)
      try builder.execute("INSERT INTO kv VALUES('\(text)', 'k\(row)')")
      let mail = row == 12 ? "NDL-INDEX-GONE-03" : filler(17, seed: -row)
      try builder.execute("INSERT INTO person VALUES(\(row), '\(mail)')")
    }
    try builder.execute("DELETE FROM kv WHERE name = 'k12'")
    try builder.execute("DELETE FROM person WHERE id = 12")
    return PlantedDatabase(
      "keyed trees", builder,
      [
        Needle(text: "NDL-KEYED-LIVE-01", liveness: "live", table: "kv"),
        Needle(text: "NDL-KEYED-GONE-02", liveness: "deleted", table: "kv"),
        Needle(text: "NDL-INDEX-GONE-03", liveness: "deleted", table: "person"),
      ])
  }

  /// The settings that every case is tried with.
  package static let settings = [
    SQLiteBuilder.Settings(), SQLiteBuilder.Settings(pageSize: 512),
    SQLiteBuilder.Settings(pageSize: 1024), SQLiteBuilder.Settings(encoding: "UTF-16be"),
    SQLiteBuilder.Settings(reserved: 80),
    SQLiteBuilder.Settings(pageSize: 1024, encoding: "UTF-16be", reserved: 80),
    SQLiteBuilder.Settings(pageSize: 4096, encoding: "UTF-16le", autoVacuum: 2),
    SQLiteBuilder.Settings(pageSize: 1024, reserved: 80, autoVacuum: 2),
    SQLiteBuilder.Settings(pageSize: 65_536),
  ]

  /// Every case with one set of settings.
  package static func all(_ settings: SQLiteBuilder.Settings) throws -> [PlantedDatabase] {
    [
      try deletedRows(settings), try overflowingRow(settings, isDeleted: false),
      try overflowingRow(settings, isDeleted: true), try droppedTable(settings),
      try log(settings), try journal(settings, isHot: false), try journal(settings, isHot: true),
      try keyedTrees(settings), try vacuumed(settings), try orphanJournal(settings),
      try superJournal(settings), try statementJournal(settings), try backup(settings),
    ] + (settings.pageSize >= 1024 ? [try plaintextPage(settings)] : [])
      + (try ["fts4", "fts5"].compactMap { try fullText(settings, module: $0) })
  }
}
