import Artifacts
import Bytes
import Findings

/// A sink that wants every fact, and keeps facts and fragments.
struct StatementSink: FragmentSink {
  var facts: [Fact] = []
  var fragments: [FragmentRecord.Fragment] = []
  var nestedNames: [String] = []
  var codes: [Diagnostic.Code] = []
  var isExhausted: Bool { false }

  mutating func fragment(_ bytes: RawSpan, at place: Place) {
    fragments.append(.init(bytes: bytes.copied(), place: place))
  }

  mutating func nested(_ bytes: [UInt8], name: String, at place: Place) {
    fragments.append(.init(bytes: bytes, place: place, name: name))
  }

  mutating func beginMember(_ name: String, at place: Place) -> Bool { false }
  mutating func append(_ bytes: RawSpan) -> Bool { false }
  mutating func endMember() {}

  mutating func diagnostic(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]
  ) {
    codes.append(code)
  }

  func wants(_ subject: Fact.Subject) -> Bool { true }

  mutating func state(_ fact: Fact) { facts.append(fact) }

  var missed: [Fact.Subject] = []

  mutating func missing(_ subjects: [Fact.Subject], because reason: String) { missed += subjects }

  /// The values of the first fact of a name.
  subscript(subject: Fact.Subject, name: String) -> [String: [String]]? {
    facts.first { $0.subject == subject && $0.name == name }?.values
  }

  func names(_ subject: Fact.Subject) -> [String] {
    facts.filter { $0.subject == subject }.map(\.name)
  }

  /// What a file states, through the reader that takes it and the readers of statements.
  static func reading(_ bytes: [UInt8], name: String) -> StatementSink {
    var sink = StatementSink()
    let input = ReaderInput(source: MemorySource(bytes), name: name, touched: .everything)
    let head = Array(bytes.prefix(4096))
    reader(for: bytes, name: name)?.read(input, into: &sink)
    Statements.state(input, head: head.span.bytes, into: &sink)
    return sink
  }
}
