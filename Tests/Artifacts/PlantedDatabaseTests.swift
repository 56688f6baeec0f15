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
}
