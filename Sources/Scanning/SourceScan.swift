import Artifacts
import Bytes
import Findings
import RuleEngine
import SQLiteFormat

/// The scan of one source: an outer file, a member of an archive, a decoded value. It searches the
/// bytes as they lie, lets the reader that knows the format look deeper, and merges both views.
final class SourceScan {
  /// A place at which something was seen, before it becomes a finding.
  struct Sight {
    var sighting: Sighting
    /// Steps below this source.
    var steps: [String]
    var liveness = Liveness.live
    var context = Context()
    /// Bytes of this source; empty where no byte of it shows the value.
    var ranges: [ByteRange]
    /// Whether the ranges are the value itself, not text it was decoded from.
    var isExact = true
    /// Whether it was seen in text that was only taken for escaped: a base64 line that ends in `=`
    /// looks like a soft line break.
    var isGuess = false
    /// Whether a reader said what lies here.
    var isPlaced = false
    /// As what it was counted.
    var view: SeenPlaces.View
    var line: Int?
    var also: [[String]] = []
    /// The bytes around it, where no byte of the outer file will show them.
    var excerpt: Excerpt?
    /// The database key that the value may be.
    var databaseKey: DatabaseKey?
  }

  let task: ScanTask
  let name: String
  let depth: Int
  var kind = "data"
  var isText = false
  /// Whether the content is ciphertext, as far as a reader said.
  private(set) var encrypted: InputRecord.Encrypted?
  /// What the source is made of, as far as a reader said.
  var layout: StorageLayout?
  var sights: [Sight] = []
  /// Whether some were left out, of which there were too many.
  var isFlooded = false
  /// What checks said of facts in this source.
  var judged: [Judged] = []
  /// What readers observed, and how often.
  var noted: [Noted] = []
  var noteCounts: [Observation.Kind: Int] = [:]
  /// What rules of the `storage` kind can decide on here.
  var scopes: Set<StorageRule.Scope> = []
  /// Weak forms of needles that the raw search saw, and where: chance, unless a reader finds that they
  /// are whole values.
  var chance: [(hit: ChanceHit, start: Int)] = []
  /// Steps from the outermost file to this source.
  let steps: [String]
  /// Whether it is left over, deleted or of an older version: that its end was written over is no
  /// damage to the file.
  let isResidue: Bool

  init(task: ScanTask, name: String, depth: Int, steps: [String], isResidue: Bool = false) {
    self.task = task
    self.name = name
    self.depth = depth
    self.steps = steps
    self.isResidue = isResidue
  }

  /// Scans bytes held in memory.
  func scan(_ bytes: [UInt8], surroundings: Surroundings = Surroundings()) {
    var touched = TouchMap(byteCount: bytes.count)
    search(
      bytes.span.bytes, base: 0, accepted: 0..<bytes.count, surroundings: surroundings,
      touched: &touched)
    let source = MemorySource(bytes)
    read(source, head: bytes.span.bytes.clamped(to: 0..<Recognition.headSize), touched)
    addLines(from: source)
    merge()
  }

  /// Searches a window of the source as it lies; `base` is where the window starts in the source.
  ///
  /// - Parameter decoded: up to where encoded text of the window was decoded already.
  /// - Returns: encoded text that goes on behind the window, where the source does.
  @discardableResult
  func search(
    _ bytes: RawSpan, base: Int, accepted: Range<Int>, surroundings: Surroundings,
    touched: inout TouchMap, continues: Bool = false, decoded: Int = 0
  ) -> EncodedRun? {
    guard !task.searcher.engine.isEmpty else { return nil }
    var outcome = task.takeOutcome()
    task.searcher.search(bytes, accepted: accepted, surroundings: surroundings, into: &outcome)
    for range in outcome.touched { touched.mark(range.moved(by: base)) }
    for range in outcome.touchedValues { touched.markValue(range.moved(by: base)) }
    for range in outcome.touchedRuns { touched.markInside(range.moved(by: base)) }
    for sighting in outcome.sightings {
      // A value may lie in another block than the name that led to it; its reader names it best.
      touched.markValue(sighting.range.moved(by: base))
      guard task.keepsPlace(sighting.subject) else { continue }
      let range = ByteRange(offset: sighting.range.lowerBound + base, length: sighting.range.count)
      var sight = Sight(sighting: sighting, steps: [], ranges: [range], view: task.view)
      sight.databaseKey = key(sighting, in: bytes)
      if depth > 0 { sight.excerpt = excerpt(of: sighting, in: bytes, base: base, outcome) }
      sights.append(sight)
    }
    for (hit, start) in outcome.chance { noteChance(hit, at: start + base) }
    note(outcome)
    let open = decode(outcome.encoded, from: decoded, in: bytes, continues: continues) {
      ByteRange(offset: $0.lowerBound + base, length: $0.count)
    }
    task.returnOutcome(outcome)
    if Searcher.isBinary(bytes) {
      // Where a value ends only the structure knows: the reader is to hand on what holds escapes.
      for kind in EscapedText.allCases {
        kind.stretches(in: bytes, from: accepted, isBinary: true) {
          touched.markValue($0.moved(by: base))
        }
      }
    } else {
      searchEscapes(in: bytes, base: base, accepted: accepted)
      searchDumps(in: bytes, base: base, accepted: accepted)
    }
    return open
  }

