import Artifacts
import Bytes
import Findings
import SQLiteFormat

/// A sink that keeps everything it is given.
struct DatabaseSink: FragmentSink {
  struct Fragment {
    var bytes: [UInt8]
    var lost: [Range<Int>]
    var place: Place
  }

  var fragments: [Fragment] = []
  var nestedValues: [Fragment] = []
  var diagnostics: [String] = []
  var observations: [Observation] = []
  var layout: StorageLayout?

  mutating func fragment(_ bytes: RawSpan, at place: Place) {
    fragments.append(Fragment(bytes: bytes.copied(), lost: [], place: place))
  }

  mutating func fragment(_ bytes: RawSpan, lost: [Range<Int>], at place: Place) {
    fragments.append(Fragment(bytes: bytes.copied(), lost: lost, place: place))
  }

  mutating func nested(_ bytes: [UInt8], name: String, at place: Place) {
    nestedValues.append(Fragment(bytes: bytes, lost: [], place: place))
  }

  mutating func beginMember(_ name: String, at place: Place) -> Bool { true }
  mutating func append(_ bytes: RawSpan) -> Bool { true }
  mutating func endMember() {}

  mutating func diagnostic(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]
  ) {
    diagnostics.append("\(code.rawValue) \(steps.joined(separator: "/")): \(message)")
  }

  mutating func observe(_ observation: Observation) {
    observations.append(observation)
  }

  mutating func describe(_ layout: StorageLayout) {
    self.layout = layout
  }

  var isExhausted: Bool { false }
}
