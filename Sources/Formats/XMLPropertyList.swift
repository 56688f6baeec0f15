import Bytes

/// A property list in XML, in UTF-8 (Apple's PropertyList-1.0.dtd). The tokenizer is its own and
/// tolerant: no declaration is followed, nothing is fetched, and what was read before damage stays.
package struct XMLPropertyList: Sendable {
  package let list: PropertyList

  package init(parsing text: RawSpan) throws(PropertyListError) {
    guard text.byteCount <= PropertyList.sizeLimit else { throw .tooLarge }
    guard Self.recognises(text) else { throw .foreign }
    var parser = Parser()
    parser.parse(text)
    list = parser.assembly.finish(at: text.byteCount)
  }

  /// Whether `head` starts a property list: `<plist`, or XML with that element or document type soon.
  package static func recognises(_ head: RawSpan) -> Bool {
    var start = head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let byte = head[at: start], isBlank(byte) { start += 1 }
    guard head[at: start] == 0x3C else { return false }
    let window = start..<min(head.byteCount, start + 4096)
    return head.firstOffset(of: "<plist", in: window) != nil
      || head.firstOffset(of: "<!DOCTYPE plist", in: window) != nil
  }

  private enum Element {
    case key, string, data, date, integer, real, yes, no, dictionary, array, document

    init?(named name: RawSpan) {
      switch name.repairedText() {
      case "key": self = .key
      case "string", "ustring": self = .string
      case "data": self = .data
      case "date": self = .date
      case "integer": self = .integer
      case "real": self = .real
      case "true": self = .yes
      case "false": self = .no
      case "dict": self = .dictionary
      case "array": self = .array
      case "plist": self = .document
      default: return nil
      }
    }
  }

  private struct Parser {
    var assembly = PropertyListAssembly()
    var offset = 0

    mutating func parse(_ text: RawSpan) {
      while !assembly.isFull, let mark = text.firstOffset(of: 0x3C, from: offset) {
        switch text[at: mark + 1] {
        case 0x21: skipDeclaration(text, at: mark)
        case 0x3F:
          let end = text.firstOffset(of: "?>", in: mark..<text.byteCount)
          offset = end.map { $0 + 2 } ?? text.byteCount
        case 0x2F: closeTag(text, at: mark)
        default: openTag(text, at: mark)
        }
      }
    }

    /// A comment, a document type with its internal subset, or a stray section.
    private mutating func skipDeclaration(_ text: RawSpan, at mark: Int) {
      if text.hasBytes("<!--", at: mark) {
        let end = text.firstOffset(of: "-->", in: min(mark + 4, text.byteCount)..<text.byteCount)
        offset = end.map { $0 + 3 } ?? text.byteCount
        return
      }
      var end = text.firstOffset(of: 0x3E, from: mark) ?? text.byteCount
      if let subset = text.firstOffset(of: 0x5B, in: mark..<end) {
        let close = text.firstOffset(of: 0x5D, from: subset) ?? text.byteCount
        end = text.firstOffset(of: 0x3E, from: close) ?? text.byteCount
      }
      offset = min(end + 1, text.byteCount)
    }

    private mutating func closeTag(_ text: RawSpan, at mark: Int) {
      let end = text.firstOffset(of: 0x3E, from: mark) ?? text.byteCount
      offset = min(end + 1, text.byteCount)
      switch Element(named: Self.name(in: text, from: mark + 2, to: end)) {
      case .dictionary where assembly.openKind == .dictionary:
        assembly.close(at: offset)
        assembly.foldReference(in: text)
      case .array where assembly.openKind == .array:
        assembly.close(at: offset)
      case .dictionary, .array: assembly.report(.badNesting, at: mark)
      default: break
      }
    }

    private mutating func openTag(_ text: RawSpan, at mark: Int) {
      guard let end = text.firstOffset(of: 0x3E, from: mark) else {
        assembly.report(.truncated, at: mark)
        offset = text.byteCount
        return
      }
      offset = end + 1
      let isEmpty = text.known(end - 1) == 0x2F
      guard let element = Element(named: Self.name(in: text, from: mark + 1, to: end)) else {
        assembly.report(.unexpected, at: mark)
        return
      }
      switch element {
      case .document: break
      case .dictionary: container(.dictionary, at: mark, isEmpty: isEmpty)
      case .array: container(.array, at: mark, isEmpty: isEmpty)
      case .yes, .no:
        let range = mark..<offset
        assembly.add(PropertyList.Node(.boolean, range: range, bits: element == .yes ? 1 : 0))
      default: leaf(element, of: text, at: mark, isEmpty: isEmpty)
      }
    }

    private mutating func container(_ kind: PropertyList.Kind, at mark: Int, isEmpty: Bool) {
      assembly.open(kind, at: mark)
      if isEmpty { assembly.close(at: offset) }
    }

    private mutating func leaf(
      _ element: Element, of text: RawSpan, at mark: Int, isEmpty: Bool
    ) {
      let start = offset
      let (end, isPlain) = isEmpty ? (start, true) : MarkupText.end(of: text, from: start)
      if end == text.byteCount, !isEmpty { assembly.report(.truncated, at: mark) }
      offset = end
      let content = start..<end
      let storage: PropertyList.Storage = isPlain ? .asStored : .markup
      switch element {
      case .data:
        assembly.add(.init(.data, storage: .base64, range: mark..<end, content: content))
      case .integer, .real, .date:
        assembly.add(Self.number(element, of: text, in: content))
      default:
        assembly.add(
          .init(.string, storage: storage, range: mark..<end, content: content),
          isKey: element == .key)
      }
    }

    /// A number or date; what does not parse stays text.
    private static func number(
      _ element: Element, of text: RawSpan, in content: Range<Int>
    ) -> PropertyList.Node {
      let written = text.clamped(to: content).trimmedText(limit: 40)
      let value: (PropertyList.Kind, UInt64)? =
        switch element {
        case .integer: Int64(written).map { (.integer, UInt64(bitPattern: $0)) }
        case .real: Double(written).map { (.real, $0.bitPattern) }
        default: ReferenceDate(parsing: written).map { (.date, $0.seconds.bitPattern) }
        }
      guard let (kind, bits) = value else {
        return PropertyList.Node(.string, storage: .asStored, range: content, content: content)
      }
      var node = PropertyList.Node(kind, range: content, bits: bits)
      node.storage = .written
      return node
    }

    /// The name of a tag, without attributes.
    @_lifetime(copy text)
    private static func name(in text: RawSpan, from start: Int, to end: Int) -> RawSpan {
      var stop = start
      while stop < end, stop - start < 16, let byte = text[at: stop], !isBlank(byte), byte != 0x2F {
        stop += 1
      }
      return text.clamped(to: start..<stop)
    }
  }
}

extension RawSpan {
  /// The bytes as text without blanks around it, for numbers; long ones are none.
  func trimmedText(limit: Int) -> String {
    guard byteCount <= limit else { return "" }
    return String(repairedText().drop { $0.isWhitespace }.prefix { !$0.isWhitespace })
  }
}
