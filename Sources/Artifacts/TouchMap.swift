/// Which blocks of a source hold something that the raw search wants looked at in its structure: a
/// needle, a rule's anchor, a run of digits or encoded text. One bit a block keeps it flat in memory.
package struct TouchMap: Sendable {
  /// Bytes a bit stands for.
  package static let blockSize = 64

  private var words: [UInt64]
  private let marksEverything: Bool

  /// A map in which nothing is marked yet.
  package init(byteCount: Int) {
    words = [UInt64](repeating: 0, count: max(byteCount, 0) / Self.blockSize / 64 + 1)
    marksEverything = false
  }

  /// A map that sends the reader everywhere: for `inspect` and for tests.
  package static let everything = TouchMap()

  private init() {
    words = []
    marksEverything = true
  }

  /// Marks the blocks of `range`.
  package mutating func mark(_ range: Range<Int>) {
    guard !range.isEmpty, range.lowerBound >= 0 else { return }
    let last = min((range.upperBound - 1) / Self.blockSize, words.count * 64 - 1)
    var block = range.lowerBound / Self.blockSize
    while block <= last {
      words[block / 64] |= 1 << UInt64(block % 64)
      block += 1
    }
  }

  /// Whether any block that `range` touches is marked.
  package func isMarked(_ range: Range<Int>) -> Bool {
    if marksEverything { return true }
    guard !range.isEmpty, range.lowerBound >= 0 else { return false }
    let last = min((range.upperBound - 1) / Self.blockSize, words.count * 64 - 1)
    var block = range.lowerBound / Self.blockSize
    while block <= last {
      if words[block / 64] & (1 << UInt64(block % 64)) != 0 { return true }
      block += 1
    }
    return false
  }
}
