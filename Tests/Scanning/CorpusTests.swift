import Findings
import FixtureKit
import Foundation
import RuleEngine
import Scanning
import Testing

/// Values of an answer key: where they must and must not be seen.
struct Truth: Sendable, CustomTestStringConvertible {
  /// The scanned folder, below the corpus.
  var folder: String
  var needles: [Needle] = []
  /// What the key says of each needle, and the file it lies in or beside.
  var places: [String: String] = [:]
  var absent: [Needle] = []

  var testDescription: String { folder }

  static let all: [Truth] = [
    Truth("synthetic-sqlite", "seed11-page4096"), Truth("synthetic-sqlite", "seed12-page1024"),
    Truth("synthetic-ios", "seed21"),
  ]

  init(_ source: String, _ seed: String) {
    folder = source + "/" + seed
    let data = Data(SharedCorpus.bytes(of: "\(source)/truth/\(seed).json"))
    let root = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any] ?? [:]
    let files = (root["files"] ?? root["truth"]) as? [String: Any] ?? [:]
    var gone: [String] = []
    for (file, entry) in files.sorted(by: { $0.key < $1.key }) {
      guard let entry = entry as? [String: Any] else { continue }
      // An encrypted backup's needles are for whoever has its passcode.
      if entry["IsEncrypted"] as? Bool == true { continue }
      for (value, place) in entry["needles"] as? [String: String] ?? [:] {
        add(value, value.count == 64 ? .keyHex : .text, "\(file): \(place)")
      }
      for (value, place) in entry["numeric_needles"] as? [String: String] ?? [:] {
        add(value, .number, "\(file): \(place)")
      }
      for (place, key) in entry["keys"] as? [String: Any] ?? [:] {
        guard let value = (key as? [String: Any])?["value"] as? String,
          !value.allSatisfy({ $0 == "0" })
        else { continue }
        add(value, .keyHex, "\(file): \(place)")
      }
      gone += entry["absent"] as? [String] ?? []
    }
    absent = gone.filter { places[$0] == nil }.map { Needle(id: $0, kind: .text, value: $0) }
  }

  private mutating func add(_ value: String, _ kind: Needle.Kind, _ place: String) {
    if places[value] == nil { needles.append(Needle(id: value, kind: kind, value: value)) }
    places[value] = [places[value], place].compactMap(\.self).joined(separator: "; ")
  }
}

@Suite(.serialized, .enabled(if: SharedCorpus.isPresent, "the shared corpus is not here"))
struct `The shared corpus` {
  @Test func `is read without a crash, every file hashed, nothing written`() async throws {
    var options = ScanOptions()
    options.paths = [SharedCorpus.root]
    options.exclude = [Glob("INDEX.md"), Glob("truth")]
    options.jobs = 2
    options.limits.seconds = 60
    options.limits.expansion = 256 << 20
    options.needles = [
      Needle(id: "text", kind: .text, value: "Orchid-Zebra-42"),
      Needle(id: "name", kind: .text, value: "王明月"),
      Needle(id: "dob", kind: .date, value: "1984-03-17"),
      Needle(id: "instant", kind: .date, value: "2019-02-03T04:05:06Z"),
      Needle(id: "number", kind: .number, value: "6228480741936258"),
      Needle(id: "real", kind: .number, value: "1152268.921875"),
      Needle(id: "phone", kind: .phone, value: "+8613800138123"),
      Needle(id: "mail", kind: .email, value: "mingyue@example.org"),
      Needle(id: "key", kind: .keyHex, value: String(repeating: "8f1d3a5c7e90b2d4", count: 4)),
      Needle(id: "bytes", kind: .bytesHex, value: "deadbeef00010203"),
      Needle(id: "pass", kind: .passphrase, value: "correct horse 11"),
      Needle(id: "zip", kind: .text, value: "NDL-INZIP-933P5YNQMGYQ"),
    ]
    let report = try await Scanner(options).scan()
    let unhashed = report.inputs.filter { $0.sha256 == nil }.map(\.path)
    let late = Set(report.diagnostics.filter { $0.code == .limitTime }.map(\.path))
    #expect(unhashed.filter { !late.contains($0) } == [])
    #expect(report.inputs.count == report.scope.files)
    #expect(report.scope.files > 400)
    #expect([1, 3].contains(report.run.status))
    #expect(report.findings.contains { $0.needle == "zip" })
    #expect(!report.findings.contains { $0.needle == "text" || $0.needle == "key" })
  }

  @Test(arguments: Truth.all)
  func `shows every value of its answer keys, and none that was wiped`(truth: Truth) async throws {
    #expect(!truth.needles.isEmpty)
    var options = ScanOptions()
    options.paths = [SharedCorpus.root + "/" + truth.folder]
    options.needles = truth.needles + truth.absent
    options.jobs = 2
    options.limits.expansion = 256 << 20
    let report = try await Scanner(options).scan()
    let found = Set(report.findings.compactMap(\.needle))
    let missed = truth.needles.filter { !found.contains($0.id) }.map { needle in
      "\(needle.id) (\(truth.places[needle.id] ?? ""))"
    }
    #expect(missed == [])
    #expect(truth.absent.map(\.id).filter { found.contains($0) } == [])
  }
}
