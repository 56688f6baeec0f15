import Artifacts
import Bytes
import Findings
import FixtureKit
import SQLiteFormat
import Testing

@Suite struct `The layout that a reader gives` {
  @Test func `names the pages of a database, their tables and what is left in them`() throws {
    let planted = try PlantedDatabase.droppedTable(SQLiteBuilder.Settings())
    let bytes = try #require(planted.files["store.db"])
    let reading = Reading(bytes, name: "store.db", beside: planted.files)
    let layout = try #require(reading.sink.layout)
    #expect(layout.unit == .page)
    #expect(layout.pageSize == 4096)
    #expect(layout.count == bytes.count / 4096)
    #expect(!layout.isSampled)
    let kept = try #require(layout.runs.first { $0.owner == "keep" })
    #expect(kept.role == "table-leaf")
    #expect(kept.liveness == .live)
    let gone = layout.runs.filter { $0.owner == "secret" }
    #expect(!gone.isEmpty)
    #expect(gone.allSatisfy { $0.liveness == .deleted && $0.deadBytes > 0 && $0.liveBytes == 0 })
  }

  @Test func `tells what a log or hot journal makes of a database's pages`() throws {
    let log = try PlantedDatabase.log(SQLiteBuilder.Settings())
    let main = Reading(
      try #require(log.files["store.db"]), name: "store.db", beside: log.files)
    #expect(main.sink.layout?.runs.contains { $0.liveness == .superseded } == true)
    let hot = try PlantedDatabase.journal(SQLiteBuilder.Settings(), isHot: true)
    let rolled = Reading(
      try #require(hot.files["store.db"]), name: "store.db", beside: hot.files)
    #expect(rolled.sink.layout?.runs.contains { $0.liveness == .uncommitted } == true)
    let journal = Reading(
      try #require(hot.files["store.db-journal"]), name: "store.db-journal", beside: hot.files)
    #expect(journal.sink.layout?.unit == .record)
    #expect(journal.sink.layout?.runs.first?.role == "hot")
  }

  @Test func `is the time line of a log`() throws {
    let planted = try PlantedDatabase.log(SQLiteBuilder.Settings(pageSize: 1024))
    let bytes = try #require(planted.files["store.db-wal"])
    let reading = Reading(bytes, name: "store.db-wal", beside: planted.files)
    let layout = try #require(reading.sink.layout)
    #expect(layout.unit == .frame)
    #expect(layout.count == (bytes.count - 32) / 1048)
    let states = Set(layout.runs.map(\.role))
    #expect(states.isSuperset(of: ["live", "superseded", "uncommitted", "stale"]))
    #expect(Set(layout.runs.compactMap(\.generation)) == [1, 2])
    #expect(layout.runs.first { $0.role == "uncommitted" }?.commits == 0)
    #expect(layout.runs.filter { $0.role == "stale" }.reduce(0) { $0 + $1.commits } > 0)
  }
}
