import Artifacts
import Bytes
import Findings
import FixtureKit
import SQLiteFormat
import Testing

@Suite struct `Databases built for the purpose` {
  @Test(arguments: PlantedDatabase.settings)
  func `show every planted value with its class and table`(settings: SQLiteBuilder.Settings) throws
  {
    for planted in try PlantedDatabase.all(settings) {
      var readings: [String: Reading] = [:]
      for needle in planted.needles {
        let reading: Reading
        if let known = readings[needle.file] {
          reading = known
        } else {
          let bytes = try #require(planted.files[needle.file], "\(planted)")
          reading = Reading(bytes, name: needle.file, beside: planted.files)
          readings[needle.file] = reading
        }
        let raw = reading.places(of: settings.stored(needle.text))
        let decoded =
          settings.encoding == "UTF-8" ? [] : reading.places(of: Array(needle.text.utf8))
        let places = raw + decoded
        if places.isEmpty {
          Issue.record("\(needle.text) of \(planted) was not found")
          continue
        }
        let matching = places.filter { $0.liveness.rawValue == needle.liveness }
        #expect(
          !matching.isEmpty,
          "\(needle.text) of \(planted): \(places.map { "\($0.steps) \($0.liveness)" })")
        if !needle.table.isEmpty {
          #expect(
            matching.contains { $0.context.table == needle.table },
            "\(needle.text) of \(planted): \(matching.map { $0.context.table ?? "-" })")
        }
        if needle.isSplit {
          #expect(Reading.offsets(of: settings.stored(needle.text), in: reading.bytes).isEmpty)
          #expect(
            matching.contains { place in
              if case .pieces(let pieces) = place.origin { return pieces.count > 1 }
              return settings.encoding != "UTF-8"
            }, "\(needle.text) of \(planted)")
        }
      }
    }
  }
}

