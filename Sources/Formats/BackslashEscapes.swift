import Bytes

/// Backslash escapes of string literals: JSON (RFC 8259, §7) and what C, Swift, JavaScript and Perl add
/// (`\xNN`, `\0`, `\NNN`, `\UNNNNNNNN`, `\u{N}`, `\x{N}`).
package enum BackslashEscapes {
  /// The text with its escapes replaced, or nothing where there is none. What is no escape stays as it
  /// is, both halves of a surrogate pair become one character, a lone half becomes U+FFFD.
  package static func decode(_ text: RawSpan) -> DecodedBytes? {
    guard var mark = text.firstOffset(of: 0x5C) else { return nil }
    var result = DecodedBytes()
    var hasEscape = false
    var copied = 0
    let spellsCharacters = spellsCharacters(text)
    var bytesEnd = 0
    while true {
      if spellsCharacters, mark >= bytesEnd, let run = ByteRun(parsing: text, at: mark) {
        bytesEnd = mark + run.count
        if !run.isUTF8 {
          result.copy(copied..<mark, of: text)
          run.appendCharacters(to: &result, from: mark)
          copied = bytesEnd
          hasEscape = true
        }
      }
      if mark >= copied, let escape = Escape(parsing: text, at: mark) {
        result.copy(copied..<mark, of: text)
        escape.append(to: &result, from: mark)
        copied = mark + escape.count
        hasEscape = true
      }
      guard let next = text.firstOffset(of: 0x5C, from: max(copied, mark + 1)) else { break }
      mark = next
    }
    guard hasEscape else { return nil }
    result.copy(copied..<text.byteCount, of: text)
    return result
  }

  /// Whether the text has escapes of characters: it is no string of bytes then, and `\xNN` in it means
  /// the character of that number (JavaScript, Python).
  private static func spellsCharacters(_ text: RawSpan) -> Bool {
    var mark = text.firstOffset(of: 0x5C)
    while let escape = mark {
      if text[at: escape + 1] == 0x75 || text[at: escape + 1] == 0x55 { return true }
      mark = text.firstOffset(of: 0x5C, from: escape + 2)
    }
    return false
  }

  /// Escapes `\xNN` beside one another, of bytes that are no ASCII.
  private struct ByteRun {
    private var bytes: [UInt8] = []

    init?(parsing text: RawSpan, at mark: Int) {
      while text[at: mark + count] == 0x5C, text[at: mark + count + 1] == 0x78,
        let value = Escape.hexadecimal(text, at: mark + count + 2, count: 2), value >= 0x80
      {
        bytes.append(UInt8(truncatingIfNeeded: value))
      }
      if bytes.isEmpty { return nil }
    }

    /// Its length in the text.
    var count: Int { bytes.count * 4 }

    var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }

    func appendCharacters(to result: inout DecodedBytes, from mark: Int) {
      for (index, byte) in bytes.enumerated() {
        let start = mark + index * 4
        result.append(Unicode.Scalar(byte), from: start..<start + 4)
      }
    }
  }

  /// One escape: the byte or character it stands for, and its length in the text.
  private struct Escape {
    var byte: UInt8?
    var scalar: Unicode.Scalar = "\0"
    var count: Int

    func append(to result: inout DecodedBytes, from mark: Int) {
      if let byte {
        result.append(byte, from: mark..<mark + count)
      } else {
        result.append(scalar, from: mark..<mark + count)
      }
    }

    init?(parsing text: RawSpan, at mark: Int) {
      guard let kind = text[at: mark + 1] else { return nil }
      if let plain = Self.plain(kind) {
        self.init(byte: plain, count: 2)
        return
      }
      switch kind {
      case 0x75:  // u
        guard let unit = Self.unit(of: text, at: mark) else { return nil }
        self = unit
      case 0x55:  // U
        guard let value = Self.hexadecimal(text, at: mark + 2, count: 8) else { return nil }
        self.init(scalar: Unicode.Scalar(value) ?? .replacement, count: 10)
      case 0x78 where text[at: mark + 2] == 0x7B:
        guard let unit = Self.braced(text, at: mark) else { return nil }
        self = unit
      case 0x78:  // x
        guard let value = Self.hexadecimal(text, at: mark + 2, count: 2) else { return nil }
        self.init(byte: UInt8(truncatingIfNeeded: value), count: 4)
      case 0x30...0x37:
        self = Self.octal(text, at: mark + 1)
      default:
        return nil
      }
    }

    private init(byte: UInt8? = nil, scalar: Unicode.Scalar = "\0", count: Int) {
      self.byte = byte
      self.scalar = scalar
      self.count = count
    }

    private static func plain(_ kind: UInt8) -> UInt8? {
      switch kind {
      case 0x22, 0x27, 0x2F, 0x5C: kind
      case 0x62: 0x08
      case 0x66: 0x0C
      case 0x6E: 0x0A
      case 0x72: 0x0D
      case 0x74: 0x09
      default: nil
      }
    }

    /// `\uXXXX`, a pair of them, or `\u{X…}`.
    private static func unit(of text: RawSpan, at mark: Int) -> Escape? {
      if text[at: mark + 2] == 0x7B { return braced(text, at: mark) }
      guard let unit = hexadecimal(text, at: mark + 2, count: 4) else { return nil }
      if unit & 0xFC00 == 0xD800, text[at: mark + 6] == 0x5C, text[at: mark + 7] == 0x75,
        let low = hexadecimal(text, at: mark + 8, count: 4), low & 0xFC00 == 0xDC00
      {
        let value = 0x1_0000 + (unit & 0x3FF) << 10 + (low & 0x3FF)
        return Escape(scalar: Unicode.Scalar(value) ?? .replacement, count: 12)
      }
      return Escape(scalar: Unicode.Scalar(unit) ?? .replacement, count: 6)
    }

    private static func braced(_ text: RawSpan, at mark: Int) -> Escape? {
      var value: UInt32 = 0
      var offset = mark + 3
      while let digit = text[at: offset].flatMap(hexadecimalValue), offset - mark < 11 {
        value = value << 4 | UInt32(digit)
        offset += 1
      }
      guard offset > mark + 3, text[at: offset] == 0x7D else { return nil }
      return Escape(scalar: Unicode.Scalar(value) ?? .replacement, count: offset + 1 - mark)
    }

    private static func octal(_ text: RawSpan, at start: Int) -> Escape {
      var value: UInt32 = 0
      var offset = start
      while offset - start < 3, let digit = text[at: offset], (0x30...0x37).contains(digit) {
        value = value << 3 | UInt32(digit - 0x30)
        offset += 1
      }
      return Escape(byte: UInt8(truncatingIfNeeded: value), count: offset - start + 1)
    }

    static func hexadecimal(_ text: RawSpan, at start: Int, count: Int) -> UInt32? {
      var value: UInt32 = 0
      for offset in start..<start + count {
        guard let digit = text[at: offset].flatMap(hexadecimalValue) else { return nil }
        value = value << 4 | UInt32(digit)
      }
      return value
    }
  }
}
