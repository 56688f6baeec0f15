import Artifacts
import Bytes
import Findings
import FixtureKit
import SQLiteFormat
import Testing

/// Small files of each kind, to be damaged.
private let victims: [(name: String, files: [String: [UInt8]])] = {
  let small = SQLiteBuilder.Settings(pageSize: 512)
  let wide = SQLiteBuilder.Settings(pageSize: 512, encoding: "UTF-16be", autoVacuum: 2)
  let cases = [
    try? PlantedDatabase.overflowingRow(small, isDeleted: true),
    try? PlantedDatabase.overflowingRow(wide, isDeleted: false),
    try? PlantedDatabase.droppedTable(small), try? PlantedDatabase.keyedTrees(small),
  ].compactMap { $0 }
  var victims = cases.map { ("store.db", $0.files) }
  if let log = try? PlantedDatabase.log(small) {
    var files = log.files
    files["store.db-wal"] = files["store.db-wal"].map { Array($0.prefix(32 + 40 * 536)) }
    victims.append(("store.db-wal", files))
  }
  if let journal = try? PlantedDatabase.journal(small, isHot: true) {
    var files = journal.files
    files["store.db-journal"] = files["store.db-journal"].map { Array($0.prefix(512 + 30 * 520)) }
    victims.append(("store.db-journal", files))
  }
  return victims
}()

@Suite struct `Hostile databases` {
  /// Reads all of it and asks for a place here and there: what counts is to get to the end.
  private func survive(_ bytes: [UInt8], name: String, beside: [String: [UInt8]]) {
    let reading = Reading(bytes, name: name, beside: beside)
    for offset in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 16)) {
      _ = reading.locator?.place(of: offset..<min(offset + 20, bytes.count))
    }
  }

  @Test(arguments: victims.indices)
  func `cut short anywhere are read to their end`(index: Int) {
    let victim = victims[index]
    let bytes = victim.files[victim.name] ?? []
    for length in Array(0..<min(bytes.count, 160))
      + Array(stride(from: 160, to: bytes.count, by: 61))
    {
      survive(Array(bytes.prefix(length)), name: victim.name, beside: victim.files)
    }
  }

  @Test(arguments: victims.indices)
  func `with flipped bytes are read to their end`(index: Int) {
    let victim = victims[index]
    var generator = SplitMix(seed: UInt64(index))
    for _ in 0..<100 {
      var bytes = victim.files[victim.name] ?? []
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        // Headers and pointers are where damage does most.
        let page = Int.random(in: 0..<max(1, bytes.count / 512), using: &generator) * 512
        let within = Int.random(
          in: 0..<(Bool.random(using: &generator) ? 64 : 512), using: &generator)
        let offset = min(page + within, bytes.count - 1)
        bytes[offset] =
          [0, 0xff, 0x7f, 0x80, UInt8.random(in: 0...255, using: &generator)]
          .randomElement(using: &generator) ?? 0
      }
      survive(bytes, name: victim.name, beside: victim.files)
    }
  }

  @Test func `with chains that bite their tail end, and say so`() throws {
    var bytes = try #require(
      try PlantedDatabase.droppedTable(SQLiteBuilder.Settings(pageSize: 512)).files["store.db"])
    // The freelist's first trunk names itself as the next one, and an absurd number of leaves.
    let trunk = Int(bytes[34]) << 8 | Int(bytes[35])
    let start = (trunk - 1) * 512
    bytes[start + 2] = bytes[34]
    bytes[start + 3] = bytes[35]
    bytes.replaceSubrange(start + 4..<start + 8, with: [0xff, 0xff, 0xff, 0xff])
    let reading = Reading(bytes, name: "store.db")
    #expect(reading.sink.diagnostics.contains { $0.contains("the freelist names page") })
    #expect(reading.sink.diagnostics.contains { $0.contains("4294967295 leaves") })
    #expect(!reading.places(of: Array("NDL-DROPPED-00001".utf8)).isEmpty)
  }

  @Test func `of nothing but one byte are survived`() {
    for byte in [UInt8(0), 0x0d, 0x05, 0x80, 0xff] {
      var bytes = [UInt8](repeating: byte, count: 8192)
      bytes.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
      bytes.replaceSubrange(16..<24, with: [0x04, 0x00, 1, 1, 0, 64, 32, 32])
      survive(bytes, name: "store.db", beside: [:])
    }
  }

  @Test(.enabled(if: Corpus.isPresent, "the shared corpus is not here"))
  func `of SQLite's own fuzzers are survived`() throws {
    let seed = try #require(Corpus.bytes("sqlite-fuzz/dbfuzz2-seed1.db"))
    survive(seed, name: "seed.db", beside: [:])
    let bytes = try #require(Corpus.bytes("sqlite-fuzz/fuzzdata6.db"))
    let reading = Reading(bytes, name: "fuzz.db", touched: TouchMap(byteCount: bytes.count))
    let databases = reading.sink.nestedValues.filter { $0.bytes.starts(with: Array("SQLite".utf8)) }
    print("fuzz: \(databases.count) databases in blobs, \(reading.sink.nestedValues.count) nested")
    for database in databases { survive(database.bytes, name: "nested", beside: [:]) }
  }
}
