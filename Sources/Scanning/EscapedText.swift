import Bytes
import Formats

/// A way to write characters as other characters that can stand anywhere in text.
enum EscapedText: String, CaseIterable {
  case percent
  case backslash
  case entity
  case quotedPrintable = "quoted-printable"

  /// The character that every escape starts with.
  private var mark: UInt8 {
    switch self {
    case .percent: UInt8(ascii: "%")
    case .backslash: UInt8(ascii: "\\")
    case .entity: UInt8(ascii: "&")
    case .quotedPrintable: UInt8(ascii: "=")
    }
  }

  func decode(_ text: RawSpan) -> DecodedBytes? {
    switch self {
    case .percent: PercentEscapes.decode(text)
    case .backslash: BackslashEscapes.decode(text)
    case .entity: MarkupEntities.decode(text)
    case .quotedPrintable: QuotedPrintable.decode(text)
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
  /// word or line.
  func stretches(
    in text: RawSpan, from accepted: Range<Int>, isBinary: Bool = false,
    _ body: (Range<Int>) -> Void
  ) {
    var first: Int?
    var last = 0
    var offset = accepted.lowerBound
    func end() {
      guard let start = first else { return }
      body(Self.grown(start..<last + 1, in: text, isLines: self == .quotedPrintable))
      first = nil
    }
    while let found = text.firstOffset(of: mark, from: offset) {
      offset = found + 1
      guard isEscape(text, at: found), !isBinary || isLikely(text, at: found) else { continue }
      if let start = first, found - last > Self.gap || found - start > Self.longest { end() }
      if first == nil {
        guard found < accepted.upperBound else { return }
        first = found
      }
      last = found
    }
    end()
  }

  /// Whether an escape among binary data is more than chance.
  private func isLikely(_ text: RawSpan, at offset: Int) -> Bool {
    guard self == .quotedPrintable else { return true }
    return (1...Self.shortestLine).allSatisfy { distance in
      text[at: offset - distance].map { $0 >= 0x20 && $0 < 0x7f || $0 == 9 } ?? false
    }
  }

  private func isEscape(_ text: RawSpan, at offset: Int) -> Bool {
    func isHexadecimal(_ offset: Int) -> Bool { text[at: offset]?.hexadecimalValue != nil }
    switch self {
    case .percent:
      return isHexadecimal(offset + 1) && isHexadecimal(offset + 2)
    case .backslash:
      let kind = text[at: offset + 1]
      return (kind == UInt8(ascii: "u") || kind == UInt8(ascii: "x") || kind == UInt8(ascii: "U"))
        && isHexadecimal(offset + 2) && isHexadecimal(offset + 3)
    case .entity:
      return text[at: offset + 1] == UInt8(ascii: "#")
    case .quotedPrintable:
      let next = text[at: offset + 1]
      guard next == 0x0a || next == 0x0d || next == 0x20 && text[at: offset + 2] == 0x0a else {
        return false
      }
      // What is joined with the next line stands before it: in the tables of binary files the byte of the
      // sign is often followed by that of a line end.
      guard let before = text[at: offset - 1] else { return false }
      return before == 9 || before >= 0x20 && before != 0x7f
    }
  }

  /// The stretch up to the blanks or quotes around it; for soft line breaks, up to whole lines.
  private static func grown(_ stretch: Range<Int>, in text: RawSpan, isLines: Bool) -> Range<Int> {
    var lower = stretch.lowerBound
    var upper = stretch.upperBound
    if isLines {
      // The line that the last soft break goes on with belongs to it.
      upper = min(text.byteCount, upper + 2)
    }
    func isBorder(_ byte: UInt8) -> Bool {
      if isLines { return byte == 0x0a || byte == 0x0d }
      return byte <= 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
        || byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">")
    }
    while stretch.lowerBound - lower < reach, let byte = text[at: lower - 1], !isBorder(byte) {
      lower -= 1
    }
    while upper - stretch.upperBound < reach, let byte = text[at: upper], !isBorder(byte) {
      upper += 1
    }
    return lower..<upper
  }
}
