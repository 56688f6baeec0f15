import Bytes

/// An old-style property list, in UTF-8: NeXT's and GNUstep's `{ key = value; }`, `( … )`, `<hex>`, and
/// files of localised strings, which are the inside of one dictionary.
package struct OpenStepPropertyList: Sendable {
  package let list: PropertyList

  package init(parsing text: RawSpan) throws(PropertyListError) {
    guard text.byteCount <= PropertyList.sizeLimit else { throw .tooLarge }
    guard Self.recognises(text) else { throw .foreign }
    var parser = Parser()
    parser.parse(text)
    list = parser.assembly.finish(at: text.byteCount)
  }

  /// Whether `head` starts with a key and an equals sign, in braces or not, which must be quoted when
  /// there are none: a bare `key = value` is any kind of configuration file.
  package static func recognises(_ head: RawSpan) -> Bool {
    startsList(head) && TextLikeness.isText(head)
  }

  private static func startsList(_ head: RawSpan) -> Bool {
    var tokens = OpenStepTokens(head, at: head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0)
    switch tokens.next() {
    case .open(.dictionary):
      guard let first = tokens.next() else { return false }
      if first == .close { return tokens.next() == nil }
      guard first.isString else { return false }
      let second = tokens.next()
      // Perl's `=>` is no equals sign.
      return second == .equals ? tokens.next() != .foreign : second == .separator && first.isQuoted
    case .open: return startsArray(head)
    case .string(_, _, true):
      return tokens.next() == .equals && tokens.next()?.isString == true
        && [.separator, nil].contains(tokens.next())
    default: return false
    }
  }

  /// Whether an array of quoted strings or of dictionaries starts here, and nothing follows it. Source code
  /// that was cut starts with quoted words in parentheses too.
  private static func startsArray(_ head: RawSpan) -> Bool {
    var tokens = OpenStepTokens(head, at: head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0)
    guard tokens.next() == .open(.array), let first = tokens.next() else { return false }
    var depth = 1
    switch first {
    case .open(.dictionary):
      depth = 2
      guard tokens.next()?.isString == true, tokens.next() == .equals else { return false }
    case .string(_, _, true):
      let second = tokens.next()
      if second == .close { return tokens.next() == nil }
      guard second == .comma else { return false }
    default: return false
    }
    while let token = tokens.next() {
      switch token {
      case .foreign: return false
      case .open: depth += 1
      case .close:
        depth -= 1
        if depth == 0 { return tokens.next() == nil }
      default: break
      }
    }
    return true
  }

  private struct Parser {
    var assembly = PropertyListAssembly()

    mutating func parse(_ text: RawSpan) {
      var tokens = OpenStepTokens(text, at: text.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0)
      var isFirst = true
      while !assembly.isFull, let token = tokens.next() {
        if isFirst, token.isString { assembly.open(.dictionary, at: 0) }
        isFirst = false
        add(token, endingAt: tokens.offset, of: text)
      }
      // The braces of a strings file are never written.
      if text.byteCount > 0, tokens.isStringsFile, assembly.depth == 1 {
        assembly.close(at: text.byteCount)
      }
    }

    private mutating func add(_ token: OpenStepTokens.Token, endingAt end: Int, of text: RawSpan) {
      switch token {
      case .open(let kind): assembly.open(kind, at: end - 1)
      case .close:
        if assembly.depth > 0 {
          if assembly.openKind == .dictionary { assembly.repeatKey() }
          assembly.close(at: end)
        } else {
          assembly.report(.badNesting, at: end - 1)
        }
      case .separator, .comma:
        if assembly.openKind == .dictionary { assembly.repeatKey() }
      case .equals: break
      case .string(let content, let isEscaped, _):
        let node = PropertyList.Node(
          .string, storage: isEscaped ? .quoted : .asStored, range: content, content: content)
        assembly.add(node, isKey: assembly.expectsKey)
      case .data(let content):
        let node = PropertyList.Node(
          .data, storage: .hexadecimal, range: content, content: content)
        assembly.add(node)
      case .foreign: assembly.report(.unexpected, at: end - 1)
      }
    }
  }
}
