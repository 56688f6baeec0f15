import Bytes

/// A path as the system has it: bytes, which need not be UTF-8.
package struct RawPath: Hashable, Comparable, Sendable {
  package var bytes: [UInt8]

  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The path as reports print it: bytes that are not UTF-8, and control characters, are
  /// percent-escaped one by one.
  package var description: String {
    if let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    {
      return text
    }
    var escaped = ""
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
      if first >= 0x20, first != 0x7f,
        let text = String(validating: rest.prefix(length), as: UTF8.self)
      {
        escaped += text
        rest = rest.dropFirst(length)
      } else {
        escaped += "%" + [first].hexadecimal.uppercased()
        rest = rest.dropFirst()
      }
    }
    return escaped
  }

  package func appending(_ name: [UInt8]) -> RawPath {
    if bytes.isEmpty { return RawPath(bytes: name) }
    if bytes.last == UInt8(ascii: "/") { return RawPath(bytes: bytes + name) }
    return RawPath(bytes: bytes + [UInt8(ascii: "/")] + name)
  }

  /// The names of the path, from the outermost folder on.
  package var names: [[UInt8]] {
    bytes.split(separator: UInt8(ascii: "/")).map(Array.init)
  }

  /// The last name of the path.
  package var lastName: RawPath {
    let name = bytes.reversed().drop { $0 == UInt8(ascii: "/") }
      .prefix { $0 != UInt8(ascii: "/") }
    return RawPath(bytes: name.reversed())
  }

  /// The path for a call of the C library.
  var characters: [CChar] {
    bytes.map { CChar(bitPattern: $0) } + [0]
  }

  package static func < (one: RawPath, other: RawPath) -> Bool {
    one.bytes.lexicographicallyPrecedes(other.bytes)
  }
}
