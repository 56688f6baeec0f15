extension SampleContainer {
  private static let pageSize = 4_096

  /// A database of the sample, closed, as bytes.
  static func database(
    _ name: String, in workshop: FixtureFolder, rawKey: String? = nil,
    _ fill: (borrowing SQLiteFixture) throws(SQLiteFixture.Failure) -> Void
  ) throws -> [UInt8] {
    try build(name, in: workshop, rawKey, fill)
    return try workshop.bytes(of: name)
  }

  /// The connection is closed, and the file whole, on return.
  private static func build(
    _ name: String, in workshop: FixtureFolder, _ rawKey: String?,
    _ fill: (borrowing SQLiteFixture) throws(SQLiteFixture.Failure) -> Void
  ) throws(SQLiteFixture.Failure) {
    let database = try SQLiteFixture(at: "\(workshop.path)/\(name)", rawKey: rawKey)
    // What deleted rows leave behind is the point; distributions often build with it switched off.
    try database.run("PRAGMA secure_delete = OFF")
    // SQLCipher has a page size of its own; given another one, it leaves part of each page in clear.
    if rawKey == nil { try database.run("PRAGMA page_size = \(pageSize)") }
    try fill(database)
  }

  static func writeDatabases(to folder: FixtureFolder, _ workshop: FixtureFolder) throws {
    try folder.write(
      database("backup.sqlite", in: workshop, fillNotes), to: notes + ".bak")
    let current = try database("notes.sqlite", in: workshop) {
      database throws(SQLiteFixture.Failure) in
      try fillNotes(database)
      try database.run(
        "DELETE FROM contact WHERE id = 3", "DELETE FROM note WHERE id = 2",
        "INSERT INTO setting VALUES('store', x'\(SampleValues.hexadecimal(SampleValues.databaseKey))')"
      )
    }
    try folder.write(current, to: notes)
    try writeModel(to: folder, workshop)
    try writeOutbox(to: folder, workshop)
  }

  /// Contacts and notes. The body of note 1 goes to overflow pages, with the name across the end of
  /// the first of them; note 2 leaves its pages to the freelist when it is deleted.
  private static func fillNotes(_ database: borrowing SQLiteFixture) throws(SQLiteFixture.Failure) {
    let filler = "Low water at the pier, wind from the west, two boats out. "
    try database.run(
      "CREATE TABLE contact(id INTEGER PRIMARY KEY, name TEXT, remark TEXT)",
      "CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT, body TEXT)",
      "CREATE TABLE setting(name TEXT PRIMARY KEY, value BLOB)",
      "INSERT INTO contact VALUES(1, 'Odile Brandvold', 'harbour office')",
      "INSERT INTO contact VALUES(2, 'Tariq Oyelaran', 'sails')",
      "INSERT INTO contact VALUES(3, '\(SampleValues.name)', 'moved away, forget her')",
      "INSERT INTO contact VALUES(4, 'Henning Aalto', 'engine')",
      "INSERT INTO note VALUES(1, 'Log', '\(overflowing(filler))')",
      "INSERT INTO note VALUES(2, 'Draft', '\(overflowing("A draft that nobody wants to keep. "))')"
    )
  }

  /// A text of three pages in which the name lies across the border of two overflow pages.
  ///
  /// Of a payload of P bytes, K = M + (P - M) mod (U - 4) stay on the table's leaf, or M where K is more
  /// than U - 35; U is the page size and M = (U - 12) · 32 / 255 - 23. Each overflow page takes U - 4
  /// (SQLite file format, §1.6).
  private static func overflowing(_ filler: String) -> String {
    let capacity = pageSize - 4
    let least = (pageSize - 12) * 32 / 255 - 23
    let size = 3 * capacity
    // Header of the record: its length, NULL for the row id, and types of one and of three bytes; then
    // the title. The exact count does not matter: the name is longer than what it may be wrong by.
    let head = 6 + 4
    let payload = head + size
    let fitting = least + (payload - least) % capacity
    let local = fitting <= pageSize - 35 ? fitting : least
    let border = local + capacity - head
    let text = String(
      String(repeating: filler, count: size / filler.utf8.count + 1).prefix(size))
    let start = border - SampleValues.name.utf8.count / 2
    return text.prefix(start) + SampleValues.name
      + text.dropFirst(start + SampleValues.name.utf8.count)
  }

  /// A Core Data store whose last changes are only in the log: a person was added, and her telephone
  /// number taken out again.
  private static func writeModel(to folder: FixtureFolder, _ workshop: FixtureFolder) throws {
    let database = try SQLiteFixture(at: workshop.path + "/model.sqlite")
    try database.run(
      "PRAGMA secure_delete = ON", "PRAGMA page_size = \(pageSize)", "PRAGMA journal_mode = WAL",
      "PRAGMA wal_autocheckpoint = 0",
      """
      CREATE TABLE ZPERSON(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
        ZBIRTHDATE TIMESTAMP, ZCITY VARCHAR, ZPHONE VARCHAR)
      """,
      "INSERT INTO ZPERSON VALUES(1, 3, 1, NULL, 'Bergen', NULL)",
      "PRAGMA wal_checkpoint(TRUNCATE)",
      "INSERT INTO ZPERSON VALUES(2, 3, 1, \(SampleValues.birthDateSince2001), 'Porto', "
        + "'\(SampleValues.phone)')",
      "UPDATE ZPERSON SET ZPHONE = NULL, Z_OPT = 2 WHERE Z_PK = 2")
    try folder.write(workshop.bytes(of: "model.sqlite"), to: model)
    let log = try workshop.bytes(of: "model.sqlite-wal")
    try folder.write(
      FixedRandomness.log(log, salt: SampleValues.bytes(8, seed: 20)), to: model + "-wal")
  }

  /// A queue that overwrites what it has sent, and keeps its journal, which still shows it.
  private static func writeOutbox(to folder: FixtureFolder, _ workshop: FixtureFolder) throws {
    let database = try SQLiteFixture(at: workshop.path + "/outbox.sqlite")
    try database.run(
      "PRAGMA secure_delete = ON", "PRAGMA page_size = \(pageSize)",
      "PRAGMA journal_mode = PERSIST",
      "CREATE TABLE message(id INTEGER PRIMARY KEY, body TEXT)",
      "INSERT INTO message VALUES(1, 'please ring \(SampleValues.phone) before noon')",
      "UPDATE message SET body = 'sent' WHERE id = 1")
    try folder.write(workshop.bytes(of: "outbox.sqlite"), to: outbox)
    let journal = try workshop.bytes(of: "outbox.sqlite-journal")
    try folder.write(
      FixedRandomness.journal(journal, pageSize: pageSize), to: outbox + "-journal")
  }
}
