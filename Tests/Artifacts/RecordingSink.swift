import Artifacts
import Bytes
import Findings

/// A sink that keeps what it is given and enforces limits of its own.
struct RecordingSink: FragmentSink {
  struct Member {
    var name: String
    var content: [UInt8]
    var place: Place
  }

  struct Note: Equatable {
    var code: Diagnostic.Code
    var message: String
    var steps: [String]
  }

  var members: [Member] = []
  var fragments: [Member] = []
  var nestedValues: [Member] = []
  var notes: [Note] = []
  var produced = 0
  var limit: Int
  var memberLimit: Int
  var isExhausted = false
  private var open: Member?

  init(limit: Int = 64 << 20, memberLimit: Int = 100_000) {
    self.limit = limit
    self.memberLimit = memberLimit
  }

  mutating func fragment(_ bytes: RawSpan, at place: Place) {
    fragments.append(Member(name: "", content: bytes.copied(), place: place))
  }

  mutating func nested(_ bytes: [UInt8], name: String, at place: Place) {
    nestedValues.append(Member(name: name, content: bytes, place: place))
  }

  mutating func beginMember(_ name: String, at place: Place) -> Bool {
    precondition(open == nil, "a member was begun inside another")
    guard members.count < memberLimit, produced < limit else {
      notes.append(Note(code: .limitExpansion, message: "limit", steps: place.steps))
      return false
    }
    open = Member(name: name, content: [], place: place)
    return true
  }

  mutating func append(_ bytes: RawSpan) -> Bool {
    precondition(open != nil, "bytes without a member")
    guard bytes.byteCount <= limit - produced else {
      produced = limit
      notes.append(Note(code: .limitExpansion, message: "limit", steps: []))
      return false
    }
    produced += bytes.byteCount
    open?.content += bytes.copied()
    return true
  }

  mutating func endMember() {
    precondition(open != nil, "a member was ended that was not begun")
    if let open { members.append(open) }
    open = nil
  }

  mutating func diagnostic(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]
  ) {
    notes.append(Note(code: code, message: message, steps: steps))
  }

  var codes: [Diagnostic.Code] { notes.map(\.code) }

  /// A member's content as text.
  func text(_ name: String) -> String? {
    members.first { $0.name == name }.map { String(decoding: $0.content, as: UTF8.self) }
  }

  var everything: [Member] { members + fragments + nestedValues }

  func contains(_ text: String) -> Bool {
    everything.contains { $0.content.contains(text) }
  }
}

extension [UInt8] {
  func contains(_ text: String) -> Bool {
    let needle = Array(text.utf8)
    guard let first = needle.first, count >= needle.count else { return false }
    for start in 0...(count - needle.count) where self[start] == first {
      if self[start..<start + needle.count].elementsEqual(needle) { return true }
    }
    return false
  }
}

/// Reads `bytes` with one reader.
func read(
  _ bytes: [UInt8], with reader: some ArtifactReader, name: String = "",
  sink: RecordingSink = RecordingSink()
) -> RecordingSink {
  var sink = sink
  reader.read(
    ReaderInput(source: MemorySource(bytes), name: name, touched: .everything), into: &sink)
  return sink
}

/// The reader that takes `bytes`, as a scan would choose it.
func reader(for bytes: [UInt8], name: String = "") -> (any ArtifactReader)? {
  let head = Array(bytes.prefix(4096))
  let found = Readers.builtIn.first {
    $0.recognises(head.span.bytes, byteCount: bytes.count, name: name)
  }
  return found
    ?? Readers.builtIn.first { $0.recognisesElsewhere(in: MemorySource(bytes)) }
}

/// Zeros with parts written into them: an image of a disk, where only its marks count.
func zeros(_ count: Int, _ parts: [(offset: Int, bytes: [UInt8])]) -> [UInt8] {
  var image = [UInt8](repeating: 0, count: count)
  for part in parts {
    image.replaceSubrange(part.offset..<part.offset + part.bytes.count, with: part.bytes)
  }
  return image
}

/// Reads `bytes` and everything inside, to a depth.
func readAll(_ bytes: [UInt8], name: String = "", depth: Int = 16, into sink: inout RecordingSink) {
  guard let reader = reader(for: bytes, name: name) else { return }
  guard depth > 0 else {
    sink.notes.append(.init(code: .limitDepth, message: "depth", steps: []))
    return
  }
  let first = (sink.members.count, sink.nestedValues.count)
  reader.read(
    ReaderInput(source: MemorySource(bytes), name: name, touched: .everything), into: &sink)
  for member in Array(sink.members[first.0...]) + Array(sink.nestedValues[first.1...]) {
    readAll(member.content, name: member.name, depth: depth - 1, into: &sink)
  }
}

func readAll(_ bytes: [UInt8], name: String = "") -> RecordingSink {
  var sink = RecordingSink()
  readAll(bytes, name: name, into: &sink)
  return sink
}
