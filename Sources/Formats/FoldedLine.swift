import Bytes

/// One line of text that is folded: a line that starts with a blank goes on with the one before it. Contact
/// cards and calendars (RFC 6350, §3.2; RFC 5545, §3.1) and LDIF (RFC 2849) are written so, and a fold may
/// stand in the middle of a character.
package struct FoldedLine: Equatable, Sendable {
  package enum Syntax: Equatable, Sendable {
    case card, ldif
  }

  /// What a line holds.
  package enum Value: Equatable, Sendable {
    /// Text that the bytes do not show as it is meant.
    case text(DecodedBytes)
    /// Bytes that were written in base64.
    case data(DecodedBytes)
    /// Text that lies there as it is.
    case plain(Range<Int>)
  }

  private enum Encoding: Equatable {
    case none, base64, quotedPrintable
  }

  /// All of it, with its folds and the end of its last line.
  package private(set) var range: Range<Int>
  /// The name of the property without its group: `TEL` of `item1.TEL`.
  package private(set) var name = 0..<0
  private var value = 0..<0
  private var encoding = Encoding.none
  private var charset = ""
  private var isFolded = false
  private let syntax: Syntax

  /// Parameters stand in this many bytes.
  private static let longestHead = 4_096

  /// The line that starts at `start`.
  package init(parsing text: RawSpan, at start: Int, syntax: Syntax) {
    self.syntax = syntax
    range = start..<Self.lineEnd(of: text, from: start)
    readHead(text)
    var end = range.upperBound
    while end < text.byteCount {
      // A soft break says by itself that the value goes on.
      let isMore =
        encoding == .quotedPrintable && Self.hasSoftBreak(text, before: end)
        || text.known(end) == 0x20 || text.known(end) == 0x09
      guard isMore else { break }
      isFolded = true
      end = Self.lineEnd(of: text, from: end)
    }
    if encoding == .base64, syntax == .card { end = Self.endOfBase64(in: text, from: end) }
    range = start..<end
    // The line end is no part of the value.
    while end > range.lowerBound, text.known(end - 1) == 0x0A || text.known(end - 1) == 0x0D {
      end -= 1
    }
    value = min(value.lowerBound, end)..<end
  }

  /// Behind the line feed of the line.
  private static func lineEnd(of text: RawSpan, from offset: Int) -> Int {
    text.firstOffset(of: 0x0A, from: offset).map { $0 + 1 } ?? text.byteCount
  }

  private static func hasSoftBreak(_ text: RawSpan, before end: Int) -> Bool {
    var offset = end - 1
    while offset > 0, end - offset < 80, let byte = text[at: offset], isBlank(byte) { offset -= 1 }
    return text[at: offset] == UInt8(ascii: "=")
  }

  /// Old programs do not indent base64: it ends at an empty line or at the next property.
  private static func endOfBase64(in text: RawSpan, from start: Int) -> Int {
    var end = start
    while end < text.byteCount {
      let next = lineEnd(of: text, from: end)
      let isPart = (end..<next).allSatisfy { offset in
        let byte = text.known(offset)
        return Base64.value(of: byte) != nil || byte == UInt8(ascii: "=") || isBlank(byte)
      }
      guard isPart, next - end > 2 else { break }
      end = next
    }
    return end
  }

  private mutating func readHead(_ text: RawSpan) {
    let most = min(range.upperBound, range.lowerBound + Self.longestHead)
    value = range
    guard let colon = Self.colon(in: text, range.lowerBound..<most) else { return }
    value = colon + 1..<range.upperBound
    let nameEnd = text.firstOffset(of: UInt8(ascii: ";"), in: range.lowerBound..<colon) ?? colon
    let group = text.firstOffset(of: UInt8(ascii: "."), in: range.lowerBound..<nameEnd)
    name = (syntax == .card ? group.map { $0 + 1 } ?? range.lowerBound : range.lowerBound)..<nameEnd
    if syntax == .ldif {
      if text[at: colon + 1] == UInt8(ascii: ":") {
        encoding = .base64
        value = colon + 2..<range.upperBound
      }
      return
    }
    readParameters(text.clamped(to: nameEnd..<colon).repairedText())
    let start = text.clamped(to: value).clamped(to: 0..<64).repairedText().lowercased()
    // A resource that stands in its own address (RFC 2397).
    if start.hasPrefix("data:"), let comma = text.firstOffset(of: UInt8(ascii: ","), in: value),
      text.clamped(to: value.lowerBound..<comma).repairedText().lowercased().hasSuffix(";base64")
    {
      encoding = .base64
      value = comma + 1..<range.upperBound
    }
  }

  /// The colon behind name and parameters; those in quotes may hold one.
  private static func colon(in text: RawSpan, _ head: Range<Int>) -> Int? {
    var isQuoted = false
    for offset in head {
      switch text.known(offset) {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case UInt8(ascii: ":") where !isQuoted: return offset
      default: continue
      }
    }
    return nil
  }

  private mutating func readParameters(_ head: String) {
    for parameter in head.lowercased().split(separator: ";") {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      let word = parts.last.map { $0.filter { $0 != "\"" && !$0.isWhitespace } } ?? ""
      switch (parts.count == 2 ? String(parts[0]) : "encoding", word) {
      case ("encoding", "b"), ("encoding", "base64"): encoding = .base64
      case ("encoding", "quoted-printable"): encoding = .quotedPrintable
      case ("charset", _): charset = word
      default: continue
      }
    }
  }

  /// What it holds, as it is meant.
  ///
  /// - Parameter keepsBlank: cards of version 2.1 fold at blanks, which stay (vCard 2.1, §2.1.3).
  package func decode(_ text: RawSpan, keepsBlank: Bool = false) -> Value {
    let stored = text.clamped(to: value)
    switch encoding {
    case .base64:
      var decoded = Base64Text.decode(stored).decoded
      decoded.moveSource(by: value.lowerBound)
      return .data(decoded)
    case .quotedPrintable:
      guard var decoded = QuotedPrintable.decode(stored) else { return .plain(value) }
      decoded.moveSource(by: value.lowerBound)
      return .text(decoded.read(in: charset))
    case .none:
      let isEscaped = syntax == .card && text.firstOffset(of: 0x5C, in: value) != nil
      guard isFolded || isEscaped || !charset.isEmpty else { return .plain(value) }
      let whole = unfolded(text, keepsBlank: keepsBlank, unescapes: syntax == .card)
      return .text(charset.isEmpty ? whole : whole.read(in: charset))
    }
  }

  /// The value without its folds and escapes (RFC 6350, §3.4).
  private func unfolded(
    _ text: RawSpan, keepsBlank: Bool, unescapes: Bool
  ) -> DecodedBytes {
    var result = DecodedBytes()
    var copied = value.lowerBound
    var offset = copied
    while offset < value.upperBound {
      switch text.known(offset) {
      case 0x0A:
        let isReturn = offset > copied && text.known(offset - 1) == 0x0D
        result.copy(copied..<(isReturn ? offset - 1 : offset), of: text)
        // The blank that the fold put in front goes with it.
        copied = min(value.upperBound, offset + (keepsBlank ? 1 : 2))
        offset = max(copied, offset + 1)
      case 0x5C where unescapes:
        guard let next = text[at: offset + 1], offset + 1 < value.upperBound,
          let meant = Self.escape(next)
        else {
          offset += 1
          continue
        }
        result.copy(copied..<offset, of: text)
        result.append(meant, from: offset..<offset + 2)
        offset += 2
        copied = offset
      default: offset += 1
      }
    }
    result.copy(copied..<value.upperBound, of: text)
    return result
  }

  private static func escape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "n"), UInt8(ascii: "N"): 0x0A
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"), 0x5C: byte
    default: nil
    }
  }
}

extension DecodedBytes {
  /// The text that the bytes spell in a character set.
  func read(in charset: String) -> DecodedBytes {
    var result = DecodedBytes()
    result.append(self, in: charset)
    return result
  }
}
