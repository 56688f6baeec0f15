import Bytes
import Findings

/// Words of mail headers that hold other characters than ASCII (RFC 2047):
/// `=?UTF-8?B?5byg5LiJ?=`, `=?ISO-8859-1?Q?Zo=EB?=`.
package enum EncodedWords {
  /// RFC 2047, §2, allows 75 characters; programs write longer ones.
  private static let longest = 2_048
  /// White space that may stand between two words of one text.
  private static let longestGap = 80

  /// One encoded word: what it says of itself, and where it lies.
  private struct Word {
    var charset: Substring
    var isBase64: Bool
    var text: Range<Int>
    var range: Range<Int>

    init?(parsing source: RawSpan, at mark: Int) {
      guard source[at: mark] == UInt8(ascii: "="), source[at: mark + 1] == UInt8(ascii: "?") else {
        return nil
      }
      let most = min(source.byteCount, mark + EncodedWords.longest)
      let sign = UInt8(ascii: "?")
      guard let first = source.firstOffset(of: sign, in: mark + 2..<min(most, mark + 48)),
        first > mark + 2, let kind = source[at: first + 1], source[at: first + 2] == sign
      else { return nil }
      // A language may follow the name of the character set (RFC 2231, §5).
      charset = source.clamped(to: mark + 2..<first).repairedText().prefix { $0 != "*" }
      guard charset.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
      switch kind | 0x20 {
      case UInt8(ascii: "b"): isBase64 = true
      case UInt8(ascii: "q"): isBase64 = false
      default: return nil
      }
      var end = first + 3
      while end < most, source.known(end) != sign {
        guard source.known(end) > 0x20, source.known(end) < 0x7F else { return nil }
        end += 1
      }
      guard source[at: end] == sign, source[at: end + 1] == UInt8(ascii: "=") else { return nil }
      text = first + 3..<end
      range = mark..<end + 2
    }
  }

  /// How long the word at `mark` is; nothing where none starts there.
  package static func size(of text: RawSpan, at mark: Int) -> Int? {
    Word(parsing: text, at: mark)?.range.count
  }

  /// The text with its words decoded, or nothing where there is none. White space between two of them is no
  /// text (§6.2), and a character may be divided among them.
  package static func decode(_ text: RawSpan) -> DecodedBytes? {
    var result = DecodedBytes()
    var offset = 0
    var copied = 0
    var run: (charset: Substring, bytes: DecodedBytes)?
    var hasWord = false
    while let mark = text.firstOffset(of: "=?", in: offset..<text.byteCount) {
      offset = mark + 2
      guard let word = Word(parsing: text, at: mark) else { continue }
      let goesOn = hasWord && isGap(copied..<mark, of: text)
      if !goesOn || run?.charset != word.charset {
        finish(&run, into: &result)
        run = (word.charset, DecodedBytes())
      }
      if !goesOn { result.copy(copied..<mark, of: text) }
      if var open = run {
        run = nil  // Keeps the arrays uniquely owned.
        decode(word, of: text, into: &open.bytes)
        run = open
      }
      hasWord = true
      offset = word.range.upperBound
      copied = offset
    }
    guard hasWord else { return nil }
    finish(&run, into: &result)
    result.copy(copied..<text.byteCount, of: text)
    return result
  }

  private static func isGap(_ range: Range<Int>, of text: RawSpan) -> Bool {
    range.count <= longestGap && range.allSatisfy { isBlank(text.known($0)) }
  }

  private static func finish(
    _ run: inout (charset: Substring, bytes: DecodedBytes)?, into result: inout DecodedBytes
  ) {
    guard let ended = run else { return }
    run = nil
    result.append(ended.bytes, in: ended.charset)
  }

  private static func decode(_ word: Word, of source: RawSpan, into result: inout DecodedBytes) {
    let text = source.clamped(to: word.text)
    if word.isBase64 {
      var decoded = Base64Text.decode(text).decoded
      decoded.moveSource(by: word.text.lowerBound)
      result.append(decoded)
      return
    }
    var offset = word.text.lowerBound
    while offset < word.text.upperBound {
      let byte = source.known(offset)
      if byte == UInt8(ascii: "="), offset + 2 < word.text.upperBound,
        let high = hexadecimalValue(source.known(offset + 1)),
        let low = hexadecimalValue(source.known(offset + 2))
      {
        result.append(high << 4 | low, from: offset..<offset + 3)
        offset += 3
      } else {
        // An underscore is a space (§4.2).
        result.append(byte == UInt8(ascii: "_") ? 0x20 : byte, from: offset..<offset + 1)
        offset += 1
      }
    }
  }
}

extension DecodedBytes {
  /// Adds bytes that were decoded by themselves.
  mutating func append(_ other: DecodedBytes) {
    for index in other.bytes.indices {
      let source = other.map.range(of: index..<index + 1)
      append(other.bytes[index], from: (source?.offset ?? 0)..<(source?.end ?? 0))
    }
  }

  /// Adds bytes that spell text in a character set, as UTF-8; as they are where the set is not known.
  mutating func append(_ stored: DecodedBytes, in charset: some StringProtocol) {
    let isUnicode = charset.isEmpty || charset.lowercased().hasPrefix("utf-8")
    guard !isUnicode, let page = CodePage(named: charset) else { return append(stored) }
    let bytes = stored.bytes
    page.decode(unsafe bytes.span.bytes, into: &self) { offset in
      let source = stored.map.range(of: offset..<offset + 1)
      return (source?.offset ?? 0)..<(source?.end ?? 0)
    }
  }
}
