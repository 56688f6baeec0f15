import Artifacts
import Bytes
import Foundation
import SQLiteFormat
import Testing

/// The figures that a corpus index states of a database.
struct StatedFigures: Sendable, CustomTestStringConvertible {
  var path: String
  var figures: [String: Int] = [:]
  var orphans: [Int] = []
  /// Whether bytes were changed by hand, which SQLite's own check passed by: other values, or types that no
  /// value has.
  var isPatched = false

  var testDescription: String { path }

  /// Rows of the INDEX files that describe a plaintext database without errors.
  static let all: [StatedFigures] = {
    var all: [StatedFigures] = []
    for folder in [
      "synthetic-sqlite", "nemetz", "plaso", "sqlite-dissect", "grdb", "sqlcipher", "sqlite-fuzz",
      "apple-notes", "ileapp", "dfvfs",
    ] {
      guard let index = Corpus.bytes("\(folder)/INDEX.md") else { continue }
      for line in String(decoding: index, as: UTF8.self).split(separator: "\n")
      where line.contains("plaintext SQLite, page ") && !line.contains("integrity:") {
        let cells = line.split(separator: "|")
        guard let name = cells.first?.trimmingCharacters(in: .whitespaces) else { continue }
        var stated = StatedFigures(path: "\(folder)/\(name)")
        let text = String(line)
        stated.isPatched = text.contains("ANTI-FORENSIC")
        for (key, label) in [
          ("page", "plaintext SQLite, page "), ("freelist", "freelist "), ("trunk", "(trunk "),
          ("leaf", ", leaf "), ("ptrmap", "ptrmap "), ("overflow", " overflow "),
          ("freeblocks", "freeblocks "), ("gap", "gap bytes "),
        ] {
          guard
            let range = text.range(
              of: label, range: text.range(of: "plaintext SQLite")!.lowerBound..<text.endIndex)
          else { continue }
          stated.figures[key] = Int(text[range.upperBound...].prefix { $0.isNumber })
        }
        if let range = text.range(of: "orphan pages [") {
          let list = text[range.upperBound...].prefix { $0 != "]" }
          stated.orphans = list.split(separator: ",").compactMap {
            Int($0.trimmingCharacters(in: .whitespaces))
          }
        }
        all.append(stated)
      }
    }
    return all
  }()
}

@Suite(.enabled(if: Corpus.isPresent, "the shared corpus is not here"))
struct `Page classes of the corpus` {
  @Test(arguments: StatedFigures.all)
  func `are those of the independent walk`(stated: StatedFigures) throws {
    let bytes = try #require(Corpus.bytes(stated.path))
    let inspection = try DatabaseInspection(MemorySource(bytes))
    #expect(inspection.header.geometry.pageSize == stated.figures["page"])
    #expect(inspection.count(of: .freelistTrunk) == stated.figures["trunk"])
    #expect(inspection.count(of: .freelistLeaf) == stated.figures["leaf"])
    #expect(inspection.count(of: .pointerMap) == stated.figures["ptrmap"])
    #expect(inspection.count(of: .overflow) == stated.figures["overflow"])
    #expect(inspection.freeblocks == stated.figures["freeblocks"])
    #expect(inspection.gapBytes == stated.figures["gap"])
    let orphans = inspection.pages.filter { $0.role.name == "orphan" }.map { Int($0.number) }
    #expect(Array(orphans.prefix(stated.orphans.count)) == stated.orphans)
    #expect(orphans.isEmpty == stated.orphans.isEmpty)
  }

  @Test(arguments: StatedFigures.all.filter { !$0.isPatched })
  func `come without a word about damage where there is none`(stated: StatedFigures) throws {
    let bytes = try #require(Corpus.bytes(stated.path))
    for touched in [TouchMap.everything, TouchMap(byteCount: bytes.count)] {
      let reading = Reading(bytes, name: stated.path, touched: touched)
      #expect(
        !reading.sink.diagnostics.contains { $0.hasPrefix("format.damaged") },
        "\(reading.sink.diagnostics)")
    }
  }

  /// Serial types 10 and 11 are reserved (SQLite file format, §2.1): whoever wrote them hides a row.
  @Test func `come with a word about types that no value has`() throws {
    let bytes = try #require(Corpus.bytes("nemetz/15/15-13_antifor.db"))
    let reading = Reading(bytes, name: "15-13_antifor.db", touched: TouchMap.everything)
    #expect(reading.sink.diagnostics.contains { $0.hasPrefix("format.damaged") })
  }
}
