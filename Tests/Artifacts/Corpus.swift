import Artifacts
import Bytes
import Findings
import Foundation
import SQLiteFormat

/// The shared test files, where they are there.
enum Corpus {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("../shared/corpus").standardized

  static var isPresent: Bool { FileManager.default.fileExists(atPath: root.path) }

  static func bytes(_ path: String) -> [UInt8]? {
    (try? Data(contentsOf: root.appendingPathComponent(path))).map { [UInt8]($0) }
  }

  static func files(in folder: String) -> [String] {
    let base = root.appendingPathComponent(folder)
    let names = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String] ?? []
    return names.sorted().map { folder + "/" + $0 }.filter {
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(
        atPath: root.appendingPathComponent($0).path, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }
}

/// What a reader makes of one file, with the raw search played by a plain search.
struct Reading {
  var sink = DatabaseSink()
  var locator: (any PlaceLocator)?
  var bytes: [UInt8]
  var kind: String?

  init(
    _ bytes: [UInt8], name: String, beside: [String: [UInt8]] = [:], keys: [DatabaseKey] = [],
    touched: TouchMap = .everything
  ) {
    self.bytes = bytes
    var input = ReaderInput(source: MemorySource(bytes), name: name, touched: touched) { sibling in
      let path = sibling.hasPrefix("-") ? name + sibling : sibling
      return beside[path].map(MemorySource.init)
    }
    input.keys = keys
    let head = bytes.prefix(4096)
    let atStart = Readers.builtIn.filter {
      $0.recognises(Array(head).span.bytes, byteCount: bytes.count, name: name)
    }
    let elsewhere = Readers.builtIn.filter { $0.recognisesElsewhere(in: MemorySource(bytes)) }
    for reader in atStart + elsewhere {
      kind = reader.kind
      locator = reader.readKeepingPlaces(input, into: &sink)
      break
    }
  }

  /// Places of all raw sightings and all fragments that hold `needle`.
  func places(of needle: [UInt8]) -> [Place] {
    var places: [Place] = []
    for offset in Self.offsets(of: needle, in: bytes) {
      if let place = locator?.place(of: offset..<offset + needle.count) { places.append(place) }
    }
    for fragment in sink.fragments where !Self.offsets(of: needle, in: fragment.bytes).isEmpty {
      places.append(fragment.place)
    }
    return places
  }

  static func offsets(of needle: [UInt8], in bytes: [UInt8]) -> [Int] {
    guard let first = needle.first, bytes.count >= needle.count else { return [] }
    var offsets: [Int] = []
    var start = 0
    while let offset = bytes[start...].firstIndex(of: first) {
      guard bytes.count - offset >= needle.count else { break }
      if bytes[offset..<offset + needle.count].elementsEqual(needle) { offsets.append(offset) }
      start = offset + 1
    }
    return offsets
  }
}
