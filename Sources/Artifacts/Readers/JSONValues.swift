import Bytes
import Findings
import Formats

/// Turns the values of a JSON text into fragments: those with escapes, and those the raw search wants
/// looked at.
struct JSONValues {
  private var document: TextDocument
  private let touched: TouchMap
  /// Offset of the document in the source.
  private let base: Int
  /// Steps to the container that a value was read from last, and its generation.
  private var container: (generation: Int, steps: [String]) = (-1, [])
  /// The array that elements were read from last, by its generation.
  private var array: (generation: Int, isTelling: Bool) = (-1, false)
  /// Members of the object that values were read from last.
  private var members: [(name: String, value: Range<Int>, text: String?)] = []
  private var membersStart = -1
  /// Bytes that may still be read again for members.
  private var lookBudget: Int
  private(set) var firstDamage: Int?

  init(document: TextDocument, touched: TouchMap, base: Int = 0) {
    self.document = document
    self.touched = touched
    self.base = base
    lookBudget = document.bytes.count * 8 + 1 << 20
  }

  /// The whole text as one document; what follows it is named by its number.
  mutating func read(into sink: inout some FragmentSink, from start: Int = 0) {
    let bytes = document.bytes
    let text = bytes.span.bytes
    let whole = min(start, bytes.count)..<bytes.count
    // Without a mark and a backslash there is nothing to add.
    guard document.isTransformed || isMarked(whole) || text.firstOffset(of: 0x5C) != nil else {
      return
    }
    var walk = JSONWalk(text, at: bytes.span.bytes.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : start)
    (container.generation, array.generation, membersStart) = (-1, -1, -1)
    var read = 0
    while let value = walk.next() {
      read += 1
      if read & 0xFFF == 0, sink.isExhausted { return }
      guard isWanted(value, of: walk, sink) else { continue }
      let prefix = walk.documents > 0 ? ["document", String(walk.documents + 1)] : []
      let line = document.isMade ? nil : document.line(of: value.token.start)
      emit(value, of: walk, prefix: prefix, line: line, &sink)
    }
    report(walk, into: &sink)
  }

  /// One line of a file that has a document on each.
  mutating func readLine(_ range: Range<Int>, number: Int, into sink: inout some FragmentSink) {
    firstDamage = nil
    (container.generation, array.generation, membersStart) = (-1, -1, -1)
    let bytes = document.bytes
    guard isMarked(range) || bytes.span.bytes.firstOffset(of: 0x5C, in: range) != nil else {
      return
    }
    var walk = JSONWalk(bytes.span.bytes.clamped(to: 0..<range.upperBound), at: range.lowerBound)
    while let value = walk.next() {
      guard isWanted(value, of: walk, sink) else { continue }
      emit(value, of: walk, prefix: ["line", String(number)], line: number, &sink)
    }
    firstDamage = walk.firstDamage
  }

  private func isMarked(_ range: Range<Int>) -> Bool {
    let source = document.sourceRange(of: range)
    return touched.isMarked(base + source.lowerBound..<base + source.upperBound)
  }

  private mutating func isWanted(
    _ value: JSONWalk.Value, of walk: borrowing JSONWalk, _ sink: some FragmentSink
  ) -> Bool {
    let token = value.token
    if token.range.isEmpty { return false }
    return token.isEscaped || document.isTransformed
      || token.kind != .word
        && (isMarked(token.range) || walk.isElement && isTelling(walk, sink))
  }

  /// Whether the name of the array that a value is an element of tells what it holds: the name stands
  /// before the first one only.
  private mutating func isTelling(_ walk: borrowing JSONWalk, _ sink: some FragmentSink) -> Bool {
    if array.generation != walk.generation {
      array = (walk.generation, walk.key().map(sink.isTelling) ?? false)
    }
    return array.isTelling
  }

  private mutating func emit(
    _ value: JSONWalk.Value, of walk: borrowing JSONWalk, prefix: [String], line: Int?,
    _ sink: inout some FragmentSink
  ) {
    let bytes = document.bytes
    let text = bytes.span.bytes
    let range = value.token.range
    var context = Context()
    context.key = walk.key()
    context.neighbours = neighbours(of: value, in: walk)
    var place = Place(
      steps: steps(in: walk, after: prefix), context: context, origin: origin(of: range),
      line: line)
    let stored = text.clamped(to: range)
    guard value.token.isEscaped, var decoded = BackslashEscapes.decode(stored) else {
      return hand(stored, at: place, &sink)
    }
    decoded.moveSource(by: range.lowerBound + base)
    place.origin = document.origin(of: decoded, in: range)
    hand(decoded.bytes.span.bytes, at: place, &sink)
  }

  private mutating func steps(in walk: borrowing JSONWalk, after prefix: [String]) -> [String] {
    guard let last = walk.lastStep() else { return prefix }
    if container.generation != walk.generation {
      container = (walk.generation, prefix + ["key"] + walk.containerSteps())
    }
    return container.steps + [last]
  }

  private func hand(_ text: RawSpan, at place: Place, _ sink: inout some FragmentSink) {
    if EmbeddedDocument.isLikely(text) {
      sink.nested(text.copied(), name: place.context.key ?? "", at: place)
    } else {
      sink.fragment(text, at: place)
    }
  }

  private func origin(of range: Range<Int>) -> Origin {
    if document.isTransformed { return document.origin(of: range) }
    return .pieces([Piece(offset: 0, source: base + range.lowerBound, count: range.count)])
  }

  /// Names and short texts of the same object, nearest first.
  private mutating func neighbours(
    of value: JSONWalk.Value, in walk: borrowing JSONWalk
  ) -> [String] {
    guard let start = walk.objectStart else { return [] }
    if start != membersStart {
      guard lookBudget > 0 else { return [] }
      lookBudget -= 4096
      members = JSONWalk.members(of: document.bytes.span.bytes, at: start)
      membersStart = start
    }
    let own = members.firstIndex { $0.value == value.token.range } ?? 0
    let nearest = members.indices.sorted { abs($0 - own) < abs($1 - own) }
    var texts: [String] = []
    for index in nearest where members[index].value != value.token.range {
      if texts.count < 8, let text = members[index].text { texts.append(text) }
      if texts.count < 8, members[index].name.utf8.count <= 64 { texts.append(members[index].name) }
    }
    return texts
  }

  private func report(_ walk: borrowing JSONWalk, into sink: inout some FragmentSink) {
    if let offset = walk.firstDamage {
      let source = document.sourceRange(of: offset..<offset + 1).lowerBound
      let isCut = offset >= document.bytes.count
      sink.diagnostic(
        .formatDamaged, isCut ? "JSON ends inside a value" : "not JSON at offset \(source)",
        remedy: "what could be read was searched", steps: ["offset", String(source)])
    }
    if walk.isDeep {
      sink.diagnostic(
        .limitDepth, "JSON is nested deeper than key paths are followed",
        remedy: "values below were read and named by the path so far", steps: [])
    }
  }
}
