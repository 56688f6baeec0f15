import Bytes

/// The words of all rules whose presence near a value says what the value is, found in one pass over
/// what surrounds it.
///
/// A word counts where it stands as a word of its own or as one of an identifier: `dob` in `user_dob`
/// and `userDob`, not in `adobe`. Case is ignored in ASCII.
struct ContextWords: Sendable {
  /// A word that was seen, and where.
  struct Sight {
    var word: Int
    var range: Range<Int>
  }

  /// Lower case in ASCII, each once.
  private(set) var words: [[UInt8]] = []
  private var numbers: [[UInt8]: Int] = [:]
  /// Words by a hash of their first two bytes.
  private var buckets = [[Int]](repeating: [], count: 4_096)

  /// The number of a word, which is added where it is new.
  mutating func add(_ word: String) -> Int {
    let folded = word.utf8.map(Self.fold)
    if let known = numbers[folded] { return known }
    guard folded.count >= 2 else { return -1 }
    numbers[folded] = words.count
    buckets[Self.bucket(folded[0], folded[1])].append(words.count)
    words.append(folded)
    return words.count - 1
  }

  /// Adds the words that stand wholly inside `range` of `text` to `sights`.
  func find(in text: RawSpan, _ range: Range<Int>, _ sights: inout [Sight]) {
    guard range.count >= 2, let first = text[at: range.lowerBound] else { return }
    var here = Self.fold(first)
    for start in range.lowerBound..<range.upperBound - 1 {
      guard let byte = text[at: start + 1] else { return }
      let next = Self.fold(byte)
      for word in buckets[Self.bucket(here, next)] {
        let end = start + words[word].count
        if end <= range.upperBound, matches(word, text, at: start),
          Self.startsWord(text, at: start), Self.endsWord(text, at: end)
        {
          sights.append(Sight(word: word, range: start..<end))
        }
      }
      here = next
    }
  }

  private func matches(_ word: Int, _ text: RawSpan, at start: Int) -> Bool {
    let bytes = words[word]
    for index in bytes.indices {
      guard let byte = text[at: start + index], Self.fold(byte) == bytes[index] else { return false }
    }
    return true
  }

  private static func startsWord(_ text: RawSpan, at start: Int) -> Bool {
    guard let before = text[at: start - 1], before.isASCIILetter else { return true }
    guard let here = text[at: start], here.isASCIILetter else { return true }
    return here.isASCIIUppercase && before.isASCIILowercase
  }

  private static func endsWord(_ text: RawSpan, at end: Int) -> Bool {
    guard let after = text[at: end], after.isASCIILowercase else { return true }
    guard let last = text[at: end - 1], last.isASCIILetter else { return true }
    // A plural is the same word.
    return after == UInt8(ascii: "s") && !(text[at: end + 1]?.isASCIILowercase ?? false)
  }

  @inline(__always)
  private static func fold(_ byte: UInt8) -> UInt8 { byte.isASCIIUppercase ? byte | 0x20 : byte }

  @inline(__always)
  private static func bucket(_ one: UInt8, _ other: UInt8) -> Int {
    (Int(one) &* 61 &+ Int(other)) & 4_095
  }
}

/// The words a rule wants near, and those it wants away, as sets of word numbers.
struct RuleWords: Sendable {
  private(set) var wanted: WordSet
  private(set) var unwanted: WordSet

  init(_ rule: Rule, in words: inout ContextWords) {
    wanted = WordSet()
    unwanted = WordSet()
    for word in rule.context { wanted.insert(words.add(word)) }
    for word in rule.contextNot { unwanted.insert(words.add(word)) }
  }

  var isEmpty: Bool { wanted.isEmpty && unwanted.isEmpty }
}

/// A set of word numbers, one bit each.
struct WordSet: Sendable {
  private var bits: [UInt64] = []

  var isEmpty: Bool { bits.isEmpty }

  mutating func insert(_ word: Int) {
    guard word >= 0 else { return }
    while bits.count <= word / 64 { bits.append(0) }
    bits[word / 64] |= 1 << UInt64(word % 64)
  }

  func contains(_ word: Int) -> Bool {
    word / 64 < bits.count && bits[word / 64] & (1 << UInt64(word % 64)) != 0
  }
}
