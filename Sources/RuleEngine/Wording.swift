import Bytes

/// Whether letters are put together as in words. Identifiers, paths of classes and mangled symbols are
/// as long as keys, of the same alphabets, and stand beside the same words; but who names things writes
/// English, in which most pairs of letters are of few.
enum Wording {
  /// The commonest pairs of neighbours in English text and in the names of programs.
  private static let pairs =
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou "
    + "io le ve co me de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di "
    + "fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs"

  /// One entry for each pair of letters.
  private static let isCommon: [Bool] = {
    var table = [Bool](repeating: false, count: 26 * 26)
    for pair in pairs.split(separator: " ").map({ Array($0.utf8) }) {
      table[Int(pair[0] - 0x61) * 26 + Int(pair[1] - 0x61)] = true
    }
    return table
  }()

  /// Eight common pairs, and more than a third of all pairs but those of a small letter and a capital,
  /// where words meet; and ten letters in stretches of five small ones or more, as words have them. Of
  /// random letters every ninth pair is common: two keys in a thousand have as many, and few of those
  /// have such stretches.
  static func isOfWords(_ text: RawSpan) -> Bool {
    let pairs = pairs(in: text)
    return pairs.common >= 8 && pairs.common * 100 >= pairs.all * 36 && pairs.inStretches >= 10
  }

  private struct Pairs {
    var all = 0
    var common = 0
    /// Small letters in stretches of five or more.
    var inStretches = 0
  }

  private static func pairs(in text: RawSpan) -> Pairs {
    var pairs = Pairs()
    var before: UInt8 = 0
    var stretch = 0
    for offset in 0..<text.byteCount {
      let here = text[at: offset] ?? 0
      defer { before = here }
      stretch = here.isASCIILowercase ? stretch + 1 : 0
      if stretch >= 5 { pairs.inStretches += stretch == 5 ? 5 : 1 }
      guard before.isASCIILetter, here.isASCIILetter,
        !(before.isASCIILowercase && here.isASCIIUppercase)
      else { continue }
      pairs.all += 1
      if isCommon[Int((before | 0x20) - 0x61) * 26 + Int((here | 0x20) - 0x61)] {
        pairs.common += 1
      }
    }
    return pairs
  }

  /// Whether a text looks as if a machine had made it: small letters, capitals, digits and signs take turns
  /// at every second place, or letters of both sizes follow each other as in no language. Names, formats and
  /// code keep to one of them for whole words. Without digits and signs it must be longer.
  static func isGenerated(_ text: RawSpan) -> Bool {
    guard 10...200 ~= text.byteCount else { return false }
    var counts = InlineArray<4, Int>(repeating: 0)
    var changes = 0
    var before: Int?
    for offset in 0..<text.byteCount {
      let kind = kind(of: text[at: offset] ?? 0)
      counts[kind] += 1
      if let before, before != kind { changes += 1 }
      before = kind
    }
    let signs = counts[3]
    let kinds = (0..<4).count { counts[$0] > 0 }
    guard signs * 5 <= text.byteCount * 2, kinds > 2 || kinds == 2 && signs == 0 else {
      return false
    }
    if changes * 2 >= text.byteCount - 1 {
      return (kinds > 2 || text.byteCount >= 12) && !isOfWords(text)
    }
    guard counts[0] >= 6, counts[1] >= 6, changes * 3 >= text.byteCount - 1 else { return false }
    let pairs = pairs(in: text)
    return pairs.all >= 8 && pairs.common * 5 <= pairs.all
  }

  /// Small letter, capital, digit or sign.
  private static func kind(of byte: UInt8) -> Int {
    if byte.isASCIILowercase { return 0 }
    if byte.isASCIIUppercase { return 1 }
    return byte.isASCIIDigit ? 2 : 3
  }
}