  /// Searches a value that a reader lifted from the source; of some bytes it may know only that they
  /// are lost.
  func searchFragment(
    _ bytes: RawSpan, at place: Place, isWholeField: Bool = true, lost: [Range<Int>] = []
  ) {
    task.fragments += 1
    guard !task.searcher.engine.isEmpty else { return }
    var outcome = task.takeOutcome()
    task.searcher.search(
      bytes, surroundings: Surroundings(of: place.context, isWholeField: isWholeField),
      into: &outcome)
    if !lost.isEmpty { task.searcher.searchAcross(lost, of: bytes, into: &outcome) }
    for sighting in outcome.sightings {
      guard task.keepsPlace(sighting.subject) else { continue }
      var sight = Sight(
        sighting: sighting, steps: place.steps, ranges: place.origin.ranges(of: sighting.range),
        view: task.view)
      sight.databaseKey = key(sighting, in: bytes)
      sight.liveness = place.liveness(of: sight.ranges)
      sight.context = place.context
      sight.line = place.line
      if let first = place.line, place.steps.count == 2, place.steps[0] == "line" {
        // A piece of text starts at its first line; what was seen may lie some lines below.
        let before = bytes.clamped(to: 0..<sighting.range.lowerBound)
        let line = first + LineCounter.lineEnds(in: before)
        sight.line = line
        sight.steps[1] = String(line)
      }
      sight.isPlaced = true
      sight.isGuess = !isWholeField
      sight.isExact = place.origin.isExact
      if depth > 0 || sight.ranges.isEmpty {
        sight.excerpt = excerpt(of: sighting, in: bytes, base: 0, outcome)
      }
      sights.append(sight)
    }
    // What lies in the source as it is was seen there.
    if !place.origin.isExact {
      for (hit, _) in outcome.chance { task.noteChance(hit) }
    }
    note(outcome)
    let encoded = outcome.encoded
    task.returnOutcome(outcome)
    decode(encoded, in: bytes, at: place)
    if isWholeField {
      searchEscapes(in: bytes, base: 0, accepted: 0..<bytes.byteCount, at: place)
      // In a text the dump that a value is a line of was read whole.
      if !(isText && place.origin.isCopy) {
        searchDumps(in: bytes, base: 0, accepted: 0..<bytes.byteCount, at: place)
      }
    }
  }

  private func key(_ sighting: Sighting, in bytes: RawSpan) -> DatabaseKey? {
    KeyCandidate.key(
      bytes.clamped(to: sighting.range), of: sighting.subject, in: task.searcher.engine)
  }

  private func note(_ outcome: SearchOutcome) {
    if outcome.abandoned > 0 {
      report(
        .matchLimit, "\(outcome.abandoned) pattern matches were given up at their bound",
        remedy: "look at the file by hand, or leave out the rule's pack", steps: [])
    }
  }

  /// Lets the reader that recognises the format look deeper, and has it name the places of what was
  /// seen in the bytes as they lie.
  ///
  /// - Parameter shares: of the structure, where it was read in shares before.
  func read(
    _ source: any ByteSource, head: RawSpan, _ touched: TouchMap, shares: [FilePart] = [],
    common: CommonKnowledge? = nil
  ) {
    guard source.byteCount > 0 else { return }
    let known = Recognition(
      of: head, byteCount: source.byteCount, name: name, source: source,
      asksMagic: depth == 0 && task.namesKinds)
    kind = known.kind
    isText = known.isText
    let input = input(source, touched, common)
    auditSource(source)
    for reader in known.readers {
      var sink = ScanSink(scan: self, of: source)
      let places =
        finish(reader, shares, input, into: &sink)
        ?? reader.readKeepingPlaces(input, into: &sink)
      sink.finish()
      if let places { place(by: places) }
    }
    var sink = ScanSink(scan: self)
    Statements.state(input, head: head, into: &sink)
    noteKind()
  }

  private func input(
    _ source: any ByteSource, _ touched: TouchMap, _ common: CommonKnowledge?
  ) -> ReaderInput {
    var input = ReaderInput(source: source, name: name, touched: touched)
    input.common = common
    input.keys = task.keys
    if depth == 0 { input.sibling = task.sibling }
    return input
  }

