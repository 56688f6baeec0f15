/// A word, a quoted name or a sign of an SQL statement.
package enum SQLToken: Equatable, Sendable {
  /// A bare word, as written.
  case word(String)
  /// "…", `…`, […] or '…', without the quotes.
  case quoted(String)
  case sign(Character)

  /// The name that a word or quoted word stands for.
  var name: String? {
    switch self {
    case .word(let text), .quoted(let text): text
    case .sign: nil
    }
  }

  /// Whether this is the keyword, in any letter case.
  func isKeyword(_ keyword: String) -> Bool {
    if case .word(let text) = self { return text.uppercased() == keyword }
    return false
  }

  /// The tokens of a statement, comments left out; hostile text ends the list, never the program.
  package static func tokens(of sql: String) -> [SQLToken] {
    var scanner = SQLScanner(bytes: Array(sql.utf8))
    var tokens: [SQLToken] = []
    while let token = scanner.next(), tokens.count < 200_000 { tokens.append(token) }
    return tokens
  }
}

private struct SQLScanner {
  let bytes: [UInt8]
  var offset = 0

  mutating func next() -> SQLToken? {
    skipSpace()
    guard offset < bytes.count else { return nil }
    let byte = bytes[offset]
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "'"): return quoted(until: byte)
    case UInt8(ascii: "["): return quoted(until: UInt8(ascii: "]"))
    default: break
    }
    let start = offset
    while offset < bytes.count, Self.isWord(bytes[offset]) { offset += 1 }
    if offset > start { return .word(String(decoding: bytes[start..<offset], as: UTF8.self)) }
    offset += 1
    return .sign(Character(Unicode.Scalar(byte)))
  }

  private mutating func skipSpace() {
    while offset < bytes.count {
      let following = offset + 1 < bytes.count ? bytes[offset + 1] : 0
      if bytes[offset] <= 0x20 {
        offset += 1
      } else if bytes[offset] == UInt8(ascii: "-"), following == UInt8(ascii: "-") {
        while offset < bytes.count, bytes[offset] != 0x0a { offset += 1 }
      } else if bytes[offset] == UInt8(ascii: "/"), following == UInt8(ascii: "*") {
        offset += 2
        while offset < bytes.count {
          let ends = bytes[offset] == UInt8(ascii: "*") && offset + 1 < bytes.count
          if ends, bytes[offset + 1] == UInt8(ascii: "/") { break }
          offset += 1
        }
        offset = min(offset + 2, bytes.count)
      } else {
        return
      }
    }
  }

  /// A quote inside is written twice, except in brackets.
  private mutating func quoted(until end: UInt8) -> SQLToken {
    offset += 1
    var content: [UInt8] = []
    while offset < bytes.count {
      if bytes[offset] == end {
        let isDoubled = offset + 1 < bytes.count && bytes[offset + 1] == end
        guard isDoubled, end != UInt8(ascii: "]") else { break }
        offset += 1
      }
      content.append(bytes[offset])
      offset += 1
    }
    offset = min(offset + 1, bytes.count)
    return .quoted(String(decoding: content, as: UTF8.self))
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...0xff:
      true
    default: false
    }
  }
}
