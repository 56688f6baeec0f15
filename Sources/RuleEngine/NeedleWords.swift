import Bytes

/// A needle of several words, looked for by its longest one: what stands between the words is the layout of
/// whoever wrote the text down. Lines are broken and indented, quoted mail and comments put marks in front,
/// emphasis and tags stand around words, subtitles divide a sentence among cues.
struct NeedleWords: Sendable {
  /// The longest word, which the literal search looks for.
  let anchor: [UInt8]
  let ignoresCase: Bool
  private let before: [[UInt8]]
  private let after: [[UInt8]]

  /// As reports name it.
  static let form = "utf8-words"
  /// A shorter word is everywhere.
  private static let shortestAnchor = 4
  /// Longest layout between two words: the lines of a cue and an indentation.
  private static let longestGap = 160
  private static let longestTag = 64

  /// Nothing for a needle that is one word, or of short ones.
  init?(_ needle: Needle) {
    guard needle.kind == .text || needle.kind == .passphrase else { return nil }
    let words = needle.value.split(whereSeparator: \.isWhitespace).map { Array($0.utf8) }
    guard (2...16).contains(words.count),
      let longest = words.indices.max(by: { words[$0].count < words[$1].count }),
      words[longest].count >= Self.shortestAnchor
    else { return nil }
    anchor = words[longest]
    ignoresCase = needle.kind == .text
    before = words[..<longest].reversed()
    after = Array(words[(longest + 1)...])
  }

  /// All words, where the others stand around the anchor with nothing but layout between; nothing where they
  /// stand as other forms of the needle have them.
  func range(around anchor: Range<Int>, in text: RawSpan) -> Range<Int>? {
    var range = anchor
    var gaps: [Range<Int>] = []
    for word in after {
      guard let start = start(of: word, behind: range.upperBound, in: text) else { return nil }
      gaps.append(range.upperBound..<start)
      range = range.lowerBound..<start + word.count
    }
    for word in before {
      guard let end = end(of: word, before: range.lowerBound, in: text) else { return nil }
      gaps.append(end..<range.lowerBound)
      range = end - word.count..<range.upperBound
    }
    return gaps.contains(where: { !Self.isPlain($0, in: text) }) ? range : nil
  }

  /// Whether words stand beside each other as in other forms: with one character between.
  private static func isPlain(_ gap: Range<Int>, in text: RawSpan) -> Bool {
    gap.count == 1 && text[at: gap.lowerBound] != 0x0a && text[at: gap.lowerBound] != 0x09
  }

  private func matches(_ word: [UInt8], at start: Int, in text: RawSpan) -> Bool {
    guard start >= 0, start + word.count <= text.byteCount else { return false }
    for (index, wanted) in word.enumerated() {
      guard let byte = text[at: start + index] else { return false }
      if byte == wanted { continue }
      guard ignoresCase, wanted.isASCIILetter, byte ^ wanted == 0x20 else { return false }
    }
    return true
  }

  private func start(of word: [UInt8], behind end: Int, in text: RawSpan) -> Int? {
    var offset = end
    var isLineStart = false
    while offset - end <= Self.longestGap {
      if offset > end, matches(word, at: offset, in: text) { return offset }
      guard let count = Self.layout(at: offset, isLineStart: isLineStart, in: text) else {
        return nil
      }
      let byte = text[at: offset]
      if byte == 0x0a { isLineStart = true }
      offset += count
    }
    return nil
  }

  /// Looks for the word before by trying each place from which layout leads here.
  private func end(of word: [UInt8], before start: Int, in text: RawSpan) -> Int? {
    guard let last = word.last else { return nil }
    let lowest = max(word.count, start - Self.longestGap)
    var end = start - 1
    while end >= lowest {
      if let byte = text[at: end - 1],
        byte == last || ignoresCase && byte.isASCIILetter && byte ^ last == 0x20,
        matches(word, at: end - word.count, in: text), isLayout(end..<start, in: text)
      {
        return end
      }
      end -= 1
    }
    return nil
  }

  private func isLayout(_ gap: Range<Int>, in text: RawSpan) -> Bool {
    var offset = gap.lowerBound
    var isLineStart = false
    while offset < gap.upperBound {
      guard let count = Self.layout(at: offset, isLineStart: isLineStart, in: text) else {
        return false
      }
      if text[at: offset] == 0x0a { isLineStart = true }
      offset += count
    }
    return offset == gap.upperBound
  }

  /// How many bytes of layout start at `offset`: blanks, marks, a tag, or the number and times of a cue.
  private static func layout(at offset: Int, isLineStart: Bool, in text: RawSpan) -> Int? {
    guard let byte = text[at: offset] else { return nil }
    switch byte {
    case 0x20, 0x09, 0x0a, 0x0d: return 1
    case UInt8(ascii: ">"), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"),
      UInt8(ascii: "`"), UInt8(ascii: "#"), UInt8(ascii: "|"), UInt8(ascii: "/"), 0x5c,
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "\""), UInt8(ascii: "'"):
      return 1
    case UInt8(ascii: "<"):
      var end = offset + 1
      while end - offset < longestTag, let inner = text[at: end], inner >= 0x20, inner != byte {
        end += 1
        if inner == UInt8(ascii: ">") { return end - offset }
      }
      return nil
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: ","),
      UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"):
      return isLineStart ? 1 : nil
    case 0xc2:
      // A space that lines are not broken at, a hyphen that is not shown.
      return text[at: offset + 1].map { $0 == 0xa0 || $0 == 0xad } == true ? 2 : nil
    case 0xe2: return text[at: offset + 1] == 0x80 ? 3 : nil
    case 0xe3: return text[at: offset + 1] == 0x80 && text[at: offset + 2] == 0x80 ? 3 : nil
    default: return nil
    }
  }
}

extension Searcher {
  /// Decides whether a needle's words stand around the longest of them; whether they do.
  func judgeWords(
    of needle: Int, at anchor: Range<Int>, in bytes: RawSpan, _ outcome: inout SearchOutcome
  ) -> Bool {
    guard let range = engine.needleWords[needle]?.range(around: anchor, in: bytes),
      let plain = engine.forms[needle].first, !plain.isWeak,
      Self.stands(range, in: bytes, as: plain)
    else { return false }
    add(
      .needle(needle), form: NeedleWords.form, at: range, value: bytes.clamped(to: range),
      &outcome)
    return true
  }
}
