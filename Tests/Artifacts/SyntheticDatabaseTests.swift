import Artifacts
import Bytes
import Findings
import Foundation
import SQLiteFormat
import Testing

/// What the answer key of the synthetic corpus says of one file.
struct PlantedFile: Sendable, CustomTestStringConvertible {
  var seed: String
  var name: String
  var needles: [String: String]
  var absent: [String]
  var keys: [DatabaseKey]
  var numbers: [String: String]

  var testDescription: String { "\(seed)/\(name)" }

  var path: String { "synthetic-sqlite/\(seed)/\(name)" }

  func reading(keys: [DatabaseKey] = []) -> Reading {
    var beside: [String: [UInt8]] = [:]
    for suffix in ["", "-wal", "-shm", "-journal"] {
      for base in [name, stem] {
        beside[base + suffix] = Corpus.bytes(
          "synthetic-sqlite/\(seed)/\(base)\(suffix)")
      }
    }
    return Reading(Corpus.bytes(path) ?? [], name: name, beside: beside, keys: keys)
  }

  private var stem: String {
    for suffix in ["-wal", "-journal"] where name.hasSuffix(suffix) {
      return String(name.dropLast(suffix.count))
    }
    return name
  }

  static let all: [PlantedFile] = {
    guard Corpus.isPresent else { return [] }
    var planted: [PlantedFile] = []
    for seed in ["seed11-page4096", "seed12-page1024"] {
      guard let data = Corpus.bytes("synthetic-sqlite/truth/\(seed).json"),
        let truth = try? JSONSerialization.jsonObject(with: Data(data)) as? [String: Any],
        let files = truth["files"] as? [String: [String: Any]]
      else { continue }
      let names = Corpus.files(in: "synthetic-sqlite/\(seed)").compactMap {
        $0.split(separator: "/").last.map(String.init)
      }
      for (name, facts) in files.sorted(by: { $0.key < $1.key }) {
        let stem = name.hasSuffix("*") ? String(name.dropLast()) : name
        var targets = names.filter { name.hasSuffix("*") ? $0.hasPrefix(stem) : $0 == stem }
        // Needles of these lie in the journal beside the file.
        if names.contains(stem + "-journal") { targets.append(stem + "-journal") }
        for target in targets {
          planted.append(PlantedFile(seed: seed, name: target, facts: facts))
        }
      }
    }
    return planted
  }()

  init(seed: String, name: String, facts: [String: Any]) {
    self.seed = seed
    self.name = name
    needles = facts["needles"] as? [String: String] ?? [:]
    absent = facts["absent"] as? [String] ?? []
    numbers = facts["numeric_needles"] as? [String: String] ?? [:]
    keys = []
    if let key = facts["key"] as? String { keys.append(.passphrase(Array(key.utf8))) }
    if let raw = facts["raw_key"] as? String, let salt = facts["salt"] as? String {
      DatabaseKey(hexadecimal: raw + salt).map { keys.append($0) }
    }
  }
}

/// Classes and tables by the kind of planted value.
private let expectations: [(kind: String, liveness: [Liveness], table: String?)] = [
  ("LIVE", [.live], "msg"), ("FREEBLK", [.deleted], "msg"), ("FREELST", [.deleted], "msg"),
  ("SUPERSED", [.superseded], "msg"), ("WALCUR", [.live], "msg"), ("STALEGEN", [.stale], "msg"),
  ("OVERFLOW", [.live], "doc"), ("OVERFL2", [.live], "doc"), ("U16LIVE", [.live], "t"),
  ("U16DEL", [.deleted], "t"), ("JOURNAL", [.stale], "t"), ("HOTJRNL", [.live], "t"),
  ("INDEX", [.deleted], "k"), ("AUTOVAC", [.deleted], "t"), ("DROPPED", [.deleted], "secret_tbl"),
  ("OVDEL2", [.deleted], "doc"), ("STALEONLY", [.stale], "msg"),
  ("UNCOMMIT", [.uncommitted], "msg"),
  ("MIGRATE", [.stale], "t"), ("MIXED", [.live], nil), ("BACKUP", [.live], "t"),
  ("ETILQS", [.live], nil),
]

