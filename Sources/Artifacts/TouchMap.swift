/// Which blocks of a source hold something that the raw search wants looked at in its structure: a
/// needle, a rule's anchor, a run of digits or encoded text. One bit a block, and larger blocks in
/// larger sources, keep it flat in memory.
package struct TouchMap: Sendable {
  /// Bytes a bit stands for: 16, until that would take more than 8 MiB.
  package var blockSize: Int { 1 << shift }

  private static let mostBlocks = 1 << 26
  /// How many blocks of values a block of records spans, as a power of two.
  private static let recordShift = 2

  private let shift: Int
  /// Where the map starts in the source.
  private let start: Int
  private let marksEverything: Bool
  private var values: Bits
  /// Where not only the value matters, but what stands beside it in its record.
  private var records: Bits

  /// A map in which nothing is marked yet: of a whole source, or of a part of one that starts at a
  /// multiple of some MiB.
  package init(byteCount: Int, start: Int = 0, of whole: Int? = nil) {
    var shift = 4
    while (whole ?? byteCount) >> shift > Self.mostBlocks { shift += 1 }
    self.shift = shift
    self.start = start
    marksEverything = false
    values = Bits(count: max(byteCount, 0) >> shift + 1)
    records = Bits(count: max(byteCount, 0) >> (shift + Self.recordShift) + 1)
  }

  /// A map that sends the reader everywhere: for `inspect` and for tests.
  package static let everything = TouchMap()

  private init() {
    (shift, start, marksEverything) = (4, 0, true)
    (values, records) = (Bits(count: 0), Bits(count: 0))
  }

  /// Marks the blocks of `range`: whatever lies in a record with it is worth a look.
  package mutating func mark(_ range: Range<Int>) {
    markValue(range)
    guard let blocks = blocks(of: range) else { return }
    records.insert(blocks.lowerBound >> Self.recordShift...blocks.upperBound >> Self.recordShift)
  }

  /// Marks the blocks of `range`: the value that it lies in is worth a look, whatever stands beside it.
  package mutating func markValue(_ range: Range<Int>) {
    if let blocks = blocks(of: range) { values.insert(blocks) }
  }

  /// Marks the blocks that lie whole in `range`, so that what only touches it is left alone.
  package mutating func markInside(_ range: Range<Int>) {
    let lower = ((range.lowerBound + blockSize - 1) >> shift) << shift
    let upper = (range.upperBound >> shift) << shift
    markValue(lower < upper ? lower..<upper : range)
  }

  /// Whether any block that `range` touches is marked.
  package func isMarked(_ range: Range<Int>) -> Bool {
    if marksEverything { return true }
    guard let blocks = blocks(of: range) else { return false }
    return values.contains(blocks)
  }

  /// Whether the values beside one another in `range` are of interest together.
  package func isRecordMarked(_ range: Range<Int>) -> Bool {
    if marksEverything { return true }
    guard let blocks = blocks(of: range) else { return false }
    return records.contains(
      blocks.lowerBound >> Self.recordShift...blocks.upperBound >> Self.recordShift)
  }

  /// Adds what is marked in the map of a part.
  package mutating func formUnion(_ part: TouchMap) {
    values.formUnion(part.values, at: (part.start - start) >> shift)
    records.formUnion(part.records, at: (part.start - start) >> (shift + Self.recordShift))
  }

  private func blocks(of range: Range<Int>) -> ClosedRange<Int>? {
    let lower = max(range.lowerBound - start, 0)
    let upper = range.upperBound - start
    guard range.lowerBound >= 0, lower < upper else { return nil }
    return lower >> shift...(upper - 1) >> shift
  }
}

/// A set of small numbers, a bit each; numbers beyond its end are left out.
private struct Bits: Sendable {
  private var words: [UInt64]

  init(count: Int) {
    words = [UInt64](repeating: 0, count: (count + 63) / 64)
  }

  mutating func insert(_ range: ClosedRange<Int>) {
    guard range.lowerBound < words.count * 64 else { return }
    for bit in range.lowerBound...min(range.upperBound, words.count * 64 - 1) {
      words[bit >> 6] |= 1 << UInt64(bit & 63)
    }
  }

  func contains(_ range: ClosedRange<Int>) -> Bool {
    guard range.lowerBound < words.count * 64 else { return false }
    var bit = range.lowerBound
    let last = min(range.upperBound, words.count * 64 - 1)
    while bit <= last {
      let word = words[bit >> 6] >> UInt64(bit & 63)
      if word == 0 {
        bit = (bit >> 6 + 1) << 6
      } else {
        return bit + word.trailingZeroBitCount <= last
      }
    }
    return false
  }

  /// - Parameter offset: a multiple of 64.
  mutating func formUnion(_ other: Bits, at offset: Int) {
    for (index, word) in other.words.enumerated() where word != 0 {
      let place = offset >> 6 + index
      if words.indices.contains(place) { words[place] |= word }
    }
  }
}
