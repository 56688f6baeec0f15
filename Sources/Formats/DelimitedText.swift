import Bytes

/// Records of a table in text, fields parted by commas, tabs, semicolons or bars (RFC 4180; quotes may
/// hold delimiters and line ends).
package struct DelimitedText: ~Escapable {
  package struct Field: Equatable, Sendable {
    /// The value without its quotes.
    package var range: Range<Int>
    /// Whether quotes in the value are doubled.
    package var hasDoubledQuotes = false
  }

  /// Columns that are told apart; the rest of a wider record is one field.
  static let columnLimit = 4096
  /// Bytes a quoted field may have: a quote that is not closed by then is an ordinary character.
  static let quotedLimit = 1 << 16

  private let text: RawSpan
  private let delimiter: UInt8
  package private(set) var offset: Int

  @_lifetime(copy text)
  package init(_ text: RawSpan, delimiter: UInt8, at offset: Int = 0) {
    self.text = text
    self.delimiter = delimiter
    self.offset = offset
  }

  /// Reads the next record into `fields`; false at the end of the text.
  package mutating func next(into fields: inout [Field]) -> Bool {
    fields.removeAll(keepingCapacity: true)
    guard offset < text.byteCount else { return false }
    while true {
      fields.append(field(isLast: fields.count + 1 >= Self.columnLimit))
      guard offset < text.byteCount, text.known(offset) == delimiter else { break }
      offset += 1
    }
    if text[at: offset] == 0x0D { offset += 1 }
    if text[at: offset] == 0x0A { offset += 1 }
    return true
  }

  /// The value of a field whose quotes are doubled, or nothing where its bytes are the value.
  package static func decode(_ field: Field, of text: RawSpan) -> DecodedBytes? {
    guard field.hasDoubledQuotes else { return nil }
    var result = DecodedBytes()
    var copied = field.range.lowerBound
    while let quote = text.firstOffset(of: 0x22, in: copied..<field.range.upperBound) {
      result.copy(copied..<quote + 1, of: text)
      copied = min(quote + 2, field.range.upperBound)
    }
    result.copy(copied..<field.range.upperBound, of: text)
    return result
  }

  private mutating func field(isLast: Bool) -> Field {
    if text[at: offset] == 0x22, let quoted = quoted() { return quoted }
    let start = offset
    while offset < text.byteCount {
      let byte = text.known(offset)
      if byte == 0x0A || byte == 0x0D && text[at: offset + 1] == 0x0A { break }
      if byte == delimiter, !isLast { break }
      offset += 1
    }
    return Field(range: start..<offset)
  }

  private mutating func quoted() -> Field? {
    let start = offset + 1
    var field = Field(range: start..<start)
    var from = start
    let limit = min(text.byteCount, start + Self.quotedLimit)
    while from < limit, let quote = text.firstOffset(of: 0x22, in: from..<limit) {
      if text[at: quote + 1] == 0x22 {
        field.hasDoubledQuotes = true
        from = quote + 2
        continue
      }
      field.range = start..<quote
      offset = quote + 1
      // What follows a closing quote before the delimiter belongs to no field.
      while let byte = text[at: offset], byte != delimiter, byte != 0x0A,
        !(byte == 0x0D && text[at: offset + 1] == 0x0A)
      {
        offset += 1
      }
      return field
    }
    return nil
  }
}

extension DelimitedText {
  /// How a table looks from its first bytes.
  package struct Shape: Equatable, Sendable {
    package var delimiter: UInt8
    package var columns: Int
    /// Whether the first record names the columns.
    package var hasHeader: Bool
  }

  /// The shape of a table, where the records in `head` have the same number of columns, two at least;
  /// `isWhole` says that the head is all there is.
  package static func shape(of head: RawSpan, isWhole: Bool) -> Shape? {
    var best: Shape?
    for delimiter: UInt8 in [0x09, 0x2C, 0x3B, 0x7C] {
      guard head.firstOffset(of: delimiter) != nil,
        let shape = shape(of: head, delimiter: delimiter, isWhole: isWhole)
      else { continue }
      if shape.columns > best?.columns ?? 0 { best = shape }
    }
    return best
  }

  private static func shape(of head: RawSpan, delimiter: UInt8, isWhole: Bool) -> Shape? {
    var records = DelimitedText(
      head, delimiter: delimiter, at: head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0)
    var fields: [Field] = []
    var columns = 0
    var same = 0
    var total = 0
    var hasHeader = false
    while total < 40, records.next(into: &fields) {
      // The last record of a cut head may be half a record.
      if !isWhole, records.offset == head.byteCount { break }
      if fields.count == 1, fields[0].range.isEmpty { continue }
      if total == 0 {
        columns = fields.count
        guard columns >= 2, isPlausible(fields, of: head) else { return nil }
        hasHeader = namesColumns(fields, of: head)
      }
      total += 1
      if fields.count == columns { same += 1 }
    }
    let isEnough = total >= 3 || total == 2 && hasHeader
    guard isEnough, same * 10 >= total * 9 else { return nil }
    return Shape(delimiter: delimiter, columns: columns, hasHeader: hasHeader)
  }

  /// Lines of code and prose hold delimiters too: no field of a first record is long, empty or code.
  private static func isPlausible(_ fields: [Field], of text: RawSpan) -> Bool {
    fields.allSatisfy { field in
      guard !field.range.isEmpty, field.range.count <= 128 else { return false }
      return !field.range.contains { "(){}<>=;\\".utf8.contains(text.known($0)) }
    }
  }

  private static func namesColumns(_ fields: [Field], of text: RawSpan) -> Bool {
    fields.allSatisfy { field in
      guard field.range.count <= 64, let first = text[at: field.range.lowerBound] else {
        return false
      }
      let isLetter = first >= 0x80 || first == 0x5F || (0x61...0x7A).contains(first | 0x20)
      return isLetter && !field.range.contains { text.known($0) == 0x40 }
    }
  }
}
