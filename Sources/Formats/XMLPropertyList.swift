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

  /// Whether `head` starts a property list: its document type or its root element says so, however the
  /// declarations before it are written. Mapping models and other documents hold one.
  package static func recognises(_ head: RawSpan) -> Bool {
    let end = min(head.byteCount, 4096)
    var offset = head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let byte = head[at: offset] {
      if isBlank(byte) {
        offset += 1
        continue
      }
      guard byte == 0x3C, offset < end else { return false }
      let next: Int?
      if head.hasBytes("<?", at: offset) {
        next = head.firstOffset(of: "?>", in: offset..<end).map { $0 + 2 }
      } else if head.hasBytes("<!--", at: offset) {
        next = head.firstOffset(of: "-->", in: offset..<end).map { $0 + 3 }
      } else if let name = documentType(in: head, at: offset) {
        if head.clamped(to: name).repairedText().lowercased() == "plist" { return true }
        next = declarationEnd(in: head.clamped(to: 0..<end), from: name.upperBound)
      } else {
        guard head.hasBytes("<plist", at: offset) else { return false }
        guard let byte = head[at: offset + 6] else { return true }
        return isBlank(byte) || byte == 0x3E || byte == 0x2F
      }
      guard let next else { return false }
      offset = next
    }
    return false
  }

  /// Where the name in `<!DOCTYPE name` stands, in whatever case and with whatever blanks it is written.
  private static func documentType(in text: RawSpan, at mark: Int) -> Range<Int>? {
    let word = text.clamped(to: mark..<mark + 9)
    guard word.hasBytes("<!"), word.repairedText().lowercased() == "<!doctype" else { return nil }
    var start = mark + 9
    while let byte = text[at: start], isBlank(byte) { start += 1 }
    var end = start
    while let byte = text[at: end], !isBlank(byte), byte != 0x3E, byte != 0x5B, end - start < 64 {
      end += 1
    }
    return start..<end
  }

  /// The end of a declaration with its quoted texts and internal subset; nothing where it has none.
  private static func declarationEnd(in text: RawSpan, from start: Int) -> Int? {
    var offset = start
    var depth = 0
    while let byte = text[at: offset] {
      switch byte {
      case 0x22, 0x27:
        guard let close = text.firstOffset(of: byte, from: offset + 1) else { return nil }
        offset = close
      case 0x3C where text.hasBytes("<!--", at: offset):
        guard let close = text.firstOffset(of: "-->", in: offset..<text.byteCount) else {
          return nil
        }
        offset = close + 2
      case 0x5B: depth += 1
      case 0x5D: depth -= 1
      case 0x3E where depth <= 0: return offset + 1
      default: break
      }
      offset += 1
    }
    return nil
  }

  private enum Element {
    case key, string, data, date, integer, real, yes, no, dictionary, array, document

    init?(named name: RawSpan) {
      switch name.byteCount {
      case 3 where name.hasBytes("key"): self = .key
      case 6 where name.hasBytes("string"), 7 where name.hasBytes("ustring"): self = .string
      case 7 where name.hasBytes("integer"): self = .integer
      case 4 where name.hasBytes("dict"): self = .dictionary
      case 5 where name.hasBytes("array"): self = .array
      case 4 where name.hasBytes("data"): self = .data
      case 4 where name.hasBytes("date"): self = .date
      case 4 where name.hasBytes("real"): self = .real
      case 4 where name.hasBytes("true"): self = .yes
      case 5 where name.hasBytes("false"): self = .no
      case 5 where name.hasBytes("plist"): self = .document
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
      if let name = XMLPropertyList.documentType(in: text, at: mark),
        let end = XMLPropertyList.declarationEnd(in: text, from: name.upperBound)
      {
        offset = end
        return
      }
      // What is damaged ends as early as it can, so that most of the list stays readable.
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
      let stored = text.clamped(to: content)
      let value: (PropertyList.Kind, UInt64)? =
        switch element {
        case .integer: stored.decimalInteger().map { (.integer, UInt64(bitPattern: $0)) }
        case .real: Double(stored.trimmedText(limit: 40)).map { (.real, $0.bitPattern) }
        default:
          ReferenceDate(parsing: stored.trimmedText(limit: 40)).map {
            (.date, $0.seconds.bitPattern)
          }
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
    let start = firstNonBlank(in: 0..<byteCount)
    var end = byteCount
    while end > start, isBlank(known(end - 1)) { end -= 1 }
    return end - start <= limit ? clamped(to: start..<end).repairedText() : ""
  }

  /// A decimal integer, without the cost of a text.
  func decimalInteger() -> Int64? {
    let text = clamped(to: firstNonBlank(in: 0..<byteCount)..<byteCount)
    var value: Int64 = 0
    var offset = text[at: 0] == 0x2D || text[at: 0] == 0x2B ? 1 : 0
    let isNegative = text[at: 0] == 0x2D
    guard text.byteCount > offset, text.byteCount <= 24 else { return nil }
    while let byte = text[at: offset], (0x30...0x39).contains(byte) {
      let (product, isOver) = value.multipliedReportingOverflow(by: 10)
      let digit = Int64(byte - 0x30)
      let (sum, isBeyond) = product.addingReportingOverflow(isNegative ? -digit : digit)
      if isOver || isBeyond { return nil }
      value = sum
      offset += 1
    }
    return text.firstNonBlank(in: offset..<text.byteCount) == text.byteCount ? value : nil
  }
}
