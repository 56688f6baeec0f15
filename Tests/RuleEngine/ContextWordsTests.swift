import Bytes
import Testing

@testable import RuleEngine

@Suite struct `Words near a value` {
  private func sights(of words: [String], in text: String) -> [String] {
    var list = WordList()
    for word in words { _ = list.add(word) }
    let bytes = Array(text.utf8)
    var sights: [ContextWords.Sight] = []
    ContextWords(list).find(in: bytes.span.bytes, 0..<bytes.count, &sights)
    return sights.map { "\(words[$0.word])@\($0.range.lowerBound)" }
  }

  @Test(arguments: [
    ("user_dob", ["dob@5"]), ("userDob", ["dob@4"]), ("UserDOB", ["dob@4"]), ("adobe", []),
    ("dobs", ["dob@0"]), ("dobson", []), ("1dob2", ["dob@1"]), ("DOB", ["dob@0"]),
  ])
  func `count as words of their own and as ones of an identifier`(text: String, seen: [String]) {
    #expect(sights(of: ["dob"], in: text) == seen)
  }

  @Test(arguments: ["api_key", "apiKey", "api-key", "API KEY", "api.key"])
  func `may be divided by any sign`(text: String) {
    #expect(sights(of: ["api_key"], in: text) == ["api_key@0"])
    #expect(sights(of: ["api_key"], in: "ther" + text.lowercased()).isEmpty)
  }

  /// Places are looked at 64 at a time: a word is found whatever stands before it.
  @Test(arguments: 0..<200)
  func `are found wherever they stand`(before: Int) {
    for filling in ["x", " ", "X", "é"] {
      let text = String(repeating: filling, count: before)
      let expected = text.utf8.count + 1
      #expect(sights(of: ["birth", "生日"], in: text + " birth") == ["birth@\(expected)"])
      #expect(sights(of: ["birth", "生日"], in: text + "=生日:") == ["生日@\(expected)"])
    }
  }

  /// Only so many places are noted at a time.
  @Test func `are all found where there are many`() {
    let text = String(repeating: "dob, ", count: 1_000)
    #expect(sights(of: ["dob"], in: text).count == 1_000)
  }
}
