import Bytes

/// The tokens of a JSON text (RFC 8259), white space left out. Tolerant: comments, single quotes and
/// bare words pass, a cut string ends where the text does.
package struct JSONTokens: ~Escapable {
  package enum Kind: UInt8, Sendable {
    case openObject, closeObject, openArray, closeArray, colon, comma
    case string, number, word
    /// Bytes that start no token.
    case foreign
  }

  package struct Token: Equatable, Sendable {
    package var kind: Kind
    package var start: Int
    package var end: Int
    /// Whether a string holds backslashes.
    package var isEscaped = false
    /// Whether a string has no closing quote.
    package var isCut = false

    /// The bytes of a string without its quotes, or of the token.
    package var range: Range<Int> { start..<end }
  }

  package let text: RawSpan
  package private(set) var offset: Int

  @_lifetime(copy text)
  package init(_ text: RawSpan, at offset: Int = 0) {
    self.text = text
    self.offset = max(offset, 0)
  }

  package mutating func next() -> Token? {
    skipBlanks()
    let start = offset
    guard start < text.byteCount else { return nil }
    let byte = text.known(start)
    offset = start + 1
    switch byte {
    case 0x22, 0x27: return string(from: start + 1, by: byte)
    case 0x2C: return Token(kind: .comma, start: start, end: offset)
    case 0x3A: return Token(kind: .colon, start: start, end: offset)
    case 0x7B: return Token(kind: .openObject, start: start, end: offset)
    case 0x7D: return Token(kind: .closeObject, start: start, end: offset)
    case 0x5B: return Token(kind: .openArray, start: start, end: offset)
    case 0x5D: return Token(kind: .closeArray, start: start, end: offset)
    case 0x30...0x39, 0x2D, 0x2B, 0x2E:
      run { Self.isNumber($0) }
      return Token(kind: .number, start: start, end: offset)
    case 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24:
      run { Self.isWord($0) }
      return Token(kind: .word, start: start, end: offset)
    default: return Token(kind: .foreign, start: start, end: offset)
    }
  }

  @inline(__always)
  private mutating func run(while belongs: (UInt8) -> Bool) {
    while offset < text.byteCount, belongs(text.known(offset)) { offset += 1 }
  }

  @inline(__always)
  private mutating func skipBlanks() {
    while offset < text.byteCount {
      let byte = text.known(offset)
      if byte > 0x2F { return }
      if isBlank(byte) {
        offset += 1
      } else if byte == 0x2F || byte == 0x23 {
        guard skipComment(byte) else { return }
      } else {
        return
      }
    }
  }

  private mutating func skipComment(_ byte: UInt8) -> Bool {
    if byte == 0x23 || text[at: offset + 1] == 0x2F {
      offset = text.firstOffset(of: 0x0A, from: offset) ?? text.byteCount
      return true
    }
    guard text[at: offset + 1] == 0x2A else { return false }
    let from = offset + 2
    offset = text.firstOffset(of: "*/", in: from..<text.byteCount).map { $0 + 2 } ?? text.byteCount
    return true
  }

  private mutating func string(from start: Int, by quote: UInt8) -> Token {
    var isEscaped = false
    var end = start
    while true {
      end = text.firstQuoteOrBackslash(quote, from: end)
      guard end < text.byteCount else { break }
      if text.known(end) == quote {
        offset = end + 1
        return Token(kind: .string, start: start, end: end, isEscaped: isEscaped)
      }
      isEscaped = true
      end = min(end + 2, text.byteCount)
    }
    offset = text.byteCount
    return Token(kind: .string, start: start, end: offset, isEscaped: isEscaped, isCut: true)
  }

  @inline(__always)
  private static func isNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x2D, 0x2B, 0x2E, 0x45, 0x65: true
    default: false
    }
  }

  @inline(__always)
  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24: true
    default: false
    }
  }
}

extension RawSpan {
  /// Where `quote` or a backslash next stands, or the end, eight bytes at a time.
  @inline(__always)
  func firstQuoteOrBackslash(_ quote: UInt8, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = ones &* UInt64(quote)
    let backslashes = ones &* 0x5C
    var offset = start
    while byteCount - offset >= 8 {
      let word = UInt64(
        littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let one = word ^ quotes
      let other = word ^ backslashes
      let hits = ((one &- ones) & ~one | (other &- ones) & ~other) & (ones << 7)
      // The lowest hit is exact; a borrow can only spoil those above it.
      if hits != 0 { return offset + hits.trailingZeroBitCount / 8 }
      offset += 8
    }
    while offset < byteCount {
      let byte = known(offset)
      if byte == quote || byte == 0x5C { return offset }
      offset += 1
    }
    return byteCount
  }
}
