import Findings
import RuleEngine

/// Covers values that rules found in one file where they are also names in it: a token that is a key of
/// a dictionary stands in the locator of whatever lies below that key.
struct ValueVeil {
  /// Values by their first four bytes, the longest first. There may be thousands, and every name of
  /// every finding is looked at.
  private var values: [UInt32: [[UInt8]]] = [:]

  private static let shortest = 4

  init(_ found: [[UInt8]]) {
    for value in Set(found) where value.count >= Self.shortest {
      // In a locator a `!` is escaped.
      let escaped = value.flatMap { $0 == UInt8(ascii: "!") ? Array("%21".utf8) : [$0] }
      for text in Set([value, escaped]) {
        values[Self.start(of: text[...]), default: []].append(text)
      }
    }
    for start in values.keys { values[start]?.sort { $0.count > $1.count } }
  }

  var isEmpty: Bool { values.isEmpty }

  /// The text with every value in it replaced by dots.
  func cover(_ text: String) -> String {
    var rest = Array(text.utf8)[...]
    var covered: [UInt8] = []
    var isChanged = false
    while let first = rest.first {
      if rest.count >= Self.shortest, let known = values[Self.start(of: rest)],
        let value = known.first(where: { rest.starts(with: $0) })
      {
        covered += Array(Redaction.dots.utf8)
        rest = rest.dropFirst(value.count)
        isChanged = true
      } else {
        covered.append(first)
        rest = rest.dropFirst()
      }
    }
    return isChanged ? String(decoding: covered, as: UTF8.self) : text
  }

  private static func start(of bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.prefix(shortest).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
