import Bytes

/// A word whose presence near a value says what the value is.
struct ContextWord: Sendable {
  /// Lower case in ASCII.
  private let bytes: [UInt8]

  init(_ word: String) {
    bytes = word.utf8.map { $0.isASCIIUppercase ? $0 | 0x20 : $0 }
  }

  /// Whether the word stands in `text` as a word of its own or of an identifier: `dob` in `user_dob`
  /// and `userDob`, not in `adobe`.
  func isIn(_ text: RawSpan) -> Bool {
    guard let first = bytes.first, text.byteCount >= bytes.count else { return false }
    for start in 0...text.byteCount - bytes.count {
      guard fold(text[at: start]) == first, matches(text, at: start),
        startsWord(text, at: start), endsWord(text, at: start + bytes.count)
      else { continue }
      return true
    }
    return false
  }

  func isIn(_ text: String) -> Bool {
    let utf8 = Array(text.utf8)
    return isIn(utf8.span.bytes)
  }

  private func matches(_ text: RawSpan, at start: Int) -> Bool {
    for index in bytes.indices where fold(text[at: start + index]) != bytes[index] { return false }
    return true
  }

  private func startsWord(_ text: RawSpan, at start: Int) -> Bool {
    guard let before = text[at: start - 1], before.isASCIILetter else { return true }
    guard let here = text[at: start], here.isASCIILetter else { return true }
    return here.isASCIIUppercase && before.isASCIILowercase
  }

  private func endsWord(_ text: RawSpan, at end: Int) -> Bool {
    guard let after = text[at: end], after.isASCIILowercase else { return true }
    guard let last = text[at: end - 1], last.isASCIILetter else { return true }
    // A plural is the same word; all capitals followed by a small letter are another one.
    return after == UInt8(ascii: "s") && !(text[at: end + 1]?.isASCIILowercase ?? false)
  }

  private func fold(_ byte: UInt8?) -> UInt8? {
    guard let byte, byte.isASCIIUppercase else { return byte }
    return byte | 0x20
  }
}
