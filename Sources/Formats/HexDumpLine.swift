import Bytes

/// One line of a hex dump: an address, groups of digits, and characters that are not read.
///
///     00000000: 4d61 7269 736f 6c20  Marisol        xxd
///     00000000  4d 61 72 69 73 6f 6c 20  |Marisol |  hexdump -C
///     0000000 614d 6972 6f73 206c                    hexdump, od -x: words of the machine
///     0x7ffe10 <name>:  0x4d  0x61  0x72             gdb
///     <4d617269 736f6c20>                            NSData
struct HexDumpLine {
  /// What the address says, in each base that programs write it in: hexadecimal, octal where `od` was not
  /// told otherwise, decimal.
  struct Address {
    var readings: [UInt64?]
  }

  /// What lines of one dump have in common.
  struct Shape: Equatable {
    var hasAddress = false
    /// Digits of a group.
    var width = 0
    var isPrefixed = false
  }

  private(set) var values: [UInt8] = []
  /// Where the digits of each byte stand.
  private(set) var offsets: [Int] = []
  private(set) var address: Address?
  private(set) var shape = Shape()
  private(set) var end = 0
  private var hasColon = false
  /// Whether words behind a colon have their last byte first (`xxd -e`): the characters beside them tell,
  /// and where there are none those of the lines before.
  private var isLittleEndian = false

  /// Whether it is a dump's by itself: numbers in columns look like one.
  var isSure: Bool {
    values.count >= (shape.hasAddress ? 4 : 8)
  }

  /// One group of digits.
  private struct Group {
    var digits: Range<Int>
    var isPrefixed: Bool

    init?(_ text: RawSpan, _ start: Int, upTo end: Int) {
      isPrefixed =
        text[at: start] == UInt8(ascii: "0")
        && (text[at: start + 1] ?? 0) | 0x20 == UInt8(ascii: "x")
      let first = isPrefixed ? start + 2 : start
      var offset = first
      while offset < end, offset - first <= 16, hexadecimalValue(text.known(offset)) != nil {
        offset += 1
      }
      guard offset > first, offset - first <= 16 else { return nil }
      digits = first..<offset
    }
  }

  /// Reads a line; false where it is none of a dump.
  ///
  /// - Parameter known: the shape of the lines before: the last line may be one short group.
  mutating func read(_ text: RawSpan, _ line: Range<Int>, like known: Shape = Shape()) -> Bool {
    values.removeAll(keepingCapacity: true)
    offsets.removeAll(keepingCapacity: true)
    (address, hasColon, end) = (nil, false, line.upperBound)
    var offset = Self.skip(text, line.lowerBound, line.upperBound) { byte in
      isSpace(byte) || "<{[(".utf8.contains(byte)
    }
    guard let first = Group(text, offset, upTo: line.upperBound) else { return false }
    offset = readAddress(first, of: text, line, from: offset)
    guard let group = Group(text, offset, upTo: line.upperBound) else { return false }
    shape = Shape(
      hasAddress: address != nil, width: group.digits.count, isPrefixed: group.isPrefixed)
    if shape.width < known.width, shape.width.isMultiple(of: 2) { shape.width = known.width }
    guard [2, 4, 8, 16].contains(shape.width) else { return false }
    readGroups(text, from: offset, to: line.upperBound)
    if hasColon, shape.width > 2, !shape.isPrefixed { orderWords(by: text, line) }
    return !values.isEmpty
  }

  /// Where the groups start: behind the address, where there is one.
  private mutating func readAddress(
    _ first: Group, of text: RawSpan, _ line: Range<Int>, from start: Int
  ) -> Int {
    let limit = line.upperBound
    var next = first.digits.upperBound
    let gap = Self.skip(text, next, limit, isSpace)
    if text[at: gap] == UInt8(ascii: "<"), gap > next {
      // The symbol that a debugger knows there.
      next = text.firstOffset(of: UInt8(ascii: ">"), in: gap..<limit).map { $0 + 1 } ?? next
    }
    if next < limit, text[at: next] == UInt8(ascii: ":") || text[at: next] == UInt8(ascii: "|") {
      hasColon = true
      address = Self.address(first, of: text)
      return Self.skip(text, next + 1, limit, isSpace)
    }
    guard gap > next, first.digits.count >= 3, let second = Group(text, gap, upTo: limit) else {
      return start
    }
    let isWide = gap - next >= 2
    // Of groups that are all alike the first is an address only where it stands apart.
    if second.digits.count != first.digits.count && second.digits.count.isMultiple(of: 2)
      || isWide && !second.isPrefixed && text[at: second.digits.upperBound + 1] != 0x20
        && text[at: second.digits.upperBound] == 0x20
    {
      address = Self.address(first, of: text)
      return gap
    }
    return start
  }

