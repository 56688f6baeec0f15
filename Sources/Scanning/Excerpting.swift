import Bytes
import Findings
import RuleEngine

/// Takes the bytes around findings for reports that show them, and covers everything in them that is
/// or may be part of a protected value: not only the value itself, but its neighbours too.
struct Excerpting {
  let task: ScanTask
  let source: any ByteSource

  /// Bytes beside the window that are searched with it: a short form may reach into it. Longer values
  /// are findings of the file, which are covered wherever they reach.
  private static let margin = 512
  /// Bytes of a line of a hex editor.
  private static let row = 16

  /// Adds an excerpt of the outer file to findings that have bytes in it.
  func add(to findings: inout [Finding]) {
    guard task.excerptsLeft > 0 || findings.contains(where: { $0.excerpt != nil }) else { return }
    let known = CoveredRanges(findings.lazy.flatMap(\.ranges))
    // In the order of reports: what a file has too many of is cut off at the same place every time.
    let order = findings.indices.sorted { Finding.precedes(findings[$0], findings[$1]) }
    for index in order {
      guard let range = findings[index].ranges.first else { continue }
      findings[index].excerpt = nil
      guard task.excerptsLeft > 0 else { continue }
      task.excerptsLeft -= 1
      findings[index].excerpt = excerpt(of: range, known)
    }
  }

  private func excerpt(of range: ByteRange, _ known: CoveredRanges) -> Excerpt? {
    let window = Self.window(around: range.offset..<range.end, in: 0..<source.byteCount)
    let start = max(0, window.lowerBound - Self.margin)
    guard
      let bytes = try? source.bytes(at: start, count: window.upperBound + Self.margin - start)
    else { return nil }
    var covered = Covering(of: bytes.span.bytes, base: start)
    if !task.searcher.engine.reveals {
      var outcome = task.takeOutcome()
      task.searcher.search(bytes.span.bytes, surroundings: Surroundings(), into: &outcome)
      covered.add(outcome, base: start)
      task.returnOutcome(outcome)
      known.forEach(in: start..<start + bytes.count) { covered.add($0) }
    }
    return covered.excerpt(of: window, source: .file)
  }

  /// Whole lines of a hex editor: one before the value, and as many behind as fit.
  static func window(around range: Range<Int>, in whole: Range<Int>) -> Range<Int> {
    let start = max(whole.lowerBound, (range.lowerBound - row) / row * row)
    return start..<min(whole.upperBound, start + Excerpt.mostBytes)
  }
}

extension SourceScan {
  /// The bytes around a sight in a value that was unpacked: they must be kept while they are there.
  func excerpt(
    of sighting: Sighting, in bytes: RawSpan, base: Int, _ outcome: SearchOutcome
  ) -> Excerpt? {
    guard task.excerptsLeft > 0 else { return nil }
    task.excerptsLeft -= 1
    let window = Excerpting.window(around: sighting.range, in: 0..<bytes.byteCount)
    // Only what lies near is looked at again, however long the value is.
    let near = max(0, window.lowerBound - 64)..<min(bytes.byteCount, window.upperBound + 64)
    var covered = Covering(of: bytes.extracting(near), base: near.lowerBound)
    if !task.searcher.engine.reveals { covered.add(outcome, base: 0) }
    var excerpt = covered.excerpt(of: window, source: .unpacked)
    excerpt.offset += base
    return excerpt
  }
}

/// Which bytes of a window are covered.
private struct Covering {
  private let bytes: [UInt8]
  /// Where the bytes start.
  private let base: Int
  private var isCovered: [Bool]

  init(of bytes: RawSpan, base: Int) {
    self.bytes = bytes.withUnsafeBytes { Array($0) }
    self.base = base
    isCovered = [Bool](repeating: false, count: self.bytes.count)
  }

  /// Everything that a search saw: values, forms too short to count, and encoded text, whatever it
  /// holds.
  mutating func add(_ outcome: SearchOutcome, base: Int) {
    for sighting in outcome.sightings { add(sighting.range, from: base) }
    for range in outcome.touched { add(range, from: base) }
    for range in outcome.touchedValues { add(range, from: base) }
    for range in outcome.touchedRuns { add(range, from: base) }
    for run in outcome.encoded { add(run.range, from: base) }
  }

  private mutating func add(_ range: Range<Int>, from base: Int) {
    add(range.lowerBound + base..<range.upperBound + base)
  }

  mutating func add(_ range: Range<Int>) {
    let lower = max(range.lowerBound - base, 0)
    let upper = min(range.upperBound - base, bytes.count)
    guard lower < upper else { return }
    for index in lower..<upper { isCovered[index] = true }
  }

  /// A rule may capture only a part of a secret, and what stands beside a value without a border is
  /// another field of the same record: letters and digits that touch a covered byte are covered too.
  private func grown() -> [Bool] {
    var grown = isCovered
    func spread(_ index: Int, from neighbour: Int) {
      if grown[neighbour], bytes[index].isASCIIAlphanumeric || bytes[index] >= 0x80 {
        grown[index] = true
      }
    }
    for index in bytes.indices.dropFirst() { spread(index, from: index - 1) }
    for index in bytes.indices.dropLast().reversed() { spread(index, from: index + 1) }
    return grown
  }

  func excerpt(of window: Range<Int>, source: Excerpt.Source) -> Excerpt {
    let covered = grown()
    let shown = window.lowerBound - base..<min(window.upperBound - base, bytes.count)
    return Excerpt(
      source: source, offset: window.lowerBound,
      bytes: shown.isEmpty ? [] : shown.map { covered[$0] ? nil : bytes[$0] })
  }
}

/// The ranges of all findings of a file, so that those in a window are found without looking at all.
private struct CoveredRanges {
  private let ranges: [ByteRange]
  /// The furthest end up to each range: long ones start far before what they reach into.
  private let reach: [Int]

  init(_ ranges: some Sequence<ByteRange>) {
    self.ranges = ranges.sorted { $0.offset < $1.offset }
    var furthest = 0
    reach = self.ranges.map { range in
      furthest = max(furthest, range.end)
      return furthest
    }
  }

  func forEach(in window: Range<Int>, _ body: (Range<Int>) -> Void) {
    var low = 0
    var high = reach.count
    while low < high {
      let middle = (low + high) / 2
      if reach[middle] <= window.lowerBound { low = middle + 1 } else { high = middle }
    }
    while low < ranges.count, ranges[low].offset < window.upperBound {
      if ranges[low].end > window.lowerBound { body(ranges[low].offset..<ranges[low].end) }
      low += 1
    }
  }
}
