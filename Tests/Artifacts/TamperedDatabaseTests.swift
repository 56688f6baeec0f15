import Artifacts
import Bytes
import Findings
import Foundation
import SQLiteFormat
import Testing

@Suite(.serialized, .enabled(if: Corpus.isPresent, "the shared corpus is not here"))
struct `Databases that were tampered with` {
  /// What was changed in these shows in no structure: names of roots, sizes, text after a zero byte.
  static let unnoticed: Set<String> = [
    "nemetz/11/11-01_antifor.db", "nemetz/11/11-03_antifor.db",
    "nemetz/16/16-01_antifor.db", "nemetz/19/19-01_antifor.db",
  ]

  @Test(arguments: Corpus.files(in: "nemetz").filter { $0.hasSuffix("antifor.db") })
  func `are reported as damaged`(path: String) throws {
    let reading = Reading(try #require(Corpus.bytes(path)), name: path)
    #expect(reading.kind != nil)
    let isSilent = !reading.sink.diagnostics.contains { $0.hasPrefix("format.damaged") }
    #expect(isSilent == Self.unnoticed.contains(path))
  }
}
