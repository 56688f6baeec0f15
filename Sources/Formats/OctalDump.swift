import Bytes

/// Bytes as `od` and `hexdump` print them by default or as characters: words or bytes in octal, words in
/// decimal, one field of four columns a character.
///
///     0000000 060515 064562 067563 005154         od, od -o: words of the machine
///     0000000  24909  26994  28531  02668         od -d
///     0000000 115 141 162 151 163 157 154 012     od -b
///     0000000   M   a   r   i   s   o   l  \n     od -c
///     0000010
///
/// Every line starts with its address, in octal or, of `hexdump`, in hexadecimal; the last address stands
/// alone and says how many bytes there were. Both together are the proof that it is one.
package struct OctalDump {
  private enum Field: CaseIterable {
    case characters, octalWords, octalBytes, decimalWords

    var size: Int { self == .octalWords || self == .decimalWords ? 2 : 1 }
  }

  package private(set) var decoded = DecodedBytes()

  /// Bytes that `*` for repeated lines may stand for.
  private static let mostRepeated = 4 << 20

  /// Whether a text starts with lines of a dump: the first has the address 0, the second that of what
  /// follows, or the number of bytes that the first shows.
  package static func isLikely(_ head: RawSpan) -> Bool {
    // Asked of every text: seven zeros start hardly any.
    guard head.hasBytes("0000000 ") else { return false }
    return layout(of: head) != nil
  }

  /// Nothing where the text starts with no dump.
  package init?(parsing text: RawSpan) {
    guard let layout = Self.layout(of: text) else { return nil }
    var start = 0
    var repeats = false
    var budget = Self.mostRepeated
    var last: [(value: UInt8, source: Range<Int>)] = []
    while start < text.byteCount {
      let end = text.firstOffset(of: 0x0A, from: start) ?? text.byteCount
      let line = start..<end
      start = end + 1
      if line.count <= 2, text[at: line.lowerBound] == UInt8(ascii: "*") {
        repeats = true
        continue
      }
      guard let address = Self.address(text, line, radix: layout.radix) else { return }
      if repeats {
        let gap = address.value - decoded.bytes.count
        guard gap > 0, gap <= budget, !last.isEmpty else { return }
        budget -= gap
        for index in 0..<gap {
          let byte = last[index % last.count]
          decoded.append(byte.value, from: byte.source)
        }
        repeats = false
      }
      let read = Self.values(text, address.end..<line.upperBound, layout.field)
      guard let read, !read.isEmpty else {
        // A last word of which only one byte was there.
        let extra = decoded.bytes.count - address.value
        if read != nil, extra == 1, layout.field.size == 2 { decoded.removeLast() }
        return
      }
      guard address.value == decoded.bytes.count else { return }
      for byte in read { decoded.append(byte.value, from: byte.source) }
      last = read
    }
  }

  private static func layout(of text: RawSpan) -> (field: Field, radix: Int)? {
    guard let end = text.firstOffset(of: 0x0A) else { return nil }
    var next = end + 1
    if text[at: next] == UInt8(ascii: "*") {
      next = (text.firstOffset(of: 0x0A, from: next) ?? text.byteCount) + 1
    }
    let nextEnd = text.firstOffset(of: 0x0A, from: next) ?? text.byteCount
    guard next < nextEnd, let first = address(text, 0..<end, radix: 8), first.value == 0 else {
      return nil
    }
    let isRepeated = next > end + 1
    for field in Field.allCases {
      guard let values = values(text, first.end..<end, field), !values.isEmpty else { continue }
      for radix in [8, 16] {
        guard let second = address(text, next..<nextEnd, radix: radix)?.value else { continue }
        let isOdd = field.size == 2 && second == values.count - 1
        if second == values.count || isOdd || isRepeated && second > values.count {
          return (field, radix)
        }
      }
    }
    return nil
  }

  /// The address that a line starts with and where it ends: at least seven digits.
  private static func address(
    _ text: RawSpan, _ line: Range<Int>, radix: Int
  ) -> (value: Int, end: Int)? {
    var end = line.lowerBound
    while end < line.upperBound, end - line.lowerBound < 17, let byte = text[at: end], byte > 0x20 {
      end += 1
    }
    guard end - line.lowerBound >= 7, end - line.lowerBound < 17 else { return nil }
    let digits = text.clamped(to: line.lowerBound..<end).repairedText()
    return Int(digits, radix: radix).map { ($0, end) }
  }

  private typealias Value = (value: UInt8, source: Range<Int>)

  /// The bytes that the fields of a line show; nothing where one of them is none.
  private static func values(_ text: RawSpan, _ line: Range<Int>, _ field: Field) -> [Value]? {
    field == .characters ? characters(text, line) : numbers(text, line, field)
  }

  private static func numbers(_ text: RawSpan, _ line: Range<Int>, _ field: Field) -> [Value]? {
    let width = field == .octalWords ? 6 : field == .octalBytes ? 3 : 5
    var values: [Value] = []
    var offset = line.lowerBound
    while true {
      while offset < line.upperBound, text[at: offset] == 0x20 { offset += 1 }
      guard offset < line.upperBound, text[at: offset] != 0x0D else { return values }
      var end = offset
      while end < line.upperBound, let byte = text[at: end], byte > 0x20 { end += 1 }
      let isPadded = end - offset == width || field == .decimalWords && end - offset < width
      guard isPadded, values.count < 64 else { return nil }
      let digits = text.clamped(to: offset..<end).repairedText()
      guard let number = UInt16(digits, radix: field == .decimalWords ? 10 : 8) else { return nil }
      if field.size == 1 {
        guard let byte = UInt8(exactly: number) else { return nil }
        values.append((byte, offset..<end))
      } else {
        values.append((UInt8(number & 0xff), offset..<end))
        values.append((UInt8(number >> 8), offset..<end))
      }
      offset = end
    }
  }

  /// Fields of four columns, the last of which ends the character, its escape or its number in octal.
  private static func characters(_ text: RawSpan, _ line: Range<Int>) -> [Value]? {
    var end = line.upperBound
    if end > line.lowerBound, text[at: end - 1] == 0x0D { end -= 1 }
    guard (end - line.lowerBound).isMultiple(of: 4), end - line.lowerBound <= 256 else {
      return nil
    }
    var values: [Value] = []
    for start in stride(from: line.lowerBound, to: end, by: 4) {
      let field = text.clamped(to: start..<start + 4)
      guard field[at: 0] == 0x20, let value = character(field) else { return nil }
      values.append((value, start..<start + 4))
    }
    return values
  }

  private static func character(_ field: RawSpan) -> UInt8? {
    let (one, two, three) = (field[at: 1] ?? 0, field[at: 2] ?? 0, field[at: 3] ?? 0)
    if one == 0x20, two == 0x20 { return three >= 0x20 && three < 0x7f ? three : nil }
    if one == 0x20, two == UInt8(ascii: "\\") {
      let escapes: [(UInt8, UInt8)] = [
        (0x30, 0), (0x61, 7), (0x62, 8), (0x74, 9), (0x6e, 10), (0x76, 11), (0x66, 12), (0x72, 13),
      ]
      return escapes.first { $0.0 == three }?.1
    }
    let digits = field.clamped(to: 1..<4).repairedText()
    return UInt8(digits, radix: 8)
  }
}

extension DecodedBytes {
  /// Takes back the last byte: its place in the source is that of the one before it too.
  fileprivate mutating func removeLast() { bytes.removeLast() }
}
