import Artifacts
import Bytes
import Findings
import FixtureKit
import SQLiteFormat
import Testing

@Suite struct `Journals of every kind` {
  @Test(arguments: PlantedDatabase.settings)
  func `of a statement are known without a header`(settings: SQLiteBuilder.Settings) throws {
    let planted = try PlantedDatabase.statementJournal(settings)
    let bytes = try #require(planted.files["etilqs_8f1c2b3a"])
    try #require(!bytes.isEmpty, "SQLite kept the journal in memory")
    let reading = Reading(bytes, name: "lost+found-17")
    #expect(reading.kind == "sqlite-statement-journal")
    #expect(reading.sink.observations.contains { $0.kind == .temporaryPages })
    #expect(reading.sink.fragments.allSatisfy { $0.place.liveness != .live })
    // Cut anywhere it is read as far as it goes, or left alone.
    for length in stride(from: 0, to: min(bytes.count, 20_000), by: 997) {
      _ = Reading(Array(bytes[..<length]), name: "etilqs_1")
    }
  }

  @Test(arguments: PlantedDatabase.settings)
  func `name the super-journal of their transaction`(settings: SQLiteBuilder.Settings) throws {
    let planted = try PlantedDatabase.superJournal(settings)
    let bytes = try #require(planted.files["store.db-journal"])
    let parsed = RollbackJournal(parsing: MemorySource(bytes), pageSize: settings.pageSize)
    #expect(parsed?.superJournal == PlantedDatabase.superName)
    let reading = Reading(bytes, name: "store.db-journal", beside: planted.files)
    let hot = reading.sink.observations.first { $0.kind == .hotJournal }
    #expect(hot?.message.contains(PlantedDatabase.superName) == true)
  }

  /// The dark margin of a picture, then light, is a zeroed header and a number and a page to the eye of
  /// who looks at little.
  @Test(arguments: [2, 5, 10, 13] as [UInt8], [0, 1, 5] as [UInt8])
  func `are no pictures`(type: UInt8, shade: UInt8) {
    let light = [UInt8](repeating: shade, count: 3)
    let start = light + [shade == 0 ? 9 : shade, type]
    for row in [139, 512, 640] {
      let lines = (0..<60).flatMap { line in
        [UInt8](repeating: UInt8(line) / 4, count: row - row / 3)
          + [UInt8](repeating: type, count: row / 3)
      }
      let picture = [UInt8](repeating: 0, count: 512) + start + light + lines
      let reading = Reading(picture, name: "object 68")
      #expect(reading.kind != "sqlite-journal" && reading.sink.observations.isEmpty)
    }
  }

  @Test(arguments: PlantedDatabase.settings)
  func `left beside an encrypted database are told`(settings: SQLiteBuilder.Settings) throws {
    let planted = try PlantedDatabase.orphanJournal(settings)
    let bytes = try #require(planted.files["store.db-journal"])
    let reading = Reading(bytes, name: "store.db-journal", beside: planted.files)
    #expect(reading.sink.observations.contains { $0.kind == .plaintextBeside })
    #expect(reading.sink.observations.contains { $0.kind == .persistedJournal })
  }

}

@Suite struct `A page in the clear among ciphertext` {
  /// Smaller pages cannot be judged by their bytes, and the size of larger ones does not show.
  @Test(arguments: PlantedDatabase.settings.filter { [1024, 4096].contains($0.pageSize) })
  func `is named`(settings: SQLiteBuilder.Settings) throws {
    let planted = try PlantedDatabase.plaintextPage(settings)
    let reading = Reading(try #require(planted.files["store.db"]), name: "store.db")
    let pages = reading.sink.observations.filter { $0.kind == .plaintextPage }
    #expect(pages.map(\.place.steps) == [["page", "7"]])
  }
}
