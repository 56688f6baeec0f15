import Bytes

/// Values that stand where a secret will be put, or that documentation shows: never a finding.
enum Placeholder {
  private static let words: [[UInt8]] = [
    "example", "changeme", "change_me", "change-me", "placeholder", "xxxx", "redacted", "dummy",
    "your_", "your-", "yourkey", "yoursecret", "yourtoken", "yourpassword", "insert", "sample",
    "notreal",
    "deadbeef", "replace", "todo", "....", "****", "....",
  ].map { Array($0.utf8) }

  private static let wholes: Set<String> = [
    "test", "password", "pass", "passwd", "pwd", "proxypass", "xyzzy", "mypass", "mypassword",
    "secret", "token", "none", "null", "nil", "true", "false", "undefined",
    "notused", "unused", "default", "foo", "bar", "foobar", "admin", "root", "user", "username",
    "empty", "string",
  ]

  static func covers(_ secret: RawSpan) -> Bool {
    guard secret.byteCount <= 512 else { return false }
    let bytes = secret.copied()
    if isTemplate(bytes) || isMonotonous(bytes) { return true }
    let folded = bytes.map { $0.isASCIIUppercase ? $0 | 0x20 : $0 }
    if wholes.contains(String(decoding: folded, as: UTF8.self)) { return true }
    return words.contains { contains(folded, $0, as: bytes) }
  }

  /// `${KEY}`, `$(KEY)`, `{{key}}`, `<key>`, `%KEY%`, `#{key}`.
  private static func isTemplate(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first, let last = bytes.last, bytes.count >= 3 else { return false }
    if first == UInt8(ascii: "<"), last == UInt8(ascii: ">") { return true }
    if first == UInt8(ascii: "%"), last == UInt8(ascii: "%") { return true }
    if first == UInt8(ascii: "["), last == UInt8(ascii: "]") { return true }
    return zip(bytes, bytes.dropFirst()).contains { one, next in
      (one == UInt8(ascii: "$") || one == UInt8(ascii: "#"))
        && (next == UInt8(ascii: "{") || next == UInt8(ascii: "("))
        || one == UInt8(ascii: "{") && next == UInt8(ascii: "{")
    }
  }

  /// Few different characters, or characters that count up or down.
  private static func isMonotonous(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 6 else { return false }
    if Set(bytes).count <= (bytes.count >= 16 ? 3 : 2) { return true }
    let steps = zip(bytes, bytes.dropFirst()).filter { one, next in
      next == one &+ 1 || next == one &- 1 || next == one
        || one == UInt8(ascii: "9")
          && (next == UInt8(ascii: "0") || next | 0x20 == UInt8(ascii: "a"))
        || one == UInt8(ascii: "f") && next == UInt8(ascii: "0")
    }
    return steps.count * 10 >= (bytes.count - 1) * 8
  }

  /// Whether a word stands somewhere, in small letters, in capitals or with one at its start: one random
  /// token in ten thousand spells `tODo`.
  private static func contains(_ folded: [UInt8], _ word: [UInt8], as bytes: [UInt8]) -> Bool {
    guard folded.count >= word.count else { return false }
    return (0...folded.count - word.count).contains { start in
      let range = start..<start + word.count
      guard folded[start] == word[0], folded[range].elementsEqual(word) else { return false }
      let rest = bytes[range].dropFirst()
      return !rest.contains(where: \.isASCIIUppercase)
        || !bytes[range].contains(where: \.isASCIILowercase)
    }
  }
}
