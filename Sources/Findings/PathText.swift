/// How reports print paths, which are bytes and need not be UTF-8.
package enum PathText {
  /// The path as text: bytes that are not UTF-8, and control characters, are percent-escaped one by
  /// one.
  package static func text(of bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self),
      !text.unicodeScalars.contains(where: { $0.value < 0x80 && isEscaped(UInt8($0.value)) })
    {
      return text
    }
    var escaped = ""
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
      if first >= 0x80 || !isEscaped(first),
        let text = String(validating: rest.prefix(length), as: UTF8.self)
      {
        escaped += text
        rest = rest.dropFirst(length)
      } else {
        escaped += first < 0x10 ? "%0" : "%"
        escaped += String(first, radix: 16, uppercase: true)
        rest = rest.dropFirst()
      }
    }
    return escaped
  }

  /// The bytes of a path that `text(of:)` made. A file may be named `caf%E9` in so many characters, but
  /// what is escaped can come from nothing else: an escape of a character that text shows, and of bytes
  /// that are UTF-8 together, is the name itself.
  package static func bytes(of text: String) -> [UInt8] {
    let shown = Array(text.utf8)
    guard shown.contains(UInt8(ascii: "%")) else { return shown }
    var bytes: [UInt8] = []
    var index = 0
    while index < shown.count {
      if shown[index] == UInt8(ascii: "%"), index + 2 < shown.count,
        let byte = UInt8(String(decoding: shown[index + 1...index + 2], as: UTF8.self), radix: 16),
        byte >= 0x80 || isEscaped(byte)
      {
        bytes.append(byte)
        index += 3
      } else {
        bytes.append(shown[index])
        index += 1
      }
    }
    return self.text(of: bytes) == text ? bytes : shown
  }

  /// Whether a byte of ASCII would do something to a terminal.
  private static func isEscaped(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7f }
}
