import Bytes

/// Byte counts of the start of a file, by which an encoding without a mark is told from data.
struct TextStatistics {
  private var controls = 0
  private var highBytes = 0
  /// 0x80 to 0x9F, which no Latin-1 text holds and a Windows-1252 text seldom.
  private var highControls = 0
  /// Whether the bytes can be characters of one byte and more: no NUL, hardly a control character.
  private var isNarrow = true

  init(of head: RawSpan) {
    var offset = 0
    while offset < head.byteCount {
      if head.isPlainWord(at: offset) {
        offset += 8
        continue
      }
      add(head.known(offset))
      offset += 1
      // Data is told from text by its first bytes.
      if controls > 1 + offset / 128 { isNarrow = false }
      if !isNarrow { return }
    }
  }

  private mutating func add(_ byte: UInt8) {
    switch byte {
    case 0: isNarrow = false
    case 0x09, 0x0A, 0x0C, 0x0D, 0x1B: break
    case 0x01..<0x20, 0x7F: controls += 1
    case 0x80..<0xA0:
      highBytes += 1
      highControls += 1
    case 0xA0...: highBytes += 1
    default: break
    }
  }

  func encoding(of head: RawSpan) -> TextEncoding? {
    guard head.byteCount > 0 else { return nil }
    if isNarrow {
      if highBytes == 0 || Self.isUTF8(head) { return .utf8 }
      if GB18030Shape(of: head).isText { return .gb18030 }
    }
    if let wide = wideEncoding(of: head) { return wide }
    guard isNarrow, controls == 0, highBytes * 10 <= head.byteCount * 3,
      highControls * 20 <= highBytes
    else { return nil }
    return .latin1
  }

  private func wideEncoding(of head: RawSpan) -> TextEncoding? {
    guard head.byteCount >= 8 else { return nil }
    // A part is enough to tell, and most files that come here are no text at all.
    let head = head.clamped(to: 0..<1024)
    for encoding in [TextEncoding.utf32LittleEndian, .utf32BigEndian] where !isNarrow {
      if WideShape(of: head, in: encoding).isText { return encoding }
    }
    let little = WideShape(of: head, in: .utf16LittleEndian)
    let big = WideShape(of: head, in: .utf16BigEndian)
    if little.isText, little.plainShare >= big.plainShare || !big.isText {
      return .utf16LittleEndian
    }
    return big.isText ? .utf16BigEndian : nil
  }

  /// Whether the bytes are UTF-8 but for a character cut at the end.
  private static func isUTF8(_ head: RawSpan) -> Bool {
    for cut in 0..<min(4, head.byteCount) {
      if head.clamped(to: 0..<head.byteCount - cut).utf8Text() != nil { return true }
      // Only a cut character excuses a shorter look: it is made of high bytes.
      if head.known(head.byteCount - 1 - cut) < 0x80 { return false }
    }
    return false
  }
}

/// How much a run of bytes looks like text when read in 2- or 4-byte units.
struct WideShape {
  private var units = 0
  private var foreign = 0
  /// Characters of the scripts people write most: Latin, and the common Chinese, Japanese, Korean.
  private var plain = 0
  /// Line ends, spaces and full stops, without which no text of some length goes.
  private var separators = 0

  var isText: Bool {
    units >= 4 && foreign * 50 <= units && plain * 4 >= units * 3
      && (separators * 200 >= units || units < 16)
  }
  var plainShare: Double { units > 0 ? Double(plain) / Double(units) : 0 }

  init(of head: RawSpan, in encoding: TextEncoding) {
    let size = encoding.unitSize
    var offset = 0
    while head.byteCount - offset >= size {
      add(head.unit(at: offset, in: encoding))
      offset += size
      if foreign > 8, foreign * 4 > units { return }
    }
  }

