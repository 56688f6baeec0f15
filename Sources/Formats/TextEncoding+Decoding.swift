import Bytes
import Findings

extension TextEncoding {
  /// Whether the system has what decoding needs: the tables of GB18030 come with the C library.
  package var isAvailable: Bool { self != .gb18030 || GB18030.isAvailable }

  /// The text in UTF-8 and where each character came from. What is no character becomes U+FFFD. A
  /// character cut at the end is left out, unless `isLast`: `consumed` says how far the text was read.
  package func decode(_ text: RawSpan, isLast: Bool = true) -> (text: DecodedBytes, consumed: Int) {
    var decoder = CharacterDecoder(encoding: self, capacity: text.byteCount)
    decoder.decode(text, isLast: isLast)
    return (decoder.result, decoder.offset)
  }
}

/// Turns stored characters into UTF-8, gathering runs of equally sized ones for the map.
private struct CharacterDecoder {
  let encoding: TextEncoding
  var result = DecodedBytes()
  var offset = 0
  private var runStart = 0
  private var runCount = 0
  private var unit = 0
  private var sourceUnit = 0

  init(encoding: TextEncoding, capacity: Int) {
    self.encoding = encoding
    result.bytes.reserveCapacity(capacity)
  }

  mutating func decode(_ text: RawSpan, isLast: Bool) {
    while offset < text.byteCount {
      guard let (scalar, size) = character(of: text) else {
        guard isLast else { break }
        append(.replacement, size: text.byteCount - offset)
        break
      }
      append(scalar, size: size)
    }
    flush()
  }

  private mutating func append(_ scalar: Unicode.Scalar, size: Int) {
    let start = result.bytes.count
    scalar.appendUTF8(to: &result.bytes)
    let count = result.bytes.count - start
    if count != unit || size != sourceUnit {
      flush()
      (unit, sourceUnit, runStart) = (count, size, offset)
    }
    runCount += 1
    offset += size
  }

  private mutating func flush() {
    result.map.append(count: runCount, unit: unit, source: runStart, sourceUnit: sourceUnit)
    runCount = 0
    runStart = offset
  }

  /// The character at the offset, or nothing where the text is cut inside it.
  private func character(of text: RawSpan) -> (Unicode.Scalar, Int)? {
    let left = text.byteCount - offset
    switch encoding {
    case .utf8: return utf8(text, left: left)
    case .latin1: return (Self.windows1252(text.known(offset)), 1)
    case .utf32LittleEndian, .utf32BigEndian:
      guard left >= 4 else { return nil }
      return (Unicode.Scalar(text.unit(at: offset, in: encoding)) ?? .replacement, 4)
    case .utf16LittleEndian, .utf16BigEndian: return utf16(text, left: left)
    case .gb18030: return gb18030(text, left: left)
    }
  }

  private func utf16(_ text: RawSpan, left: Int) -> (Unicode.Scalar, Int)? {
    guard left >= 2 else { return nil }
    let first = text.unit(at: offset, in: encoding)
    guard first & 0xFC00 == 0xD800 else { return (Unicode.Scalar(first) ?? .replacement, 2) }
    guard left >= 4 else { return nil }
    let second = text.unit(at: offset + 2, in: encoding)
    guard second & 0xFC00 == 0xDC00 else { return (.replacement, 2) }
    let value = 0x1_0000 + (first & 0x3FF) << 10 + (second & 0x3FF)
    return (Unicode.Scalar(value) ?? .replacement, 4)
  }

  private func gb18030(_ text: RawSpan, left: Int) -> (Unicode.Scalar, Int)? {
    let lead = text.known(offset)
    if lead < 0x80 { return (Unicode.Scalar(lead), 1) }
    if let size = GB18030.size(of: text, at: offset) {
      return (GB18030.scalar(of: text, at: offset, size: size), size)
    }
    return left < 4 && lead > 0x80 && lead < 0xFF ? nil : (.replacement, 1)
  }

  private func utf8(_ text: RawSpan, left: Int) -> (Unicode.Scalar, Int)? {
    let lead = text.known(offset)
    let (size, bits): (Int, UInt32) =
      switch lead {
      case 0..<0x80: (1, UInt32(lead))
      case 0xC2..<0xE0: (2, UInt32(lead & 0x1F))
      case 0xE0..<0xF0: (3, UInt32(lead & 0x0F))
      case 0xF0..<0xF5: (4, UInt32(lead & 0x07))
      default: (0, 0)
      }
    guard size > 0 else { return (.replacement, 1) }
    var value = bits
    for index in 1..<max(size, 1) {
      guard index < left else { return nil }
      let byte = text.known(offset + index)
      guard byte & 0xC0 == 0x80 else { return (.replacement, index) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    return (Unicode.Scalar(value) ?? .replacement, size)
  }

  /// Latin-1 but for 0x80 to 0x9F, where Windows-1252 has printable characters.
  private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
    guard byte & 0xE0 == 0x80 else { return Unicode.Scalar(byte) }
    return printable[Int(byte & 0x1F)]
  }

  private static let printable: [Unicode.Scalar] = [
    "€", "\u{81}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{8D}", "Ž", "\u{8F}",
    "\u{90}", "‘", "’", "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{9D}", "ž", "Ÿ",
  ]
}
