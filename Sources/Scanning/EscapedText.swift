import Bytes
import Formats

/// A way to write characters as other characters that can stand anywhere in text.
enum EscapedText: String, CaseIterable {
  case percent
  case backslash
  case entity
  case quotedPrintable = "quoted-printable"
  case encodedWord = "encoded-word"
  case terminal

  private static let digits = "0123456789ABCDEFabcdef"
  private static let percents = BytePair("%", before: digits)
  private static let backslashes = BytePair("\\", before: "uxU0123")
  private static let references = BytePair("&", before: "#")
  private static let signs = BytePair("=", before: "0123456789ABCDEF \r\n")
  private static let words = BytePair("=", before: "?")

  /// Where what every escape starts with next stands.
  private func nextMark(in text: RawSpan, from offset: Int) -> Int? {
    switch self {
    case .percent: Self.percents.next(in: text, from: offset)
    case .backslash: Self.backslashes.next(in: text, from: offset)
    case .entity: Self.references.next(in: text, from: offset)
    case .quotedPrintable: Self.signs.next(in: text, from: offset)
    case .encodedWord: Self.words.next(in: text, from: offset)
    case .terminal: text.firstOffset(of: TerminalSequences.escape, from: offset)
    }
  }

  func decode(_ text: RawSpan) -> DecodedBytes? {
    switch self {
    case .percent: PercentEscapes.decode(text)
    case .backslash: BackslashEscapes.decode(text)
    case .entity: MarkupEntities.decode(text)
    case .quotedPrintable: QuotedPrintable.decode(text)
    case .encodedWord: EncodedWords.decode(text)
    case .terminal: TerminalSequences.decode(text)
    }
  }

  /// What a decoded text ends at: what belongs to one value may have blanks inside.
  private enum Extent {
    case word, phrase, line
  }

  private var extent: Extent {
    switch self {
    case .percent: .word
    case .backslash, .entity: .phrase
    case .quotedPrintable, .encodedWord, .terminal: .line
    }
  }

  /// Escapes farther apart than this are of different texts.
  private static let gap = 96
  /// How far around its escapes a text is taken, at the most.
  private static let reach = 256
  /// A text with more escapes than this is handed on in pieces; a piece that starts in one window must
  /// end in what that window shows behind it.
  private static let longest = 1 << 13

  /// A soft line break among binary data has so many characters of its line before it: encoders break
  /// lines that have grown long. Its two bytes stand there by chance, too.
  private static let shortestLine = 8

  /// The stretches of `text` whose first escape lies in `accepted`, each with what belongs to the same
  /// word or line. Among binary data only the escapes themselves are given: where a value ends its structure
  /// knows, and what lies around it is most often none of it.
  func stretches(
    in text: RawSpan, from accepted: Range<Int>, isBinary: Bool = false,
    _ body: (Range<Int>) -> Void
  ) {
    var first: Int?
    var last = 0
    var offset = accepted.lowerBound
    func end() {
      guard let start = first else { return }
      body(isBinary ? start..<min(last, text.byteCount) : grown(start..<last, in: text))
      first = nil
    }
    while let found = nextMark(in: text, from: offset) {
      offset = found + 1
      guard let size = escapeSize(text, at: found), !isBinary || isLikely(text, at: found) else {
        continue
      }
      if let start = first, found - last > Self.gap || found - start > Self.longest { end() }
      if first == nil {
        guard found < accepted.upperBound else { return }
        first = found
      }
      last = max(last, found + size)
    }
    end()
  }

  /// Whether an escape among binary data is more than chance.
  private func isLikely(_ text: RawSpan, at offset: Int) -> Bool {
    switch self {
    case .percent, .backslash, .entity, .encodedWord: return true
    case .terminal: return text[at: offset + 1] == UInt8(ascii: "[")
    // Bytes one after another in hexadecimal are no chance.
    case .quotedPrintable: if Self.isQuotedByte(text, at: offset) { return true }
    }
    return (1...Self.shortestLine).allSatisfy { distance in
      text[at: offset - distance].map { $0 >= 0x20 && $0 < 0x7f || $0 == 9 } ?? false
    }
  }

