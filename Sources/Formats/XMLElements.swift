import Bytes

/// A walk over the tags of an XML text, with attributes and the place of each; no declaration is followed,
/// no tree is built, and nothing nests in memory.
package struct XMLElements: ~Escapable {
  package enum Kind: Sendable {
    case opening, closing, empty
  }

  package struct Tag: Sendable {
    package var kind: Kind
    package var name: String
    package var attributes: [(name: String, value: String)]
    /// From its `<` to behind its `>`.
    package var range: Range<Int>

    package subscript(name: String) -> String? {
      attributes.first { $0.name == name }?.value
    }
  }

  private static let mostAttributes = 256
  private static let longestValue = 1 << 16

  private let text: RawSpan
  private var offset = 0

  @_lifetime(copy text)
  package init(_ text: RawSpan) {
    self.text = text
  }

  package mutating func next() -> Tag? {
    while let mark = text.firstOffset(of: 0x3C, from: offset) {
      switch text[at: mark + 1] {
      case 0x21: skip(from: mark)
      case 0x3F: offset = end(of: "?>", from: mark)
      default: return tag(at: mark)
      }
    }
    offset = text.byteCount
    return nil
  }

  /// Comments and sections of plain text end at their own sign, a document type at its bracket.
  private mutating func skip(from mark: Int) {
    if text.hasBytes("<!--", at: mark) {
      offset = end(of: "-->", from: min(mark + 4, text.byteCount))
    } else if text.hasBytes("<![CDATA[", at: mark) {
      offset = end(of: "]]>", from: mark)
    } else {
      offset = end(of: ">", from: mark)
    }
  }

  private func end(of literal: StaticString, from start: Int) -> Int {
    text.firstOffset(of: literal, in: start..<max(start, text.byteCount)).map {
      $0 + literal.utf8CodeUnitCount
    } ?? text.byteCount
  }

  private mutating func tag(at mark: Int) -> Tag? {
    var position = mark + 1
    let isClosing = text[at: position] == 0x2F
    if isClosing { position += 1 }
    let name = word(from: &position)
    var attributes: [(name: String, value: String)] = []
    var isEmpty = false
    while let byte = text[at: position], byte != 0x3E {
      // A tag that was never closed: the next one starts here.
      if byte == 0x3C { break }
      if byte == 0x2F || isBlank(byte) || attributes.count >= Self.mostAttributes {
        isEmpty = byte == 0x2F
        position += 1
        continue
      }
      isEmpty = false
      let key = word(from: &position)
      guard !key.isEmpty else {
        position += 1
        continue
      }
      if let value = value(from: &position) { attributes.append((key, value)) }
    }
    if text[at: position] == 0x3E { position += 1 }
    offset = position
    return Tag(
      kind: isClosing ? .closing : isEmpty ? .empty : .opening, name: name, attributes: attributes,
      range: mark..<position)
  }

  private func word(from position: inout Int) -> String {
    let start = position
    while let byte = text[at: position], !isBlank(byte), byte != 0x3E, byte != 0x3D, byte != 0x2F,
      byte != 0x3C, byte != 0x22, byte != 0x27
    {
      position += 1
    }
    return text.clamped(to: start..<min(position, start + 256)).repairedText()
  }

  /// `="value"`, in either kind of quotes; it may hold `>`.
  private func value(from position: inout Int) -> String? {
    var place = position
    while let byte = text[at: place], isBlank(byte) { place += 1 }
    guard text[at: place] == 0x3D else { return nil }
    place += 1
    while let byte = text[at: place], isBlank(byte) { place += 1 }
    guard let quote = text[at: place], quote == 0x22 || quote == 0x27 else { return nil }
    let start = place + 1
    guard let close = text.firstOffset(of: quote, from: start) else { return nil }
    position = close + 1
    let stored = text.clamped(to: start..<min(close, start + Self.longestValue))
    guard let decoded = MarkupEntities.decode(stored) else { return stored.repairedText() }
    return String(decoding: decoded.bytes, as: UTF8.self)
  }
}
