extension PlantedDatabase {
  /// A page that was freed where the file is kept small: a leaf of the freelist among pointer maps.
  package static func vacuumed(_ settings: SQLiteBuilder.Settings) throws -> PlantedDatabase {
    var settings = settings
    settings.autoVacuum = 2
    var planted = try deletedRows(settings)
    planted.name = "incremental vacuum"
    return planted
  }

  /// A full-text index whose terms raw bytes do not show: each keeps only what differs from the one
  /// before it. The second row is deleted, and the index rewritten without it. Nothing where the
  /// library has no such module.
  package static func fullText(
    _ settings: SQLiteBuilder.Settings, module: String
  ) throws -> PlantedDatabase? {
    let builder = try SQLiteBuilder(settings)
    guard (try? builder.execute("CREATE VIRTUAL TABLE f USING \(module)(c)")) != nil else {
      return nil
    }
    // Enough terms for leaves of their own, and for free pages when they are rewritten.
    try builder.execute("BEGIN")
    for row in 1...600 {
      let own =
        switch row {
        case 300: "ndlterm ndltermlive0001"
        case 301: "ndlterm ndltermgone0002"
        default: filler(12, seed: row)
        }
      try builder.execute(
        "INSERT INTO f(rowid, c) VALUES(\(row), '\(own) \(filler(9, seed: -row))')")
    }
    try builder.execute("COMMIT")
    // FTS4 fills nodes of the size of a page: a small index is one node, kept beside the others' list.
    let isOneNode = settings.pageSize > 16_384
    let blobs = module == "fts5" ? "f_data" : isOneNode ? "f_segdir" : "f_segments"
    let before = builder.files()
    try builder.execute("DELETE FROM f WHERE rowid = 301")
    try builder.execute("INSERT INTO f(f) VALUES('optimize')")
    var files = builder.files()
    files["before.db"] = before["store.db"]
    return PlantedDatabase(
      "\(module) index", builder, files: files,
      [
        Needle(text: "ndltermlive0001", liveness: "live", table: blobs, file: "before.db"),
        Needle(text: "ndltermgone0002", liveness: "live", table: blobs, file: "before.db"),
        Needle(text: "ndltermlive0001", liveness: "live", table: blobs),
        Needle(text: "ndltermgone0002", liveness: "deleted", table: ""),
      ])
  }

  /// A journal in the clear that was left beside a database when that was encrypted.
  package static func orphanJournal(_ settings: SQLiteBuilder.Settings) throws -> PlantedDatabase {
    var planted = try journal(settings, isHot: false)
    let encrypted = try SQLiteBuilder(SQLiteBuilder.Settings(), key: "a new key")
    try encrypted.execute("CREATE TABLE t(a TEXT, b INTEGER)")
    for row in 1...40 { try encrypted.execute("INSERT INTO t VALUES('\(filler(300))', \(row))") }
    planted.files["store.db"] = encrypted.files()["store.db"]
    planted.name = "orphan journal"
    return planted
  }

  /// A journal of a transaction over several databases: the name of their super-journal stands at its
  /// end (`writeSuperJournal` in pager.c).
  package static func superJournal(_ settings: SQLiteBuilder.Settings) throws -> PlantedDatabase {
    var planted = try journal(settings, isHot: true)
    planted.name = "super-journal"
    guard var bytes = planted.files["store.db-journal"] else { return planted }
    let name = Array(superName.utf8)
    bytes.appendBigEndian(UInt32(0x4000_0000 / settings.pageSize + 1))
    bytes += name
    bytes.appendBigEndian(UInt32(name.count))
    bytes.appendBigEndian(name.reduce(UInt32(0)) { $0 &+ UInt32($1) })
    bytes += [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    planted.files["store.db-journal"] = bytes
    // Its list of journals: for as long as it is there the transaction is not committed.
    planted.files["store.db-mj1A2B3C4D9"] = Array("/var/mobile/store.db-journal\0".utf8)
    return planted
  }

  package static let superName = "/var/mobile/store.db-mj1A2B3C4D9"

  /// The journal of a statement that could fail halfway: a file that SQLite unlinks when it makes it.
  package static func statementJournal(
    _ settings: SQLiteBuilder.Settings
  ) throws -> PlantedDatabase {
    let builder = try SQLiteBuilder(settings)
    let needle = "NDL-STATEMENT-001"
    try builder.execute("PRAGMA temp_store = FILE")
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT NOT NULL, n INTEGER)")
    try builder.execute("BEGIN")
    // More than the 64 KiB that SQLite keeps in memory, and more than the cells of one large page.
    for row in 1...max(2_000, settings.pageSize / 16) {
      let text = row == 900 ? needle : filler(60, seed: row)
      try builder.execute("INSERT INTO t VALUES(\(row), 'a \(text) z', \(row))")
    }
    try builder.execute("COMMIT")
    try builder.execute("BEGIN")
    // Only pages that the transaction changed before go into the journal of a statement.
    try builder.execute("UPDATE t SET n = n + 1")
    try builder.execute("UPDATE t SET a = 'changed ' || id")
    let stored = settings.stored(needle)
    let journal = UnlinkedFiles.temporary().first { $0.holds(stored) }
    try builder.execute("ROLLBACK")
    return PlantedDatabase(
      "statement journal", builder, files: ["etilqs_8f1c2b3a": journal ?? []],
      [Needle(text: needle, liveness: "stale", table: "", file: "etilqs_8f1c2b3a")])
  }

  /// A copy in the clear beside the database that was encrypted.
  package static func backup(_ settings: SQLiteBuilder.Settings) throws -> PlantedDatabase {
    var planted = try deletedRows(settings)
    planted.name = "backup"
    planted.files = ["store.db.bak": planted.files["store.db"] ?? []]
    for index in planted.needles.indices { planted.needles[index].file = "store.db.bak" }
    return planted
  }

  /// One page in the clear in a file that otherwise is ciphertext. Its table cannot be told: the schema
  /// is ciphertext.
  package static func plaintextPage(_ settings: SQLiteBuilder.Settings) throws -> PlantedDatabase {
    var planted = try deletedRows(settings)
    planted.name = "plaintext page"
    let size = settings.pageSize
    guard let plain = planted.files["store.db"] else { return planted }
    let stored = settings.stored("NDL-LIVE-ROW-0001")
    // The root holds a copy from when it was a leaf.
    let page = (1..<plain.count / size).first {
      plain[$0 * size] == 13 && Array(plain[$0 * size..<($0 + 1) * size]).holds(stored)
    }
    var file = dense(40 * size)
    if let page {
      file.replaceSubrange(6 * size..<7 * size, with: plain[page * size..<(page + 1) * size])
    }
    planted.files = ["store.db": file]
    planted.needles = [Needle(text: "NDL-LIVE-ROW-0001", liveness: "live", table: "")]
    return planted
  }

  /// Bytes that look like ciphertext, the same ones every time.
  package static func dense(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
  }
}

extension [UInt8] {
  fileprivate func holds(_ needle: [UInt8]) -> Bool {
    guard let first = needle.first, count >= needle.count else { return false }
    return indices.contains {
      self[$0] == first && count - $0 >= needle.count
        && self[$0..<$0 + needle.count].elementsEqual(needle)
    }
  }
}
