/// A JSON value (RFC 8259) of a request or reply: small, and without Foundation, so that a driver starts
/// quickly.
package enum JSONValue: Equatable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  package subscript(name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  package var string: String? { if case .string(let value) = self { value } else { nil } }
  package var integer: Int? { if case .integer(let value) = self { value } else { nil } }
  package var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  package var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
  package var object: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }
  /// The strings of an array.
  package var strings: [String]? { array?.compactMap(\.string) }

  package static func strings(_ values: some Sequence<String>) -> JSONValue {
    .array(values.map(JSONValue.string))
  }
}

// MARK: Writing

extension JSONValue {
  /// The value on one line; members by name, so that equal values are equal text.
  package var text: String {
    switch self {
    case .null: return "null"
    case .boolean(let value): return value ? "true" : "false"
    case .integer(let value): return String(value)
    case .string(let value): return Self.quoted(value)
    case .array(let values): return "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members):
      let written = members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0)):\($1.text)" }
      return "{" + written.joined(separator: ",") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    // Byte by byte: what has to be written otherwise is one byte each, and all else stays as it is.
    var quoted: [UInt8] = [UInt8(ascii: "\"")]
    quoted.reserveCapacity(text.utf8.count + 2)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): quoted += [UInt8(ascii: "\\"), byte]
      case 0...0x1f, 0x7f:
        let digits = String(byte, radix: 16)
        quoted += ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8
      default: quoted.append(byte)
      }
    }
    quoted.append(UInt8(ascii: "\""))
    return String(decoding: quoted, as: UTF8.self)
  }
}

// MARK: Reading

/// The line is not a JSON value, from this byte on.
package struct JSONError: Error, Equatable {
  package var offset: Int
}

extension JSONValue {
  package init(parsing bytes: some Sequence<UInt8>) throws(JSONError) {
    var reader = JSONReader(bytes: Array(bytes))
    self = try reader.value(depth: 0)
    guard reader.isAtEnd else { throw reader.error }
  }
}

private struct JSONReader {
  private static let deepest = 32
  let bytes: [UInt8]
  private var offset = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var error: JSONError { JSONError(offset: offset) }

  var isAtEnd: Bool {
    mutating get {
      skipBlanks()
      return offset == bytes.count
    }
  }

  private mutating func skipBlanks() {
    while offset < bytes.count, [0x20, 0x09, 0x0a, 0x0d].contains(bytes[offset]) { offset += 1 }
  }

  private mutating func take(_ byte: Character) -> Bool {
    skipBlanks()
    guard offset < bytes.count, bytes[offset] == byte.asciiValue else { return false }
    offset += 1
    return true
  }

  mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth < Self.deepest else { throw error }
    skipBlanks()
    guard offset < bytes.count else { throw error }
    switch bytes[offset] {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: return try word()
    }
  }

  private mutating func object(_ depth: Int) throws(JSONError) -> JSONValue {
    offset += 1
    var members: [String: JSONValue] = [:]
    if take("}") { return .object(members) }
    repeat {
      skipBlanks()
      guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { throw error }
      let name = try string()
      guard take(":") else { throw error }
      members[name] = try value(depth: depth + 1)
    } while take(",")
    guard take("}") else { throw error }
    return .object(members)
  }

  private mutating func array(_ depth: Int) throws(JSONError) -> JSONValue {
    offset += 1
    var values: [JSONValue] = []
    if take("]") { return .array(values) }
    repeat { values.append(try value(depth: depth + 1)) } while take(",")
    guard take("]") else { throw error }
    return .array(values)
  }

  /// Whole numbers only: the protocol has no others.
  private mutating func number() throws(JSONError) -> JSONValue {
    let start = offset
    while offset < bytes.count, !",]} \t\r\n".utf8.contains(bytes[offset]) { offset += 1 }
    guard let number = Int(String(decoding: bytes[start..<offset], as: UTF8.self)) else {
      offset = start
      throw error
    }
    return .integer(number)
  }

  private mutating func word() throws(JSONError) -> JSONValue {
    for (word, value) in [("true", JSONValue.boolean(true)), ("false", .boolean(false))]
      + [("null", .null)]
    where bytes[offset...].starts(with: word.utf8) {
      offset += word.utf8.count
      return value
    }
    throw error
  }

  private mutating func string() throws(JSONError) -> String {
    offset += 1
    var units: [UInt8] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let text = String(validating: units, as: UTF8.self) else { throw error }
        return text
      case UInt8(ascii: "\\"): units += Array(String(try escaped()).utf8)
      case 0..<0x20: throw error
      default: units.append(byte)
      }
    }
    throw error
  }

  private mutating func escaped() throws(JSONError) -> Character {
    guard offset < bytes.count else { throw error }
    let letter = bytes[offset]
    offset += 1
    switch letter {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "u"): return Character(try scalar())
    default: return Character(Unicode.Scalar(letter))
    }
  }

  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let high = try codeUnit()
    if let scalar = Unicode.Scalar(high) { return scalar }
    // A pair of surrogates.
    guard (0xd800..<0xdc00).contains(high), bytes[offset...].starts(with: "\\u".utf8) else {
      throw error
    }
    offset += 2
    let low = try codeUnit()
    guard (0xdc00..<0xe000).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(high) - 0xd800) << 10 + UInt32(low) - 0xdc00)
    else { throw error }
    return scalar
  }

  private mutating func codeUnit() throws(JSONError) -> UInt16 {
    guard bytes.count - offset >= 4,
      let unit = UInt16(String(decoding: bytes[offset..<offset + 4], as: UTF8.self), radix: 16)
    else { throw error }
    offset += 4
    return unit
  }
}
