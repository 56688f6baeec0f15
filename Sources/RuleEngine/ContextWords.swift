import Bytes
import CSearch

/// The words of all rules whose presence near a value says what the value is.
///
/// A word counts where it stands as a word of its own or as one of an identifier: `dob` in `user_dob`
/// and `userDob`, not in `adobe`. Case is ignored in ASCII, and `_` in a word stands for one of
/// `_`, `-`, `.` and space, or nothing: `api_key` is also `apiKey`, `api-key` and `API KEY`.
final class ContextWords: Sendable {
  /// A word that was seen, and where.
  struct Sight {
    var word: Int
    var range: Range<Int>
  }

  private static let separators = Array("_-. ".utf8)
  private static let separator = UInt8(ascii: "_")

  /// All words one behind the other, lower case in ASCII: flat, because this is looked at for every
  /// word of every text.
  private let letters: [UInt8]
  private let ranges: [Range<Int>]
  /// Words by a hash of their first two bytes.
  private let index: FlatLists<Int>
  /// Whether a bucket holds a word.
  private let startsAny: [Bool]
  /// How each word of the index starts.
  private let heads: [Head]

  var count: Int { ranges.count }

  init(_ list: WordList) {
    var letters: [UInt8] = []
    var ranges: [Range<Int>] = []
    var buckets = [[Int]](repeating: [], count: Int(VESTIGE_WORD_BUCKETS))
    for (number, word) in list.words.enumerated() {
      for next in Self.nextBytes(word) { buckets[Self.bucket(word[0], next)].append(number) }
      ranges.append(letters.count..<letters.count + word.count)
      letters += word
    }
    self.letters = letters
    self.ranges = ranges
    index = FlatLists(buckets)
    startsAny = buckets.map { !$0.isEmpty }
    heads = buckets.joined().map { Head(of: letters[ranges[$0]]) }
  }

  /// Literals of which one stands at the start of a word wherever the word stands.
  func literals(of word: Int) -> [[UInt8]] {
    let parts = letters[ranges[word]].split(
      separator: Self.separator, omittingEmptySubsequences: false)
    guard parts.count > 1, parts[0].count < 3 else { return [Array(parts[0])] }
    return ([[]] + Self.separators.map { [$0] }).map { parts[0] + $0 + parts[1] }
  }

  /// The place of a word that starts at `start`, where it does.
  func sight(of word: Int, at start: Int, in text: RawSpan) -> Sight? {
    guard Self.startsWord(text, at: start), let end = end(of: word, from: start, in: text),
      Self.endsWord(text, at: end)
    else { return nil }
    return Sight(word: word, range: start..<end)
  }

  /// Adds the words that stand wholly inside `range` of `text` to `sights`.
  ///
  /// Most text around random-looking values holds no word at all, so what every byte costs counts: where
  /// a word may start is looked up with vector instructions.
  func find(in text: RawSpan, _ range: Range<Int>, _ sights: inout [Sight]) {
    let range = range.clamped(to: 0..<text.byteCount)
    var from = range.lowerBound
    var places = InlineArray<128, UInt32>(repeating: 0)
    while from + 1 < range.upperBound {
      let found = text.withUnsafeBytes { bytes in
        startsAny.withUnsafeBufferPointer { startsAny in
          var places = places.mutableSpan
          return places.withUnsafeMutableBufferPointer { places in
            vestige_word_starts(
              bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), &from, range.upperBound,
              startsAny.baseAddress, places.baseAddress, places.count)
          }
        }
      }
      for index in 0..<found {
        addWords(at: Int(places[index]), of: text, upTo: range.upperBound, &sights)
      }
    }
  }

  private func addWords(
    at start: Int, of text: RawSpan, upTo limit: Int, _ sights: inout [Sight]
  ) {
    let head = Head(of: text, at: start)
    let bucket = Self.bucket(text[at: start] ?? 0, text[at: start + 1] ?? 0)
    for position in index.positions(of: bucket) {
      guard heads[position].fits(head) else { continue }
      if let sight = sight(of: index[position], at: start, in: text),
        sight.range.upperBound <= limit
      {
        sights.append(sight)
      }
    }
  }

  /// The first four bytes of a word, of which those up to a separator count: most words of a bucket
  /// are told apart by them.
  private struct Head: Sendable {
    private var letters: UInt32 = 0
    private var counts: UInt32 = 0

    /// Of a word; `_` stands for several characters or none.
    init(of word: some Sequence<UInt8>) {
      for (index, byte) in word.prefix(4).enumerated() {
        guard byte != ContextWords.separator else { break }
        letters |= UInt32(byte) << UInt32(8 * index)
        counts |= 0xff << UInt32(8 * index)
      }
    }

    /// Of the text at a place.
    @inline(__always)
    init(of text: RawSpan, at start: Int) {
      for index in 0..<4 {
        guard let byte = text[at: start + index] else { break }
        letters |= UInt32(ContextWords.fold(byte)) << UInt32(8 * index)
      }
    }

    @inline(__always)
    func fits(_ text: Head) -> Bool { text.letters & counts == letters }
  }

  /// What may stand second in a word.
  private static func nextBytes(_ word: [UInt8]) -> Set<UInt8> {
    guard word[1] == separator else { return [word[1]] }
    return Set(separators + word.dropFirst(2).prefix(1))
  }

  private static func bucket(_ one: UInt8, _ next: UInt8) -> Int {
    Int(vestige_word_bucket(one, next))
  }

  private func end(of word: Int, from start: Int, in text: RawSpan) -> Int? {
    let range = ranges[word]
    return letters.withUnsafeBufferPointer { letters in
      var offset = start
      for index in range {
        guard let byte = text[at: offset] else { return nil }
        let wanted = letters[index]
        if wanted == Self.separator {
          if byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: " ")
          {
            offset += 1
          }
        } else if Self.fold(byte) == wanted {
          offset += 1
        } else {
          return nil
        }
      }
      return offset
    }
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
  static func fold(_ byte: UInt8) -> UInt8 { byte.isASCIIUppercase ? byte | 0x20 : byte }
}