@Suite(.enabled(if: Corpus.isPresent, "the shared corpus is not here"))
struct `Databases with planted values` {
  @Test(arguments: PlantedFile.all)
  func `every planted value is found with its class and table`(file: PlantedFile) throws {
    let kinds = file.needles.filter { $0.key.hasPrefix("NDL-") }
    let isSidecar = file.name.hasSuffix("-journal")
    guard !kinds.isEmpty else { return }
    let reading = file.reading()
    #expect(reading.kind != nil || reading.bytes.isEmpty)
    for needle in kinds.keys.sorted() {
      let kind = needle.split(separator: "-")[1]
      // Encodings inside of values are the work of the decoders, lost bytes have a test of their own.
      if kind == "ENC" || kind == "OVDEL1" { continue }
      let inJournal = ["JOURNAL", "HOTJRNL", "MIGRATE"].contains(kind)
      if inJournal != isSidecar { continue }
      let expected = try #require(expectations.first { $0.kind == kind }, "\(needle)")
      let forms = [
        Array(needle.utf8), needle.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] },
        needle.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] },
      ]
      let places = forms.flatMap { reading.places(of: $0) }
      #expect(!places.isEmpty, "\(needle) was not found")
      for place in places {
        #expect(
          expected.liveness.contains(place.liveness),
          "\(needle) is \(place.liveness) at \(place.steps)")
        if let table = expected.table {
          #expect(place.context.table == table, "\(needle) \(place)")
        }
        #expect(place.context.page != nil)
      }
    }
  }

  @Test(arguments: PlantedFile.all.filter { !$0.absent.isEmpty })
  func `what must be absent is nowhere`(file: PlantedFile) {
    let reading = file.reading()
    for needle in file.absent { #expect(reading.places(of: Array(needle.utf8)).isEmpty) }
  }

  @Test(arguments: PlantedFile.all.filter { !$0.keys.isEmpty && !$0.absent.isEmpty })
  func `a key shows what is encrypted, and that it was`(file: PlantedFile) {
    let reading = file.reading(keys: file.keys)
    #expect(reading.sink.observations.contains { $0.kind == .keyFits })
    for needle in file.absent {
      let places = reading.places(of: Array(needle.utf8))
      #expect(!places.isEmpty, "\(needle)")
      for place in places {
        #expect(place.steps.first == "decrypted")
        #expect(place.origin == .transformed)
      }
    }
    let wrong = file.reading(keys: [.passphrase(Array("not the key".utf8))])
    #expect(wrong.sink.observations.contains { $0.kind == .wrongKey })
    #expect(!wrong.sink.observations.contains { $0.kind == .keyFits })
  }

  @Test(arguments: PlantedFile.all.filter { $0.name == "enc_mixed.db" })
  func `a readable page in ciphertext is named`(file: PlantedFile) {
    let reading = file.reading()
    let pages = reading.sink.observations.filter { $0.kind == .plaintextPage }
    #expect(pages.map(\.place.steps) == [["page", "5"]])
    #expect(reading.sink.observations.contains { $0.kind == .mixed })
  }

  @Test(arguments: PlantedFile.all.filter { $0.name == "overflow_deleted.db" })
  func `a deleted value keeps its place where its middle was written over`(file: PlantedFile) throws
  {
    let reading = file.reading()
    let needle = try #require(file.needles.keys.first { $0.hasPrefix("NDL-OVDEL1") })
    let start = Array(needle.utf8.prefix(6))
    let end = Array(needle.utf8.suffix(5))
    let fits = reading.sink.fragments.contains { fragment in
      fragment.lost.contains { lost in
        let lower = lost.lowerBound - start.count
        let upper = lost.upperBound + end.count
        guard lower >= 0, upper <= fragment.bytes.count else { return false }
        return Array(fragment.bytes[lower..<lost.lowerBound]) == start
          && Array(fragment.bytes[lost.upperBound..<upper]) == end
          && lost.count == needle.utf8.count - start.count - end.count
      }
    }
    #expect(fits)
  }

  @Test(arguments: PlantedFile.all.filter { !$0.numbers.isEmpty })
  func `numbers are found in their storage form`(file: PlantedFile) throws {
    let reading = file.reading()
    for (text, why) in file.numbers {
      var form: [UInt8]
      if text.contains(".") {
        let bits = try #require(Double(text)).bitPattern
        form = (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) }
      } else {
        let number = try #require(Int64(text))
        let size = number < 1 << 47 ? 6 : 8
        form = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) }
      }
      let places = reading.places(of: form)
      #expect(!places.isEmpty, "\(text)")
      let liveness: Liveness = why.hasPrefix("deleted") ? .deleted : .live
      for place in places {
        #expect(place.liveness == liveness, "\(text) \(place)")
        #expect(place.context.table != nil)
      }
    }
  }

  @Test(arguments: PlantedFile.all.filter { $0.name == "fts_index.db" })
  func `terms of a full-text index are found in its blobs`(file: PlantedFile) throws {
    let reading = file.reading()
    let term = try #require(file.needles.keys.first { !$0.hasPrefix("NDL-") })
    let places = reading.places(of: Array(term.utf8))
    #expect(places.contains { $0.steps.last == "terms" && $0.context.table == "f_data" })
    #expect(places.contains { $0.context.table == "f_content" })
  }
}
