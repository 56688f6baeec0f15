import Bytes
import Formats
import RuleEngine

/// A run of encoded text with the lines that go on with it: base64 is wrapped every 64 or 76 characters,
/// digits of hexadecimal every 60 (`xxd -p`) or 64, and either at any width in source code, in comments
/// and in attributes of XML.
struct EncodedLines {
  private let encoding: EncodedRun.Encoding
  /// From the first line to the last.
  private(set) var range: Range<Int>
  /// What stands between one line and the next, where that is more than white space.
  private var divider: [UInt8] = []
  /// Whether that says by itself that the value goes on, however long its lines are.
  private var isJoined = false
  /// Characters in a whole line.
  private let width: Int

  /// - Parameter first: lines before this offset were decoded already.
  init(of run: EncodedRun, in bytes: RawSpan, from first: Int = 0) {
    encoding = run.encoding
    range = run.range
    width = run.range.count
    guard width >= (run.encoding == .hex ? 32 : 40) else { return }
    var isFirst = true
    while let line = nextLine(in: bytes, isSecond: isFirst) {
      isFirst = false
      range = range.lowerBound..<line.end
      if line.isLast { break }
    }
    guard run.encoding == .hex, divider.isEmpty else { return }
    range = Self.start(of: run.range, in: bytes, from: first)..<range.upperBound
  }

  /// What the lines stand for.
  func decoded(from bytes: RawSpan) -> [UInt8] {
    guard !divider.isEmpty else { return decode(bytes.extracting(range)) }
    var text: [UInt8] = []
    text.reserveCapacity(range.count)
    var offset = range.lowerBound
    while offset < range.upperBound {
      if bytes.hasBytes(divider, at: offset) {
        offset += divider.count
      } else {
        text.append(bytes[at: offset] ?? 0)
        offset += 1
      }
    }
    return decode(text.span.bytes)
  }

  private func decode(_ text: RawSpan) -> [UInt8] {
    switch encoding {
    case .base64: Base64.decode(text)
    case .hex: HexadecimalText.decode(text).bytes
    }
  }

  /// Where the line behind the last one ends, and whether none can follow it.
  private mutating func nextLine(
    in bytes: RawSpan, isSecond: Bool
  ) -> (end: Int, isLast: Bool)? {
    // Padding ends encoded text.
    guard bytes[at: range.upperBound - 1] != UInt8(ascii: "=") else { return nil }
    var found: LineDivider?
    let start: Int
    if isSecond, let divided = LineDivider(in: bytes, from: range.upperBound) {
      found = divided
      start = divided.end
    } else if let next = lineStart(in: bytes) {
      start = next
    } else {
      return nil
    }
    var end = start
    while let byte = bytes[at: end], isPart(byte) { end += 1 }
    let count = end - start
    guard count > 0 else { return nil }
    // A line of words is none of digits, however it starts.
    if encoding == .hex, let byte = bytes[at: end], Self.isOfWord(byte) { return nil }
    if let found {
      divider = bytes.extracting(range.upperBound..<found.end).copied()
      isJoined = found.joins
    }
    if isJoined { return (end, false) }
    guard count > width else {
      // A shorter line is the last one. Word cuts digits where a number of the file ends, too.
      return (end, count < width && !(encoding == .hex && goesOn(behind: end, in: bytes)))
    }
    // Word puts what is left into the last line, Core Data wraps the first one only.
    let mayBeLonger =
      switch encoding {
      case .hex: count < 2 * width
      case .base64: isSecond && width == 76
      }
    return found == nil && mayBeLonger ? (end, true) : nil
  }

  /// Whether a line of nothing but digits follows a short one.
  private func goesOn(behind end: Int, in bytes: RawSpan) -> Bool {
    let start = bytes[at: end] == 0x0d ? end + 2 : end + 1
    guard divider.isEmpty, bytes[at: start - 1] == 0x0a else { return false }
    var next = start
    while next - start < width, bytes[at: next]?.hexadecimalValue != nil { next += 1 }
    return next - start >= 32 && !(bytes[at: next].map(Self.isOfWord) ?? false)
  }

  /// Where the next line starts: behind white space with a line end, or what divided the lines before.
  private func lineStart(in bytes: RawSpan) -> Int? {
    let end = range.upperBound
    if !divider.isEmpty { return bytes.hasBytes(divider, at: end) ? end + divider.count : nil }
    var next = end
    var hasLineEnd = false
    while let byte = bytes[at: next], byte == 0x0d || byte == 0x0a || byte == 0x20 || byte == 9 {
      hasLineEnd = hasLineEnd || byte == 0x0a
      next += 1
      if next - end > 16 { return nil }
    }
    return hasLineEnd ? next : nil
  }