  private mutating func add(_ unit: UInt32) {
    units += 1
    switch unit {
    case 0x20, 0x0A, 0x0D, 0x09, 0x3001, 0x3002, 0xFF0C, 0x3000, 0x2C, 0x3B:
      separators += 1
      plain += 1
    case 0x21..<0x7F, 0x4E00..<0xA000, 0x3001..<0x3100, 0xFF01..<0xFFF0: plain += 1
    case 0xAC00..<0xD7A4, 0x00A0..<0x0250, 0x0370..<0x0700, 0x0900..<0x0E80: plain += 1
    case 0xD800..<0xE000, 0x1E00..<0x2800, 0x3100..<0x4E00, 0x1_F000..<0x2_0000: break
    case 0x2_0000..<0x4_0000, 0xFEFF: break
    default: foreign += 1
    }
  }
}

/// Whether bytes are text, damaged here and there: few control characters, and high bytes that are mostly
/// UTF-8, GB 18030 or the letters of Latin-1. A grammar alone takes one run of random bytes in a hundred
/// that start with a bracket for its own, and what a store encrypts starts with any byte.
struct TextLikeness {
  private var controls = 0
  private var highBytes = 0
  /// High bytes that are no part of a character in UTF-8.
  private var foreign = 0

  private init(of head: RawSpan) {
    var offset = 0
    while offset < head.byteCount {
      if head.isPlainWord(at: offset) {
        offset += 8
        continue
      }
      let byte = head.known(offset)
      guard byte >= 0x80 else {
        if byte == 0x7F || byte < 0x20 && !Self.isExpected(byte) { controls += 1 }
        offset += 1
        continue
      }
      let size = head.characterSize(at: offset)
      highBytes += size ?? 1
      if size == nil { foreign += 1 }
      offset += size ?? 1
    }
  }

  /// Judges the first 1,024 bytes.
  static func isText(_ head: RawSpan) -> Bool {
    let head = head.clamped(to: 0..<1024)
    let count = head.byteCount
    let seen = TextLikeness(of: head)
    guard seen.controls <= 1 + count / 64 else { return false }
    return seen.foreign * 4 <= seen.highBytes || seen.highBytes * 10 <= count * 3
      || GB18030Shape(of: head).isText
  }

  /// Line ends, and what terminals are told.
  private static func isExpected(_ byte: UInt8) -> Bool { 7...13 ~= byte || byte == 0x1B }
}

extension RawSpan {
  /// Size of the character of more than one byte at `offset`, by the shape of its bytes, also where the
  /// end cuts it; nothing where they are none in UTF-8.
  func characterSize(at offset: Int) -> Int? {
    let size: Int
    switch known(offset) {
    case 0xC2...0xDF: size = 2
    case 0xE0...0xEF: size = 3
    case 0xF0...0xF4: size = 4
    default: return nil
    }
    let end = Swift.min(offset + size, byteCount)
    for place in offset + 1..<end where known(place) & 0xC0 != 0x80 { return nil }
    return end - offset
  }

  /// Whether the next eight bytes are all printable ASCII.
  @inline(__always)
  func isPlainWord(at offset: Int) -> Bool {
    guard byteCount - offset >= 8 else { return false }
    let word = unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    let ones: UInt64 = 0x0101_0101_0101_0101
    // No high bit, nothing below 0x20, no 0x7F (which one more makes high).
    return (word | (word &- ones &* 0x20) | (word &+ ones)) & (ones << 7) == 0
  }

  /// The 2- or 4-byte unit at an offset the caller has checked.
  @inline(__always)
  func unit(at offset: Int, in encoding: TextEncoding) -> UInt32 {
    switch encoding {
    case .utf16LittleEndian: UInt32(known(offset)) | UInt32(known(offset + 1)) << 8
    case .utf16BigEndian: UInt32(known(offset)) << 8 | UInt32(known(offset + 1))
    case .utf32LittleEndian:
      UInt32(known(offset)) | UInt32(known(offset + 1)) << 8 | UInt32(known(offset + 2)) << 16
        | UInt32(known(offset + 3)) << 24
    case .utf32BigEndian:
      UInt32(known(offset)) << 24 | UInt32(known(offset + 1)) << 16
        | UInt32(known(offset + 2)) << 8 | UInt32(known(offset + 3))
    case .utf8, .gb18030, .latin1: UInt32(known(offset))
    }
  }
}
