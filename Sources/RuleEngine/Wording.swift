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
    var all = 0
    var common = 0
    var before: UInt8 = 0
    var stretch = 0
    var inStretches = 0
    for offset in 0..<text.byteCount {
      let here = text[at: offset] ?? 0
      defer { before = here }
      stretch = here.isASCIILowercase ? stretch + 1 : 0
      if stretch >= 5 { inStretches += stretch == 5 ? 5 : 1 }
      guard before.isASCIILetter, here.isASCIILetter,
        !(before.isASCIILowercase && here.isASCIIUppercase)
      else { continue }
      all += 1
      if isCommon[Int((before | 0x20) - 0x61) * 26 + Int((here | 0x20) - 0x61)] { common += 1 }
    }
    return common >= 8 && common * 100 >= all * 36 && inStretches >= 10
  }
}
