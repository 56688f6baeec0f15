/// Writes JSON (RFC 8259) member by member; layout is decided where it is called.
package struct JSONWriter {
  /// A JSON value that is already text.
  package struct Value {
    package var text: String

    package static func string(_ value: String) -> Value { Value(text: JSONWriter.quoted(value)) }
    package static func integer(_ value: some BinaryInteger) -> Value { Value(text: String(value)) }
    package static func boolean(_ value: Bool) -> Value { Value(text: value ? "true" : "false") }
    package static let null = Value(text: "null")

    /// A number with at most six decimals; never NaN or infinite, which JSON does not know.
    package static func number(_ value: Double) -> Value {
      guard value.isFinite else { return .null }
      let rounded = (value * 1e6).rounded() / 1e6
      if let whole = Int(exactly: rounded) { return Value(text: String(whole)) }
      return Value(text: "\(rounded)")
    }

    /// A number that reads back as the very same.
    package static func exact(_ value: Double) -> Value {
      guard value.isFinite else { return .null }
      return Value(text: Int(exactly: value).map { String($0) } ?? "\(value)")
    }

    package static func array(_ values: some Sequence<Value>) -> Value {
      Value(text: "[" + values.map(\.text).joined(separator: ", ") + "]")
    }

    /// An object of the members that have a value, in the order given.
    package static func object(_ members: [(String, Value?)]) -> Value {
      let written = members.compactMap { name, value in
        value.map { "\(JSONWriter.quoted(name)): \($0.text)" }
      }
      return Value(text: "{" + written.joined(separator: ", ") + "}")
    }

    package static func optional(_ value: String?) -> Value? { value.map(Value.string) }
  }

  package static func quoted(_ text: String) -> String {
    // Most text needs no escape: it is copied as it is.
    if text.utf8.allSatisfy(isPlain) { return "\"" + text + "\"" }
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      // Line separators, what turns the direction of text, the byte order mark (which some readers
      // drop) and the marks of HTML are escaped too, so that a report stays harmless and whole
      // wherever it is pasted.
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}"..."\u{202e}",
        "\u{2066}"..."\u{2069}", "\u{feff}", "<", ">", "&":
        quoted += escape(scalar)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// Bytes of ASCII that stand for themselves.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "&"):
      false
    default: byte >= 0x20 && byte < 0x7f
    }
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