extension `Databases built for the purpose` {
  @Test(arguments: PlantedDatabase.settings)
  func `never call a row deleted that is live, copies aside`(settings: SQLiteBuilder.Settings)
    throws
  {
    let planted = try PlantedDatabase.deletedRows(settings)
    let reading = Reading(try #require(planted.files["store.db"]), name: "store.db")
    let bodies = reading.sink.fragments.filter { $0.place.context.column == "body" }
    let live = Set(bodies.filter { $0.place.liveness == .live }.map(\.bytes))
    let deleted = bodies.filter { $0.place.liveness == .deleted && $0.place.context.copyOf == nil }
    #expect(!live.isEmpty && !deleted.isEmpty)
    for row in deleted {
      #expect(!live.contains(row.bytes), "\(row.place)")
    }
  }

  @Test func `know the row of a freed overflow page, and what its slack is`() throws {
    let planted = try PlantedDatabase.overflowingRow(SQLiteBuilder.Settings(), isDeleted: true)
    let reading = Reading(try #require(planted.files["store.db"]), name: "store.db")
    let places = (2..<9).compactMap {
      reading.locator?.place(of: $0 * 4096 + 300..<$0 * 4096 + 310)
    }
    let owned = places.filter { $0.context.table == "doc" && $0.context.column == "body" }
    #expect(owned.count >= 6)
    #expect(owned.allSatisfy { $0.liveness == .deleted })
  }

  @Test func `follow values that Core Data keeps outside`() throws {
    let builder = try SQLiteBuilder()
    let file = "0A1B2C3D-0000-4111-8222-333344445555"
    let reference = "02" + file.utf8.map { String($0, radix: 16) }.joined() + "00"
    try builder.execute("CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, ZDATA BLOB)")
    try builder.execute("INSERT INTO ZNOTE VALUES(1, x'\(reference)')")
    // Data in the row has a byte 1 before it.
    try builder.execute("INSERT INTO ZNOTE VALUES(2, x'0162706c697374303000000000000000')")
    let path = ".store_SUPPORT/_EXTERNAL_DATA/" + file
    let reading = Reading(
      try #require(builder.files()["store.db"]), name: "store.db", beside: [path: [1, 2, 3, 4]])
    let nested = reading.sink.nestedValues
    #expect(nested.contains { $0.bytes == [1, 2, 3, 4] && $0.place.context.member == path })
    #expect(nested.contains { $0.bytes.starts(with: Array("bplist00".utf8)) })
    #expect(nested.allSatisfy { $0.place.context.table == "ZNOTE" })
  }

  @Test(arguments: [4096, 1024])
  func `give names and texts beside a value`(pageSize: Int) throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: pageSize))
    try builder.execute("CREATE TABLE item(name TEXT, value TEXT)")
    let key = String(repeating: "0f", count: 32)
    try builder.execute("INSERT INTO item VALUES('encryption_key', '\(key)')")
    let reading = Reading(try #require(builder.files()["store.db"]), name: "store.db")
    let place = try #require(reading.places(of: Array(key.utf8)).first)
    #expect(place.context.column == "value")
    #expect(place.context.neighbours == ["encryption_key"])
  }

  @Test func `say which pages a log or a hot journal makes out of date`() throws {
    let log = try PlantedDatabase.log(SQLiteBuilder.Settings())
    let main = Reading(
      try #require(log.files["store.db"]), name: "store.db", beside: log.files)
    #expect(main.sink.fragments.contains { $0.place.liveness == .superseded })
    let journal = try PlantedDatabase.journal(SQLiteBuilder.Settings(), isHot: true)
    let hot = Reading(
      try #require(journal.files["store.db"]), name: "store.db", beside: journal.files)
    #expect(hot.sink.fragments.contains { $0.place.liveness == .uncommitted })
  }

  @Test func `say that a log shares no table with the database beside it`() throws {
    let builder = try SQLiteBuilder()
    try builder.execute("PRAGMA journal_mode = WAL")
    try builder.execute("CREATE TABLE mine(a TEXT)")
    try builder.execute("INSERT INTO mine VALUES('row')")
    let own = builder.files()
    let other = try SQLiteBuilder()
    try other.execute("PRAGMA journal_mode = WAL")
    try other.execute("CREATE TABLE yours(a TEXT)")
    try other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    let wal = try #require(own["store.db-wal"])
    let fits = Reading(wal, name: "store.db-wal", beside: own)
    #expect(!fits.sink.observations.contains { $0.kind == .foreignLog })
    let foreign = Reading(wal, name: "store.db-wal", beside: other.files())
    #expect(foreign.sink.observations.contains { $0.kind == .foreignLog })
  }

  @Test func `say that a log belongs to another database`() throws {
    let log = try PlantedDatabase.log(SQLiteBuilder.Settings(pageSize: 1024))
    let other = try PlantedDatabase.droppedTable(SQLiteBuilder.Settings(pageSize: 4096))
    let reading = Reading(
      try #require(log.files["store.db-wal"]), name: "store.db-wal", beside: other.files)
    #expect(reading.sink.observations.contains { $0.kind == .foreignLog })
    #expect(reading.sink.observations.contains { $0.kind == .staleGeneration })
    #expect(!reading.places(of: Array("NDL-CURRENT-00003".utf8)).isEmpty)
  }
}

@Suite struct `Secure deletion` {
  private func observations(secure: Bool, _ settings: SQLiteBuilder.Settings) throws
    -> [Observation]
  {
    let builder = try SQLiteBuilder(settings)
    try builder.execute("PRAGMA secure_delete = \(secure ? "ON" : "OFF")")
    try builder.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b INTEGER)")
    // All on one page: rebuilding pages while they are balanced leaves parts of rows, whatever is set.
    let rows = settings.pageSize / (settings.encoding == "UTF-8" ? 32 : 60)
    for row in 1...rows {
      try builder.execute("INSERT INTO t VALUES(\(row), 'row number \(row)', \(row))")
    }
    // Neighbours in either direction, so that freeblocks are joined before and behind.
    try builder.execute("DELETE FROM t WHERE id BETWEEN 3 AND 5")
    for row in stride(from: rows - 1, to: rows - 4, by: -1) {
      try builder.execute("DELETE FROM t WHERE id = \(row)")
    }
    try builder.execute("DELETE FROM t WHERE id % 7 = 0")
    let reading = Reading(try #require(builder.files()["store.db"]), name: "store.db")
    if secure {
      let deleted = reading.sink.fragments.filter { $0.place.liveness == .deleted }
      #expect(deleted.isEmpty, "\(deleted.map { "\($0.place.steps) \($0.bytes)" })")
    } else {
      #expect(reading.sink.fragments.contains { $0.place.liveness == .deleted })
    }
    return reading.sink.observations
  }

  @Test(arguments: PlantedDatabase.settings)
  func `is told from deletion that leaves everything`(settings: SQLiteBuilder.Settings) throws {
    #expect(try observations(secure: false, settings).contains { $0.kind == .residue })
    #expect(try !observations(secure: true, settings).contains { $0.kind == .residue })
  }
}
