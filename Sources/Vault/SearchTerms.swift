import CSQLCipher

/// What of a text is indexed, and what a query asks for.
///
/// SQLite's tokenizer takes a run of Chinese, Japanese or Korean characters for one word, so 你好 would
/// not be found in 你好世界. Such a run is indexed as its overlapping pairs, and its last character
/// alone: 你好世界 becomes `你好 好世 世界 界`. A query of two or more characters asks for its pairs as a
/// phrase, one of a single character for the words that begin with it.
package enum SearchTerms {
  /// The text with its runs spread; the same text, untouched, if it has none.
  package static func expand(_ text: String) -> String {
    guard mayHaveRuns(text) else { return text }
    var expanded = String.UnicodeScalarView()
    var previous: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      if isInRun(scalar) {
        if let previous {
          expanded.append(previous)
          expanded.append(scalar)
        }
        expanded.append(" ")
        previous = scalar
        continue
      }
      if let last = previous {
        expanded.append(last)
        expanded.append(" ")
      }
      previous = nil
      expanded.append(scalar)
    }
    if let previous { expanded.append(previous) }
    return String(expanded)
  }

  /// The query in the language of the index: every word of it must occur, and the last one may be
  /// the beginning of a word if it ends in `*`. Nothing else in it has a meaning of its own.
  package static func query(_ text: String) -> String {
    text.split { $0.isWhitespace }.flatMap(clauses).joined(separator: " ")
  }

  private static func clauses(_ word: Substring) -> [String] {
    let isPrefix = word.last == "*"
    var clauses: [String] = []
    var run: [Unicode.Scalar] = []
    var plain = String.UnicodeScalarView()
    func finishRun() {
      if run.count == 1 { clauses.append("\"\(run[0])*\"") }
      if run.count > 1 {
        let pairs = zip(run, run.dropFirst()).map { "\($0)\($1)" }
        clauses.append("\"" + pairs.joined(separator: " ") + "\"")
      }
      run = []
    }
    func finishPlain(isLast: Bool) {
      // Quotes are the only thing that could end a phrase.
      let words = String(plain.filter { $0 != "\"" && $0 != "*" })
      if words.unicodeScalars.contains(where: {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
      }) {
        clauses.append("\"" + words + (isLast && isPrefix ? "*" : "") + "\"")
      }
      plain = String.UnicodeScalarView()
    }
    for scalar in word.unicodeScalars {
      if isInRun(scalar) {
        finishPlain(isLast: false)
        run.append(scalar)
      } else {
        finishRun()
        plain.append(scalar)
      }
    }
    finishRun()
    finishPlain(isLast: true)
    return clauses
  }

  /// All such scripts begin at U+1100 or above: three bytes of UTF-8 whose first is at least 0xE1.
  private static func mayHaveRuns(_ text: String) -> Bool {
    text.utf8.contains { $0 >= 0xe1 }
  }

  /// Scripts that are written without spaces between words (Han, kana, Hangul).
  private static func isInRun(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x3041...0x30ff, 0x3400...0x4dbf, 0x4e00...0x9fff, 0xf900...0xfaff, 0x1100...0x11ff,
      0xac00...0xd7af, 0x31f0...0x31ff, 0xff66...0xff9f, 0x20000...0x323af, 0x3005, 0x3007:
      true
    default: false
    }
  }

  /// Makes `search_terms(text)` known to a connection: the index's view calls it.
  static func register(on connection: Connection) throws(VaultError) {
    let result = sqlite3_create_function_v2(
      connection.pointer, "search_terms", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil,
      { context, _, arguments in
        guard let value = arguments?[0], let start = sqlite3_value_text(value) else { return }
        let count = Int(sqlite3_value_bytes(value))
        let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
        var expanded = SearchTerms.expand(text)
        expanded.withUTF8 { utf8 in
          utf8.withMemoryRebound(to: CChar.self) {
            sqlite3_result_text64(
              context, $0.baseAddress, UInt64($0.count),
              unsafeBitCast(-1, to: sqlite3_destructor_type?.self), UInt8(SQLITE_UTF8))
          }
        }
      }, nil, nil, nil)
    guard result == SQLITE_OK else { throw .refused(code: Int(result)) }
  }
}
