import Bytes

/// The tokens of an old-style property list, comments and white space left out.
struct OpenStepTokens: ~Escapable {
  enum Token: Equatable {
    case open(PropertyList.Kind)
    case close
    case equals
    /// `;`, behind the entries of a dictionary.
    case separator
    /// `,`, between the values of an array.
    case comma
    case string(Range<Int>, isEscaped: Bool, isQuoted: Bool)
    case data(Range<Int>)
    case foreign

    var isString: Bool { if case .string = self { true } else { false } }
    var isQuoted: Bool { if case .string(_, _, true) = self { true } else { false } }
  }

  private let text: RawSpan
  private(set) var offset: Int
  /// Whether the first token was a string.
  private(set) var isStringsFile = false
  private var isFirst = true

  @_lifetime(copy text)
  init(_ text: RawSpan, at offset: Int) {
    self.text = text
    self.offset = offset
  }

  mutating func next() -> Token? {
    guard let token = scan() else { return nil }
    if isFirst { isStringsFile = token.isString }
    isFirst = false
    return token
  }

  private mutating func scan() -> Token? {
    skipBlanks()
    guard let byte = text[at: offset] else { return nil }
    let start = offset
    offset += 1
    switch byte {
    case 0x7B: return .open(.dictionary)
    case 0x28: return .open(.array)
    case 0x7D, 0x29: return .close
    case 0x3D: return .equals
    case 0x3B: return .separator
    case 0x2C: return .comma
    case 0x22, 0x27: return quoted(from: start + 1, by: byte)
    case 0x3C: return data(from: start + 1)
    default:
      guard Self.isWord(byte) else { return .foreign }
      while let next = text[at: offset], Self.isWord(next) { offset += 1 }
      return .string(start..<offset, isEscaped: false, isQuoted: false)
    }
  }

  private mutating func skipBlanks() {
    while let byte = text[at: offset] {
      if isBlank(byte) || byte == 0x0B || byte == 0x0C {
        offset += 1
      } else if byte == 0x2F, text[at: offset + 1] == 0x2F {
        offset = text.firstOffset(of: 0x0A, from: offset) ?? text.byteCount
      } else if byte == 0x2F, text[at: offset + 1] == 0x2A {
        let from = min(offset + 2, text.byteCount)
        let end = text.firstOffset(of: "*/", in: from..<text.byteCount)
        offset = end.map { $0 + 2 } ?? text.byteCount
      } else {
        return
      }
    }
  }

  private mutating func quoted(from start: Int, by quote: UInt8) -> Token {
    var isEscaped = false
    offset = start
    while let byte = text[at: offset], byte != quote {
      if byte == 0x5C {
        isEscaped = true
        offset += 1
      }
      offset += 1
    }
    let end = min(offset, text.byteCount)
    offset = min(end + 1, text.byteCount)
    return .string(start..<end, isEscaped: isEscaped, isQuoted: true)
  }

  /// `<0fbd77>`, or one of GNUstep's `<*I5>`, whose text is kept as a string.
  private mutating func data(from start: Int) -> Token {
    let end = text.firstOffset(of: 0x3E, from: start) ?? text.byteCount
    offset = min(end + 1, text.byteCount)
    guard text[at: start] == 0x2A else { return .data(start..<end) }
    let value = min(start + 2, end)
    return .string(value..<end, isEscaped: false, isQuoted: false)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x24, 0x2B, 0x2D, 0x2E, 0x2F, 0x3A, 0x5F, 0x40: true
    default: byte >= 0x80
    }
  }
}