  /// Where the lines of digits start that a run goes on with: of a file only those lines look like text that
  /// hold some.
  private static func start(of run: Range<Int>, in bytes: RawSpan, from first: Int) -> Int {
    var lower = run.lowerBound
    while true {
      var end = lower
      while end > first, lower - end < 2, let byte = bytes[at: end - 1],
        byte == 0x0a || byte == 0x0d
      {
        end -= 1
      }
      let start = end - run.count
      guard end < lower, start >= first,
        (start..<end).allSatisfy({ bytes[at: $0]?.hexadecimalValue != nil }),
        start == 0 || bytes[at: start - 1].map({ $0 <= 0x20 }) ?? true
      else { return lower }
      lower = start
    }
  }

  private func isPart(_ byte: UInt8) -> Bool {
    if encoding == .hex { return byte.hexadecimalValue != nil }
    return Base64.value(of: byte) != nil || byte == UInt8(ascii: "=")
  }

  /// Whether a word or number that a digit stands before may go on with it.
  private static func isOfWord(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte >= 0x80 || "-_.:/@".utf8.contains(byte)
  }
}

/// What divides two lines of one value besides white space: literals that are put together, a line that
/// goes on, the mark of a comment, the line ends of an attribute.
struct LineDivider {
  let end: Int
  /// Whether it says itself that the two are one value.
  let joins: Bool

  private static let longest = 64

  /// Nothing where the bytes at `start` divide no lines.
  init?(in bytes: RawSpan, from start: Int) {
    let bytes = bytes.clamped(to: 0..<min(bytes.byteCount, start + Self.longest))
    guard let first = bytes[at: start] else { return nil }
    switch first {
    case UInt8(ascii: "&"):
      guard let end = Self.behindEntities(bytes, start) else { return nil }
      self.init(end: end, joins: true)
    case 0x0a, 0x0d:
      guard let end = Self.behindMark(bytes, start) else { return nil }
      self.init(end: end, joins: false)
    case UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "'"):
      guard let found = Self.behindLiteral(bytes, start) else { return nil }
      self = found
    default: return nil
    }
  }

  private init(end: Int, joins: Bool) {
    self.end = end
    self.joins = joins
  }

  /// `&#xA;`: a line end in an attribute (XML 1.0, §3.3.3).
  private static func behindEntities(_ bytes: RawSpan, _ start: Int) -> Int? {
    let entities: [StaticString] = ["&#xA;", "&#xD;", "&#xa;", "&#xd;", "&#10;", "&#13;"]
    var offset = start
    while let entity = entities.first(where: { bytes.hasBytes($0, at: offset) }) {
      offset += entity.utf8CodeUnitCount
    }
    return offset > start ? behindWhite(bytes, offset) : nil
  }

  /// A line end and what the lines of a comment or a quotation start with.
  private static func behindMark(_ bytes: RawSpan, _ start: Int) -> Int? {
    guard let line = behindLineEnd(bytes, start) else { return nil }
    let mark = behindBlanks(bytes, line)
    if bytes.hasBytes("// ", at: mark) { return behindBlanks(bytes, mark + 2) }
    guard let byte = bytes[at: mark], "#*|>;%".utf8.contains(byte) else { return nil }
    return behindBlanks(bytes, mark + 1)
  }

  /// `" +` and `"` on the next line, with or without the sign, on either line; `\` at the end of a line.
  private static func behindLiteral(_ bytes: RawSpan, _ start: Int) -> LineDivider? {
    var offset = start
    for escape: StaticString in ["\\r", "\\n"] where bytes.hasBytes(escape, at: offset) {
      offset += 2
    }
    let quote = bytes[at: offset] == UInt8(ascii: "\\") ? nil : bytes[at: offset]
    if quote != nil { offset = behindBlanks(bytes, offset + 1) }
    let isSigned = bytes[at: offset].map { "+.&\\".utf8.contains($0) } ?? false
    if isSigned { offset += 1 }
    guard let line = behindLineEnd(bytes, behindBlanks(bytes, offset)) else { return nil }
    offset = behindBlanks(bytes, line)
    guard let quote else { return isSigned ? LineDivider(end: offset, joins: true) : nil }
    let isSignedBehind = bytes[at: offset].map { "+.&".utf8.contains($0) } ?? false
    if isSignedBehind { offset = behindBlanks(bytes, offset + 1) }
    guard bytes[at: offset] == quote, !isSigned || !isSignedBehind else { return nil }
    return LineDivider(end: offset + 1, joins: isSigned || isSignedBehind)
  }

  private static func behindLineEnd(_ bytes: RawSpan, _ start: Int) -> Int? {
    switch bytes[at: start] {
    case 0x0a: start + 1
    case 0x0d: bytes[at: start + 1] == 0x0a ? start + 2 : start + 1
    default: nil
    }
  }

  private static func behindBlanks(_ bytes: RawSpan, _ start: Int) -> Int {
    var offset = start
    while let byte = bytes[at: offset], byte == 0x20 || byte == 9 { offset += 1 }
    return offset
  }

  private static func behindWhite(_ bytes: RawSpan, _ start: Int) -> Int {
    var offset = start
    while let byte = bytes[at: offset], byte == 0x20 || 9...13 ~= byte { offset += 1 }
    return offset
  }
}
