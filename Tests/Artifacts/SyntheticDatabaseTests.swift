import Artifacts
import Bytes
import Findings
import Foundation
import SQLiteFormat
import Testing

@Suite(.serialized, .enabled(if: Corpus.isPresent, "the shared corpus is not here"))
struct `SQLite databases with planted values` {
  @Test(arguments: ["seed11-page4096", "seed12-page1024"])
  func explore(_ seed: String) throws {
    let data = try Data(
      contentsOf: Corpus.root.appendingPathComponent("synthetic-sqlite/truth/\(seed).json"))
    let truth = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    let files = try #require(truth["files"] as? [String: [String: Any]])
    for (file, facts) in files.sorted(by: { $0.key < $1.key }) {
      guard let needles = facts["needles"] as? [String: String], !needles.isEmpty else { continue }
      for path in Corpus.files(in: "synthetic-sqlite/\(seed)") {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let stem = file.replacing("*", with: "")
        guard name.hasPrefix(stem) else { continue }
        var beside: [String: [UInt8]] = [:]
        for other in Corpus.files(in: "synthetic-sqlite/\(seed)") {
          beside[other.split(separator: "/").last.map(String.init) ?? ""] = Corpus.bytes(other)
        }
        let reading = Reading(Corpus.bytes(path) ?? [], name: name, beside: beside)
        print(
          "==", seed, name, reading.kind ?? "?", reading.sink.fragments.count,
          reading.sink.diagnostics.prefix(3))
        for (needle, why) in needles.sorted(by: { $0.key < $1.key }) {
          var seen = Set<String>()
          for form in [
            Array(needle.utf8), needle.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] },
            needle.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] },
          ] {
            for place in reading.places(of: form) {
              seen.insert(
                "\(place.steps.joined(separator: "/")) \(place.liveness) \(place.context.table ?? "-").\(place.context.column ?? "-") row \(place.context.rowid ?? -1) \(place.context.role ?? "") copy \(place.context.copyOf ?? "-") conf \(place.context.confidence ?? 1)"
              )
            }
          }
          print("  ", needle, "|", why)
          for line in seen.sorted().prefix(8) { print("       ", line) }
        }
      }
    }
  }
}
