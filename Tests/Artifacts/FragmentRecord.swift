import Artifacts
import Bytes
import Findings

/// A sink that keeps all it is given, for tests to compare.
struct FragmentRecord: FragmentSink {
  struct Fragment {
    var bytes: [UInt8]
    var place: Place
    /// Name of a nested file, or nothing for a fragment.
    var name: String?

    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// Steps below the kind of step, joined: `accounts.2.token`.
    var path: String { place.steps.joined(separator: "/") }
  }

  var fragments: [Fragment] = []
  var diagnostics: [(code: Diagnostic.Code, message: String)] = []
  var isExhausted = false

  mutating func fragment(_ bytes: RawSpan, at place: Place) {
    fragments.append(Fragment(bytes: bytes.copied(), place: place))
  }

  mutating func nested(_ bytes: [UInt8], name: String, at place: Place) {
    fragments.append(Fragment(bytes: bytes, place: place, name: name))
  }

  mutating func beginMember(_ name: String, at place: Place) -> Bool { true }
  mutating func append(_ bytes: RawSpan) -> Bool { true }
  mutating func endMember() {}

  mutating func diagnostic(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]
  ) {
    diagnostics.append((code, message))
  }

  /// The first fragment with this text.
  func fragment(_ text: String) -> Fragment? { fragments.first { $0.text == text } }

  /// Everything a reader finds in a file held in memory.
  static func reading(
    _ bytes: [UInt8], with reader: some ArtifactReader, touched: TouchMap = .everything,
    name: String = ""
  ) -> FragmentRecord {
    var record = FragmentRecord()
    let input = ReaderInput(source: MemorySource(bytes), name: name, touched: touched)
    reader.read(input, into: &record)
    return record
  }

  /// The reader of the list that recognises the bytes.
  static func reader(of bytes: [UInt8], name: String = "") -> (any ArtifactReader)? {
    Readers.builtIn.first {
      $0.recognises(bytes.span.bytes.clamped(to: 0..<4096), byteCount: bytes.count, name: name)
    }
  }
}

extension FragmentRecord.Fragment {
  /// The bytes of the source that show `part` of the text.
  func source(of part: String, in source: [UInt8]) -> [UInt8]? {
    guard let found = text.firstRange(of: part) else { return nil }
    let lower = text.utf8.distance(from: text.startIndex, to: found.lowerBound)
    let ranges = place.origin.ranges(of: lower..<lower + part.utf8.count)
    return ranges.flatMap { Array(source[$0.offset..<$0.end]) }
  }
}
