/// Reads JSON (RFC 8259) strictly and within bounds, one value at a time, so that a long list need not
/// be held as a tree.
struct JSONReader {
  typealias Failure = JSONNode.Failure

  /// Nesting beyond this is refused; a report needs five levels.
  private static let mostDepth = 32
  /// Members of one object; names are compared with one another.
  private static let mostMembers = 256

  private let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private func failure(_ problem: String) -> Failure { Failure(problem: problem, offset: offset) }

  private mutating func skipBlanks() {
    while offset < bytes.count, [0x20, 0x0a, 0x0d, 0x09].contains(bytes[offset]) { offset += 1 }
  }

  /// The next byte that is not blank.
  private mutating func peek() throws(Failure) -> UInt8 {
    skipBlanks()
    guard offset < bytes.count else { throw failure("the text ends too early") }
    return bytes[offset]
  }

  private mutating func expect(_ character: Unicode.Scalar) throws(Failure) {
    guard try peek() == UInt8(ascii: character) else {
      throw failure("\"\(character)\" is wanted here")
    }
    offset += 1
  }

  /// Ends the text: nothing but blanks may follow.
  mutating func end() throws(Failure) {
    skipBlanks()
    guard offset == bytes.count else { throw failure("something follows the end") }
  }

  /// Reads an object; `member` gets the reader where the value of each name starts.
  mutating func object(
    _ member: (inout JSONReader, String) throws(Failure) -> Void
  ) throws(Failure) {
    try expect("{")
    if try peek() == UInt8(ascii: "}") {
      offset += 1
      return
    }
    var names: [String] = []
    while true {
      skipBlanks()
      let name = try string()
      guard !names.contains(name) else { throw failure("a name stands here twice") }
      names.append(name)
      guard names.count <= Self.mostMembers else { throw failure("too many members") }
      try expect(":")
      try member(&self, name)
      guard try peek() == UInt8(ascii: ",") else { break }
      offset += 1
    }
    try expect("}")
  }

  /// Reads a list; `item` gets the reader where each item starts.
  mutating func array(_ item: (inout JSONReader) throws(Failure) -> Void) throws(Failure) {
    try expect("[")
    if try peek() == UInt8(ascii: "]") {
      offset += 1
      return
    }
    while true {
      try item(&self)
      guard try peek() == UInt8(ascii: ",") else { break }
      offset += 1
    }
    try expect("]")
  }

  /// Reads any value as a tree.
  mutating func node(depth: Int = 0) throws(Failure) -> JSONNode {
    guard depth < Self.mostDepth else { throw failure("nested too deeply") }
    let first = try peek()
    let start = offset
    switch first {
    case UInt8(ascii: "{"):
      var members: [(name: String, value: JSONNode)] = []
      try object { (reader, name) throws(Failure) in
        members.append((name, try reader.node(depth: depth + 1)))
      }
      return JSONNode(value: .object(members), offset: start)
    case UInt8(ascii: "["):
      var items: [JSONNode] = []
      try array { reader throws(Failure) in items.append(try reader.node(depth: depth + 1)) }
      return JSONNode(value: .array(items), offset: start)
    case UInt8(ascii: "\""):
      return JSONNode(value: .string(try string()), offset: start)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return JSONNode(value: .number(try number()), offset: start)
    default:
      return JSONNode(value: try word(), offset: start)
    }
  }

  private mutating func word() throws(Failure) -> JSONNode.Value {
    for (word, value) in [
      ("null", JSONNode.Value.null), ("true", .boolean(true)), ("false", .boolean(false)),
    ] where bytes[offset...].starts(with: word.utf8) {
      offset += word.utf8.count
      return value
    }
    throw failure("a value is wanted here")
  }

  private mutating func number() throws(Failure) -> String {
    let start = offset
    if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
    let isZero = offset < bytes.count && bytes[offset] == UInt8(ascii: "0")
    let whole = digits()
    guard whole > 0, !isZero || whole == 1 else { throw failure("a number is wanted here") }
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      guard digits() > 0 else { throw failure("a digit is wanted here") }
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      if offset < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[offset]) {
        offset += 1
      }
      guard digits() > 0 else { throw failure("a digit is wanted here") }
    }
    guard offset - start <= 64 else { throw failure("a number is too long") }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private mutating func digits() -> Int {
    let start = offset
    while offset < bytes.count, bytes[offset] &- UInt8(ascii: "0") < 10 { offset += 1 }
    return offset - start
  }

  private mutating func string() throws(Failure) -> String {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
      throw failure("a string is wanted here")
    }
    offset += 1
    let start = offset
    while offset < bytes.count, bytes[offset] >= 0x20, bytes[offset] != UInt8(ascii: "\""),
      bytes[offset] != UInt8(ascii: "\\")
    { offset += 1 }
    var text = Array(bytes[start..<offset])
    while true {
      guard offset < bytes.count else { throw failure("a string has no end") }
      let byte = bytes[offset]
      guard byte >= 0x20 else { throw failure("a control character stands in a string") }
      offset += 1
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
    }
    guard let text = String(validating: text, as: UTF8.self) else {
      throw failure("a string is not UTF-8")
    }
    return text
  }

  private mutating func escape(into text: inout [UInt8]) throws(Failure) {
    guard offset < bytes.count else { throw failure("a string has no end") }
    let letter = bytes[offset]
    offset += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"): text += Array(try scalar().utf8)
    default: throw failure("an unknown escape")
    }
  }

  /// The character behind `\u`, of two units where it takes two.
  private mutating func scalar() throws(Failure) -> String {
    var units = [try unit()]
    if UTF16.isLeadSurrogate(units[0]) {
      guard bytes[offset...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
        throw failure("half a character")
      }
      offset += 2
      units.append(try unit())
    }
    guard let text = String(validating: units, as: UTF16.self) else {
      throw failure("half a character")
    }
    return text
  }

  private mutating func unit() throws(Failure) -> UInt16 {
    guard offset + 4 <= bytes.count,
      let unit = UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16),
      bytes[offset] != UInt8(ascii: "+")
    else { throw failure("four hexadecimal digits are wanted here") }
    offset += 4
    return unit
  }
}