  /// Lets a reader read a share of the structure; nothing where the source is none that is shared.
  func read(
    share index: Int, of count: Int, _ source: any ByteSource, head: RawSpan, _ touched: TouchMap,
    common: CommonKnowledge
  ) -> (any ReaderShare)? {
    guard let reader = Readers.partial(for: head, byteCount: source.byteCount, name: name) else {
      return nil
    }
    var sink = ScanSink(scan: self)
    let share = reader.read(
      share: index, of: count, input(source, touched, common), into: &sink)
    sink.finish()
    return share
  }

  /// Takes over what was read of the structure in shares, and lets the reader put it together; nothing
  /// where a share is missing.
  private func finish(
    _ reader: any ArtifactReader, _ shares: [FilePart], _ input: ReaderInput,
    into sink: inout ScanSink
  ) -> (any PlaceLocator)? {
    let structures = shares.compactMap(\.structure)
    guard let reader = reader as? any PartialReader, !shares.isEmpty,
      structures.count == shares.count
    else { return nil }
    for share in shares { add(share, lines: 0) }
    return reader.finish(structures, input, into: &sink)
  }

  /// Says of what was seen in the bytes as they lie what it lies in.
  private func place(by locator: any PlaceLocator) {
    for index in sights.indices where !sights[index].isPlaced {
      guard let range = sights[index].ranges.first,
        let place = locator.place(of: range.offset..<range.end)
      else { continue }
      sights[index].steps = place.steps + sights[index].steps
      sights[index].liveness = place.liveness
      sights[index].context = place.context
    }
  }

  /// Adds what a nested source brought up, seen from this one.
  func adopt(_ inner: SourceScan, at place: Place) {
    adoptJudged(inner, at: place)
    adoptNotes(of: inner, at: place)
    for var sight in inner.sights {
      switch place.origin {
      case .pieces where !sight.ranges.isEmpty, .mapped where !sight.ranges.isEmpty:
        sight.ranges = sight.ranges.flatMap { range in
          place.origin.ranges(of: range.offset..<range.end)
        }
      case .pieces, .mapped, .transformed:
        sight.ranges = []
        sight.isExact = false
      case .decoded(let range):
        sight.ranges = [range]
        sight.isExact = false
      }
      sight.steps = Locator.steps(place.steps, inside: sight.steps)
      sight.also = sight.also.map { Locator.steps(place.steps, inside: $0) }
      sight.context.inherit(from: place.context)
      if sight.liveness == .live { sight.liveness = place.liveness(of: sight.ranges) }
      // A line of what lies inside an archive or database is none of the file.
      if case .pieces = place.origin, isText {} else { sight.line = place.line }
      sight.isPlaced = true
      sights.append(sight)
    }
  }

  /// Takes what a reader learned about the source as a whole.
  func observe(_ observation: Observation) {
    note(observation)
    switch observation.kind {
    case .plaintext: encrypted = encrypted ?? .no
    case .encrypted, .plaintextHeader: encrypted = encrypted == .mixed ? .mixed : .yes
    case .mixed, .plaintextPage, .encryptedPage, .plaintextBeside: encrypted = .mixed
    case .undecided: encrypted = .unknown
    case .keyFits, .wrongKey, .damagedPages, .residue, .staleGeneration, .uncommittedFrames,
      .foreignLog, .hotJournal, .persistedJournal, .temporaryPages, .oldKey, .orphanSidecar,
      .clearCopy, .notEncrypted, .worldReadable:
      break
    }
  }

  func report(
    _ code: Diagnostic.Code, _ message: String, remedy: String, steps inner: [String]
  ) {
    if isResidue, code == .formatDamaged { return }
    task.report(code, message, remedy: remedy, steps: Locator.steps(steps, inside: inner))
  }
}

extension Range<Int> {
  fileprivate func moved(by distance: Int) -> Range {
    lowerBound + distance..<upperBound + distance
  }
}

extension Origin {
  /// Whether the bytes stand in the source as they are.
  fileprivate var isCopy: Bool {
    if case .pieces = self { true } else { false }
  }

  /// Whether the bytes of the source are the value itself.
  fileprivate var isExact: Bool {
    switch self {
    case .pieces, .mapped: true
    case .decoded, .transformed: false
    }
  }
}

extension Context {
  /// Fills what this place does not know itself from the place that it lies in.
  mutating func inherit(from outer: Context) {
    table = table ?? outer.table
    column = column ?? outer.column
    rowid = rowid ?? outer.rowid
    entity = entity ?? outer.entity
    attribute = attribute ?? outer.attribute
    page = page ?? outer.page
    role = role ?? outer.role
    frame = frame ?? outer.frame
    member = member ?? outer.member
    section = section ?? outer.section
    symbol = symbol ?? outer.symbol
    key = key ?? outer.key
  }
}
