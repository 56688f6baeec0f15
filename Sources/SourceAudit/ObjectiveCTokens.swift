/// A word, literal or sign of Objective-C, and where it stands.
struct ObjectiveCToken: Equatable {
  enum Kind: Equatable {
    case word, number, sign
    /// Text between quotes, with or without `@` before it.
    case text
  }

  var kind: Kind
  /// The word, the sign, or the content of a literal.
  var text: String
  var range: Range<Int>
  /// Whether it stands where only a debug build sees it.
  var isDebug = false
}

/// Splits Objective-C (and C, and C++) into tokens. It knows strings, comments and the preprocessor,
/// so that no rule is deceived by a call in a comment.
struct ObjectiveCLexer {
  private let bytes: [UInt8]
  private var offset = 0
  private(set) var tokens: [ObjectiveCToken] = []
  /// `#import <os/log.h>`, `@import UIKit;`
  private(set) var imports: [(name: String, range: Range<Int>)] = []
  /// `#define NAME value`, with the tokens of the value.
  private(set) var definitions: [(name: String, parameters: Bool, value: [ObjectiveCToken])] = []
  /// One entry for each open `#if`: whether its branch is for debug builds only.
  private var conditions: [Condition] = []

  private enum Condition {
    case debug, release, other
  }

  /// More tokens than these are no source that people write.
  private static let most = 2_000_000

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    while offset < bytes.count, tokens.count < Self.most { next() }
  }

  private init(line bytes: [UInt8]) {
    self.bytes = bytes
    while offset < bytes.count, tokens.count < 4_096 { next() }
  }

  private func byte(_ index: Int) -> UInt8? { index < bytes.count ? bytes[index] : nil }

  private mutating func next() {
    let byte = bytes[offset]
    switch byte {
    case 0x20, 0x09, 0x0a, 0x0d, 0x0c, 0x0b:
      offset += 1
    case UInt8(ascii: "/") where self.byte(offset + 1) == UInt8(ascii: "/"):
      skipLine()
    case UInt8(ascii: "/") where self.byte(offset + 1) == UInt8(ascii: "*"):
      skipComment()
    case UInt8(ascii: "#") where isLineStart:
      directive()
    case UInt8(ascii: "\""):
      text(from: offset, quote: offset)
    case UInt8(ascii: "@") where self.byte(offset + 1) == UInt8(ascii: "\""):
      text(from: offset, quote: offset + 1)
    case UInt8(ascii: "'"):
      character()
    case let byte where Self.isDigit(byte):
      number()
    case let byte where Self.isLetter(byte):
      word()
    default:
      sign()
    }
  }

  private var isLineStart: Bool {
    var index = offset - 1
    while index >= 0, bytes[index] == 0x20 || bytes[index] == 0x09 { index -= 1 }
    return index < 0 || bytes[index] == 0x0a
  }

  private mutating func skipLine() {
    while offset < bytes.count, bytes[offset] != 0x0a { offset += 1 }
  }

  private mutating func skipComment() {
    offset += 2
    while offset + 1 < bytes.count,
      !(bytes[offset] == UInt8(ascii: "*") && bytes[offset + 1] == UInt8(ascii: "/"))
    {
      offset += 1
    }
    offset = min(offset + 2, bytes.count)
  }

  private mutating func add(_ kind: ObjectiveCToken.Kind, _ text: String, from start: Int) {
    tokens.append(
      ObjectiveCToken(
        kind: kind, text: text, range: start..<offset, isDebug: conditions.contains(.debug)))
  }

  private mutating func text(from start: Int, quote: Int) {
    offset = quote + 1
    var content: [UInt8] = []
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""), bytes[offset] != 0x0a {
      if bytes[offset] == UInt8(ascii: "\\"), offset + 1 < bytes.count {
        content.append(bytes[offset])
        offset += 1
      }
      content.append(bytes[offset])
      offset += 1
    }
    offset = min(offset + 1, bytes.count)
    let text = String(decoding: content, as: UTF8.self)
    // Literals beside each other are one.
    if let last = tokens.last, last.kind == .text {
      tokens[tokens.count - 1].text += text
      tokens[tokens.count - 1].range = last.range.lowerBound..<offset
    } else {
      add(.text, text, from: start)
    }
  }

  private mutating func character() {
    let start = offset
    offset += 1
    while offset < bytes.count, bytes[offset] != UInt8(ascii: "'"), bytes[offset] != 0x0a {
      offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    offset = min(offset + 1, bytes.count)
    add(.number, String(decoding: bytes[start..<offset], as: UTF8.self), from: start)
  }

  private mutating func number() {
    let start = offset
    while offset < bytes.count,
      Self.isLetter(bytes[offset]) || Self.isDigit(bytes[offset])
        || bytes[offset] == UInt8(ascii: ".")
    {
      offset += 1
    }
    add(.number, String(decoding: bytes[start..<offset], as: UTF8.self), from: start)
  }

  private mutating func word() {
    let start = offset
    while offset < bytes.count, Self.isLetter(bytes[offset]) || Self.isDigit(bytes[offset]) {
      offset += 1
    }
    add(.word, String(decoding: bytes[start..<offset], as: UTF8.self), from: start)
  }

  private mutating func sign() {
    let start = offset
    offset += Self.isPair(bytes[offset], byte(offset + 1)) ? 2 : 1
    add(.sign, String(decoding: bytes[start..<offset], as: UTF8.self), from: start)
  }

  /// Whether two bytes are one sign: `->`, `==`, `&&`, `::`.
  private static func isPair(_ first: UInt8, _ second: UInt8?) -> Bool {
    switch second {
    case UInt8(ascii: "=")?:
      [
        UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"),
        UInt8(ascii: "+"), UInt8(ascii: "-"),
      ].contains(first)
    case UInt8(ascii: ">")?: first == UInt8(ascii: "-")
    case UInt8(ascii: "&")?, UInt8(ascii: "|")?, UInt8(ascii: ":")?, UInt8(ascii: "+")?,
      UInt8(ascii: "-")?:
      first == second
    default: false
    }
  }

  // MARK: The preprocessor

  private mutating func directive() {
    let start = offset
    var line: [UInt8] = []
    while offset < bytes.count, bytes[offset] != 0x0a {
      if bytes[offset] == UInt8(ascii: "\\"), byte(offset + 1) == 0x0a {
        line.append(0x20)
        offset += 2
        continue
      }
      line.append(bytes[offset])
      offset += 1
    }
    let words = String(decoding: line.dropFirst(), as: UTF8.self).split(
      maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
    guard let name = words.first else { return }
    let rest = words.count > 1 ? words[1].trimmed : ""
    switch name {
    case "import", "include": addImport(rest, start..<offset)
    case "define": addDefinition(rest)
    case "if", "ifdef", "ifndef": conditions.append(Self.condition(String(name), rest))
    case "else", "elif": flip()
    case "endif": _ = conditions.popLast()
    default: break
    }
    if conditions.count > 256 { conditions.removeFirst() }
  }

  private static func condition(_ name: String, _ text: String) -> Condition {
    guard SourceFile.debugWords.contains(where: { text.contains($0) }) else { return .other }
    let isNegated = name == "ifndef" || text.contains("!")
    return isNegated ? .release : .debug
  }

  private mutating func flip() {
    guard let last = conditions.popLast() else { return }
    conditions.append(last == .release ? .debug : last == .debug ? .release : .other)
  }

  private mutating func addImport(_ text: String, _ range: Range<Int>) {
    let name = text.filter { !"<>\"".contains($0) }
    imports.append((name.hasSuffix(".h") ? String(name.dropLast(2)) : name, range))
  }

  private mutating func addDefinition(_ text: String) {
    let name = text.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    guard !name.isEmpty, definitions.count < 4_096 else { return }
    var rest = text.dropFirst(name.count)
    let hasParameters = rest.first == "("
    if hasParameters, let end = rest.firstIndex(of: ")") { rest = rest[rest.index(after: end)...] }
    let value = ObjectiveCLexer(line: Array(rest.utf8)).tokens
    // What a debug build defines, and a release build defines otherwise, is known from the latter.
    if conditions.contains(.debug) { return }
    definitions.append((String(name), hasParameters, value))
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x61 && byte <= 0x7a || byte >= 0x41 && byte <= 0x5a || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "$") || byte >= 0x80
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte >= 0x30 && byte <= 0x39 }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
