import Bytes

/// How the characters of a text are stored.
package enum TextEncoding: String, CaseIterable, Sendable {
  case utf8 = "UTF-8"
  case utf16LittleEndian = "UTF-16LE"
  case utf16BigEndian = "UTF-16BE"
  case utf32LittleEndian = "UTF-32LE"
  case utf32BigEndian = "UTF-32BE"
  case gb18030 = "GB18030"
  /// ISO 8859-1, read as Windows-1252 where it has no printable character.
  case latin1 = "ISO-8859-1"

  /// Bytes of its shortest character.
  package var unitSize: Int {
    switch self {
    case .utf8, .gb18030, .latin1: 1
    case .utf16LittleEndian, .utf16BigEndian: 2
    case .utf32LittleEndian, .utf32BigEndian: 4
    }
  }
}

/// What the first bytes of a text say about its encoding.
package struct TextSignature: Equatable, Sendable {
  package var encoding: TextEncoding
  /// Size of the byte order mark, 0 without one.
  package var markSize: Int

  /// Judges by byte order mark (Unicode, §23.8) and, without one, by statistics: nothing where the
  /// bytes are not text in an encoding known here. `head` may be cut inside a character.
  package init?(judging head: RawSpan) {
    if let marked = Self(markOf: head) {
      self = marked
      return
    }
    if head.isPlainText, head.byteCount > 0 {
      self.init(encoding: .utf8, markSize: 0)
      return
    }
    guard let encoding = TextStatistics(of: head).encoding(of: head) else { return nil }
    self.init(encoding: encoding, markSize: 0)
  }

  package init(encoding: TextEncoding, markSize: Int) {
    self.encoding = encoding
    self.markSize = markSize
  }

  /// Whether halves of characters stand alone everywhere, as in bytes that only happen to start with a
  /// mark: one ciphertext in some ten thousand does.
  private static func isTornUTF16(_ head: RawSpan, highByte: Int) -> Bool {
    let units = head.byteCount / 2
    var lone = 0
    var isOpen = false
    for unit in 0..<units {
      let kind = head.known(2 * unit + highByte) & 0xFC
      if isOpen != (kind == 0xDC) { lone += 1 }
      isOpen = kind == 0xD8
    }
    return lone > 1 + units / 64
  }

  private init?(markOf head: RawSpan) {
    // UTF-32LE first: its mark starts with that of UTF-16LE.
    if head.hasBytes([0xFF, 0xFE, 0, 0]), head.byteCount % 4 == 0 || head.byteCount >= 512 {
      self.init(encoding: .utf32LittleEndian, markSize: 4)
    } else if head.hasBytes([0, 0, 0xFE, 0xFF]) {
      self.init(encoding: .utf32BigEndian, markSize: 4)
    } else if head.hasBytes([0xFF, 0xFE]), !Self.isTornUTF16(head, highByte: 1) {
      self.init(encoding: .utf16LittleEndian, markSize: 2)
    } else if head.hasBytes([0xFE, 0xFF]), !Self.isTornUTF16(head, highByte: 0) {
      self.init(encoding: .utf16BigEndian, markSize: 2)
    } else if head.hasBytes([0xEF, 0xBB, 0xBF]) {
      self.init(encoding: .utf8, markSize: 3)
    } else if head.hasBytes([0x84, 0x31, 0x95, 0x33]) {
      self.init(encoding: .gb18030, markSize: 4)
    } else {
      return nil
    }
  }
}
