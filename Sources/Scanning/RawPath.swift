import Findings

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
  package var description: String { PathText.text(of: bytes) }

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
