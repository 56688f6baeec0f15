import Bytes
import Formats

/// Tells kinds of text apart by how they start.
enum TextKind {
  static func kind(of head: RawSpan, byteCount: Int) -> Identification? {
    guard let start = textStart(head, byteCount: byteCount) else { return nil }
    guard let first = head[at: start] else { return text }
    switch first {
    case 0x23 where head.hasBytes("#!", at: start):
      return Identification(kind: "script", mime: "text/x-script")
    case 0x3C: return markup(head, start)
    case 0x7B, 0x5B: return isJSON(head, start) ? json : text
    default: return isTable(head) ? Identification(kind: "csv", mime: "text/csv") : text
    }
  }

  private static let text = Identification(kind: "text", mime: "text/plain")
  private static let json = Identification(kind: "json", mime: "application/json")

  /// Where the first character that is not a space stands, or nothing where the bytes are no text. UTF-16
  /// and UTF-32 are known by their mark, or by zeros on one side only.
  private static func textStart(_ head: RawSpan, byteCount: Int) -> Int? {
    if head.hasBytes([0xFF, 0xFE]) || head.hasBytes([0xFE, 0xFF]),
      TextSignature(judging: head) != nil
    {
      return head.byteCount
    }
    var start = head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard let shape = shape(head, isWhole: head.byteCount >= byteCount) else { return nil }
    if shape == .wide { return head.byteCount }
    while let byte = head[at: start], byte == 0x20 || (9...13).contains(byte) { start += 1 }
    return start
  }

  private enum Shape {
    case narrow, wide
  }

  private static func shape(_ head: RawSpan, isWhole: Bool) -> Shape? {
    if isPlain(head) { return .narrow }
    var zerosAtEven = 0
    var zerosAtOdd = 0
    var controls = 0
    var highs = 0
    for offset in 0..<head.byteCount {
      let byte = head[at: offset] ?? 0
      if byte == 0 {
        if offset & 1 == 0 { zerosAtEven += 1 } else { zerosAtOdd += 1 }
      } else if byte < 0x20, !(7...13).contains(byte), byte != 0x1B {
        controls += 1
      } else if byte >= 0x80 {
        highs += 1
      }
    }
    let half = head.byteCount / 2
    if min(zerosAtEven, zerosAtOdd) == 0, max(zerosAtEven, zerosAtOdd) * 10 > half * 6,
      controls == 0
    {
      return .wide
    }
    guard zerosAtEven + zerosAtOdd == 0, controls == 0 else { return nil }
    if highs == 0 { return .narrow }
    return isUTF8(head, isWhole: isWhole) || isLegacyText(head, highs: highs) ? .narrow : nil
  }

  /// Whether all bytes are ASCII text, as those of most files are.
  private static func isPlain(_ head: RawSpan) -> Bool {
    if head.isPlainText { return true }
    return head.withUnsafeBytes { bytes in bytes.allSatisfy(isText) }
  }

  private static func isText(_ byte: UInt8) -> Bool {
    byte < 0x80 && (byte >= 0x20 || (byte >= 7 && byte <= 13))
  }

  /// UTF-8; the last character may be cut off by the end of the head.
  private static func isUTF8(_ head: RawSpan, isWhole: Bool) -> Bool {
    for cut in 0..<(isWhole ? 1 : 4) where head.byteCount > cut {
      if head.clamped(to: 0..<head.byteCount - cut).utf8Text() != nil { return true }
    }
    return false
  }

  /// Text in GB 18030 or Latin-1 has letters, spaces and line ends between its high bytes; ciphertext of
  /// this size would have control characters.
  private static func isLegacyText(_ head: RawSpan, highs: Int) -> Bool {
    head.byteCount >= 64 || highs * 3 <= head.byteCount
  }

  private static func markup(_ head: RawSpan, _ start: Int) -> Identification {
    if XMLPropertyList.recognises(head) {
      return Identification(kind: "plist", mime: "application/x-plist")
    }
    let opening = head.clamped(to: start..<start + 512).repairedText().lowercased()
    if opening.hasPrefix("<!doctype html") || opening.hasPrefix("<html") {
      return Identification(kind: "html", mime: "text/html")
    }
    if opening.hasPrefix("<?xml") {
      return opening.contains("<svg")
        ? Identification(kind: "svg", mime: "image/svg+xml")
        : Identification(kind: "xml", mime: "application/xml")
    }
    if opening.hasPrefix("<svg") { return Identification(kind: "svg", mime: "image/svg+xml") }
    return text
  }

  /// Whether an opening bracket is followed by what JSON allows there.
  private static func isJSON(_ head: RawSpan, _ start: Int) -> Bool {
    var offset = start + 1
    while let byte = head[at: offset], byte == 0x20 || (9...13).contains(byte) { offset += 1 }
    guard let next = head[at: offset] else { return false }
    if head[at: start] == 0x7B { return next == 0x22 || next == 0x7D }
    return [0x22, 0x5B, 0x5D, 0x7B, 0x2D, 0x74, 0x66, 0x6E].contains(next)
      || (0x30...0x39).contains(next)
  }

  /// Whether the first lines have the same number of separators, at least one.
  private static func isTable(_ head: RawSpan) -> Bool {
    // Commas, tabs and semicolons of each line.
    var lines: [SIMD4<UInt16>] = []
    var counts = SIMD4<UInt16>()
    for offset in 0..<min(1024, head.byteCount) {
      switch head[at: offset] {
      case 0x2C: counts[0] &+= 1
      case 0x09: counts[1] &+= 1
      case 0x3B: counts[2] &+= 1
      case 0x0A:
        // A first line without any decides for most texts.
        guard !lines.isEmpty || counts != SIMD4() else { return false }
        lines.append(counts)
        counts = SIMD4()
      default: continue
      }
      if lines.count == 4 { break }
    }
    guard lines.count >= 2 else { return false }
    for kind in 0..<3 where lines[0][kind] > 0 {
      if lines.allSatisfy({ $0[kind] == lines[0][kind] }) { return true }
    }
    return false
  }
}
