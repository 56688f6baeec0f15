import Artifacts
import Bytes
import Findings
import SQLiteFormat

/// Keeps what a reader says of a file, within bounds: members, leftovers, observations, diagnostics.
struct InspectionSink: FragmentSink {
  /// A file inside the file.
  struct Member {
    var name: String
    var place: Place
    var byteCount = 0
    var head: [UInt8] = []
    /// Where its bytes lie as they are, if they do.
    var stored: Range<Int>? {
      guard case .pieces(let pieces) = place.origin, pieces.count == 1 else { return nil }
      return pieces[0].source..<pieces[0].source + pieces[0].count
    }
  }

  /// A record, or another place, that is no live content.
  struct Leftover {
    var place: Place
    var values: [(column: String?, bytes: [UInt8])] = []
    var isCutOff = false
  }

  /// What was counted of one table's values.
  struct Tally {
    var values = 0
    var records = 0
    var copies = 0
    var confidence = 0.0
  }

  static let mostMembers = 100_000
  static let mostLeftovers = 10_000
  private static let mostValues = 64
  private static let mostBytes = 512

  let path: String
  private let deadline: Double
  private let clock: () -> Double
  private(set) var members: [Member] = []
  private(set) var omittedMembers = 0
  private(set) var leftovers: [Leftover] = []
  private(set) var omittedLeftovers = 0
  private(set) var tallies: [TallyKey: Tally] = [:]
  private(set) var observations: [Observation] = []
  private(set) var diagnostics: [Diagnostic] = []
  /// The pages of a file that has no sections of its own.
  private(set) var layout: StorageLayout?
  private(set) var nestedKinds: [String: Int] = [:]
  private(set) var fragments = 0
  private var lastSteps: [String] = []

  struct TallyKey: Hashable {
    var liveness: Liveness
    var table: String
  }

  init(path: String, seconds: Double, clock: @escaping () -> Double) {
    self.path = path
    self.clock = clock
    deadline = clock() + seconds
  }

  mutating func fragment(_ bytes: RawSpan, at place: Place) {
    fragments += 1
    guard place.liveness != .live || place.context.table != nil else { return }
    let key = TallyKey(liveness: place.liveness, table: place.context.table ?? "")
    let isNew = place.steps != lastSteps
    tallies[key, default: Tally()].values += 1
    if isNew {
      lastSteps = place.steps
      tallies[key]?.records += 1
      tallies[key]?.confidence += place.context.confidence ?? 1
      if place.context.copyOf != nil { tallies[key]?.copies += 1 }
    }
    guard place.liveness != .live else { return }
    keep(bytes, at: place, isNew: isNew)
  }

  private mutating func keep(_ bytes: RawSpan, at place: Place, isNew: Bool) {
    if isNew {
      guard leftovers.count < Self.mostLeftovers else {
        omittedLeftovers += 1
        return
      }
      leftovers.append(Leftover(place: place))
    }
    guard !leftovers.isEmpty, leftovers[leftovers.count - 1].place.steps == place.steps else {
      return
    }
    guard leftovers[leftovers.count - 1].values.count < Self.mostValues else {
      leftovers[leftovers.count - 1].isCutOff = true
      return
    }
    leftovers[leftovers.count - 1].values.append(
      (place.context.column ?? place.context.key, bytes.clamped(to: 0..<Self.mostBytes).copied()))
  }

  mutating func nested(_ bytes: [UInt8], name: String, at place: Place) {
    let head = bytes.span.bytes.clamped(to: 0..<4096)
    let kind = Identify.kind(of: head, byteCount: bytes.count)?.kind ?? "data"
    nestedKinds[kind, default: 0] += 1
  }

  mutating func beginMember(_ name: String, at place: Place) -> Bool {
    guard members.count < Self.mostMembers else {
      omittedMembers += 1
      return !isExhausted
    }
    members.append(Member(name: name, place: place))
    return !isExhausted
  }

  mutating func append(_ bytes: RawSpan) -> Bool {
    guard !members.isEmpty, omittedMembers == 0 else { return !isExhausted }
    let last = members.count - 1
    if members[last].head.count < 4096 {
      let room = 4096 - members[last].head.count
      members[last].head += bytes.clamped(to: 0..<room).copied()
    }
    members[last].byteCount += bytes.byteCount
    return !isExhausted
  }

  mutating func endMember() {}

  mutating func describe(_ layout: StorageLayout) {
    if self.layout == nil { self.layout = layout }
  }

  mutating func diagnostic(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps: [String]
  ) {
    guard diagnostics.count < 200 else { return }
    diagnostics.append(
      Diagnostic(
        path: path, locator: Locator(file: path).inside(steps).description, code: code,
        message: message, remedy: remedy))
  }

  mutating func observe(_ observation: Observation) {
    guard observations.count < 10_000 else { return }
    observations.append(observation)
  }

  var isExhausted: Bool { clock() > deadline }
}