  private static func address(_ group: Group, of text: RawSpan) -> Address {
    let digits = text.clamped(to: group.digits).repairedText()
    let bases = group.isPrefixed ? [16] : [16, 8, 10]
    return Address(readings: bases.map { UInt64(digits, radix: $0) })
  }

  private mutating func readGroups(_ text: RawSpan, from start: Int, to limit: Int) {
    var offset = start
    while let group = Group(text, offset, upTo: limit), group.isPrefixed == shape.isPrefixed {
      let behind = text[at: group.digits.upperBound]
      let isEnd = group.digits.upperBound >= limit
      guard isEnd || behind.map({ !$0.isASCIIAlphanumeric }) ?? true else { return }
      let isWhole = group.digits.count == shape.width
      // The last group may have fewer bytes.
      guard isWhole || group.digits.count < shape.width && group.digits.count.isMultiple(of: 2)
      else { return }
      add(group.digits, of: text)
      guard isWhole, !isEnd else { return }
      var next = group.digits.upperBound
      let hasComma = text[at: next] == UInt8(ascii: ",")
      if hasComma { next += 1 }
      let gap = Self.skip(text, next, limit, isSpace)
      guard gap > next || hasComma else { return }
      // Characters stand behind a wider gap; single bytes are set apart by one in the middle, too.
      let isMiddle = gap - next == 2 && values.count == 8 && shape.width == 2
      let isNarrow = gap - next <= 1 || hasComma || isMiddle
      guard isNarrow else { return }
      offset = gap
    }
  }

  /// Turns words around where all the characters behind the groups say so.
  private mutating func orderWords(by text: RawSpan, _ line: Range<Int>) {
    let size = shape.width / 2
    // A word that is cut short may stand anywhere.
    guard let last = offsets.last, values.count.isMultiple(of: size) else { return }
    let turned = values.indices.map { $0 / size * size + size - 1 - $0 % size }
    let first = last + 4
    var shown = 0
    var fits = (asPrinted: 0, turned: 0)
    for index in values.indices where first + index < line.upperBound {
      let letter = text.known(first + index)
      guard letter > 0x20, letter < 0x7f, letter != UInt8(ascii: ".") else { continue }
      shown += 1
      if values[index] == letter { fits.asPrinted += 1 }
      if values[turned[index]] == letter { fits.turned += 1 }
    }
    if fits.asPrinted != fits.turned, max(fits.asPrinted, fits.turned) == shown {
      isLittleEndian = fits.turned > fits.asPrinted
    }
    guard isLittleEndian else { return }
    values = turned.map { values[$0] }
    offsets = turned.map { offsets[$0] }
  }

  /// Adds the bytes of a group; words that a machine printed have their last byte first.
  private mutating func add(_ digits: Range<Int>, of text: RawSpan) {
    let isSwapped =
      shape.width > 2 && shape.hasAddress && (shape.isPrefixed || !hasColon)
    let starts = stride(from: digits.lowerBound, to: digits.upperBound - 1, by: 2)
    for start in isSwapped ? Array(starts.reversed()) : Array(starts) {
      guard let high = hexadecimalValue(text.known(start)),
        let low = hexadecimalValue(text.known(start + 1))
      else { continue }
      values.append(high << 4 | low)
      offsets.append(start)
    }
  }

  private static func skip(
    _ text: RawSpan, _ start: Int, _ end: Int, _ isSkipped: (UInt8) -> Bool
  ) -> Int {
    var offset = start
    while offset < end, isSkipped(text.known(offset)) { offset += 1 }
    return offset
  }
}

private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