  /// How many bytes the escape at `offset` has at the least; nothing where none starts there.
  private func escapeSize(_ text: RawSpan, at offset: Int) -> Int? {
    switch self {
    case .percent: Self.isHexadecimal(text, offset + 1, count: 2) ? 1 : nil
    case .backslash: Self.isBackslashEscape(text, at: offset) ? 1 : nil
    case .entity: Self.isReference(text, at: offset) ? 1 : nil
    case .quotedPrintable: Self.quotedPrintableSize(text, at: offset)
    case .encodedWord: EncodedWords.size(of: text, at: offset)
    case .terminal: TerminalSequences.size(of: text, at: offset)
    }
  }

  private static func isHexadecimal(_ text: RawSpan, _ start: Int, count: Int) -> Bool {
    (start..<start + count).allSatisfy { text[at: $0]?.hexadecimalValue != nil }
  }

  /// The number of a character (XML 1.0, §4.1).
  private static func isReference(_ text: RawSpan, at offset: Int) -> Bool {
    guard text[at: offset + 1] == UInt8(ascii: "#"), let next = text[at: offset + 2] else {
      return false
    }
    return next.isASCIIDigit || next | 0x20 == UInt8(ascii: "x")
  }

  private static func isBackslashEscape(_ text: RawSpan, at offset: Int) -> Bool {
    switch text[at: offset + 1] {
    case UInt8(ascii: "u"), UInt8(ascii: "x"), UInt8(ascii: "U"):
      let start = text[at: offset + 2] == UInt8(ascii: "{") ? offset + 3 : offset + 2
      return isHexadecimal(text, start, count: 2)
    case UInt8(ascii: "0"), UInt8(ascii: "1"), UInt8(ascii: "2"), UInt8(ascii: "3"):
      // A byte in octal, as C, git and PostgreSQL write it; patterns refer to groups by fewer digits.
      return (offset + 2...offset + 3).allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(text[at: $0] ?? 0)
      }
    default:
      return false
    }
  }

  /// A soft line break, or bytes that were written in hexadecimal: several one after another, since an
  /// assignment looks like one.
  private static func quotedPrintableSize(_ text: RawSpan, at offset: Int) -> Int? {
    guard let next = text[at: offset + 1] else { return nil }
    if isUpperHexadecimal(next) {
      guard isQuotedByte(text, at: offset), isQuotedByte(text, at: offset + 3) else { return nil }
      return next >= UInt8(ascii: "8") || isQuotedByte(text, at: offset + 6) ? 6 : nil
    }
    guard next == 0x0a || next == 0x0d || next == 0x20 && text[at: offset + 2] == 0x0a else {
      return nil
    }
    // What is joined with the next line stands before it: in the tables of binary files the byte of the
    // sign is often followed by that of a line end.
    guard let before = text[at: offset - 1] else { return nil }
    // The line that the soft break goes on with belongs to it.
    return before == 9 || before >= 0x20 && before != 0x7f ? 3 : nil
  }

  private static func isQuotedByte(_ text: RawSpan, at offset: Int) -> Bool {
    text[at: offset] == UInt8(ascii: "=") && isUpperHexadecimal(text[at: offset + 1] ?? 0)
      && isUpperHexadecimal(text[at: offset + 2] ?? 0)
  }

  private static func isUpperHexadecimal(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F")
  }

  /// The stretch up to the blanks or quotes around it; for what stands in lines, up to whole lines.
  private func grown(_ stretch: Range<Int>, in text: RawSpan) -> Range<Int> {
    var lower = stretch.lowerBound
    var upper = min(text.byteCount, stretch.upperBound)
    let extent = extent
    func isBorder(_ byte: UInt8) -> Bool {
      if byte == 0x0a || byte == 0x0d { return true }
      if extent == .line { return false }
      return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "<")
        || byte == UInt8(ascii: ">") || byte <= 0x20 && (extent == .word || byte < 0x20)
    }
    while stretch.lowerBound - lower < Self.reach, let byte = text[at: lower - 1], !isBorder(byte) {
      lower -= 1
    }
    while upper - stretch.upperBound < Self.reach, let byte = text[at: upper], !isBorder(byte) {
      upper += 1
    }
    return lower..<max(lower, upper)
  }
}
