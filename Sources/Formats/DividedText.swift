import Bytes

/// The text of a document in HTML or XML as a person reads it: tags inside of words and sentences leave no
/// trace. Word processors divide text at every change of spelling or revision (ECMA-376, §17.3.2).
package enum DividedText {
  /// Longer paragraphs are handed over in parts.
  private static let mostBytes = 1 << 16
  private static let longestTag = 1 << 16

  /// Calls `body` with each paragraph that tags divide; what they do not divide lies in the source as it is.
  ///
  /// - Parameter isLast: whether the document ends with `text`.
  /// - Returns: up to where it was read: a paragraph that may go on behind `text` is left for the next piece.
  @discardableResult
  package static func paragraphs(
    of text: RawSpan, isLast: Bool = true, _ body: (DecodedBytes) -> Void
  ) -> Int {
    var paragraph = Paragraph()
    var offset = 0
    // Behind the last tag that ended a paragraph.
    var whole = 0
    while offset < text.byteCount {
      let tag = text.firstOffset(of: UInt8(ascii: "<"), from: offset) ?? text.byteCount
      paragraph.add(offset..<tag, of: text)
      if paragraph.count > mostBytes { paragraph.end(body) }
      guard tag < text.byteCount else { break }
      guard let behind = end(ofTag: tag, in: text, isLast: isLast) else { break }
      offset = behind
      let name = Name(of: tag + 1, in: text)
      if name.hidesContent { offset = end(ofElement: name, from: offset, in: text) }
      if name.isInside {
        paragraph.divide(isSpaced: name.isSpaced)
      } else if offset < text.byteCount || isLast {
        paragraph.end(body)
        whole = offset
      }
    }
    guard !isLast, whole > 0 else {
      paragraph.end(body)
      return text.byteCount
    }
    return whole
  }

  /// Behind the bracket that ends a tag or comment; a bracket without one is text.
  /// Nothing where it may end behind the text.
  private static func end(ofTag start: Int, in text: RawSpan, isLast: Bool) -> Int? {
    let most = min(text.byteCount, start + longestTag)
    if text.clamped(to: start..<most).hasBytes("<!--") {
      return text.firstOffset(of: "-->", in: start..<text.byteCount).map { $0 + 3 }
        ?? text.byteCount
    }
    if let end = text.firstOffset(of: UInt8(ascii: ">"), in: start..<most) { return end + 1 }
    return isLast || most < text.byteCount ? start + 1 : nil
  }

  private static func end(ofElement name: Name, from start: Int, in text: RawSpan) -> Int {
    let closing: StaticString = name.isScript ? "</script" : "</style"
    return text.firstOffset(of: closing, in: start..<text.byteCount) ?? text.byteCount
  }

  /// What a tag is called, in small letters: a number made of them, since every tag of every document is
  /// looked up.
  private struct Name {
    private var letters: UInt64 = 0
    private var hasColon = false
    /// Whether it is one of WordprocessingML or DrawingML.
    private let isOfWordProcessor: Bool
    private let isClosing: Bool

    init(of start: Int, in source: RawSpan) {
      isClosing = source[at: start] == UInt8(ascii: "/")
      let first = isClosing ? start + 1 : start
      let prefix = (source[at: first] ?? 0) | 0x20
      isOfWordProcessor =
        (prefix == UInt8(ascii: "w") || prefix == UInt8(ascii: "a"))
        && source[at: first + 1] == UInt8(ascii: ":")
      var count = 0
      while count < 24, let byte = source[at: first + count],
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
      {
        hasColon = hasColon || byte == UInt8(ascii: ":")
        letters = Self.adding(byte.isASCIIUppercase ? byte | 0x20 : byte, at: count, to: letters)
        count += 1
      }
    }

    /// A byte each; letters from the ninth on are laid over the first ones, with a bit that those of short
    /// names do not have.
    private static func adding(_ byte: UInt8, at index: Int, to letters: UInt64) -> UInt64 {
      letters ^ UInt64(byte) << UInt64(8 * (index & 7)) | (index < 8 ? 0 : 1 << 63)
    }

    private static func letters(_ name: String) -> UInt64 {
      name.utf8.enumerated().reduce(0) { adding($1.element, at: $1.offset, to: $0) }
    }

    private static let phrasing: Set<UInt64> = Set(
      [
        "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i",
        "ins",
        "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt",
        "u",
        "var", "wbr",
        // Runs of shared strings (SpreadsheetML) and spans of OpenDocument.
        "r", "t", "rpr", "text:span", "text:a",
      ].map(letters))
    /// Of WordprocessingML and DrawingML; what is not of these stands inside of a paragraph.
    private static let blocks: Set<UInt64> = Set(
      [
        "w:p", "w:br", "w:tab", "w:tc", "w:tr", "w:tbl", "w:body", "w:cr", "a:p", "a:br", "a:tc",
      ].map(letters))
    private static let script = letters("script")
    private static let style = letters("style")

    /// Whether it stands inside of a paragraph and says nothing of where words end.
    var isInside: Bool {
      Self.phrasing.contains(letters) || isOfWordProcessor && !Self.blocks.contains(letters)
    }
    /// Whether white space beside it is text.
    var isSpaced: Bool { !hasColon }
    var isScript: Bool { letters == Self.script }
    var hidesContent: Bool { !isClosing && (isScript || letters == Self.style) }
  }

  /// Text that is being put together: only once a tag has divided it, since most is not.
  private struct Paragraph {
    private var text = DecodedBytes()
    /// What stands before the first tag that divides it.
    private var first = 0..<0
    private var isBehindTag = false
    private var dropsLayout = false

    var count: Int { isDivided ? text.bytes.count : first.count }
    private var isDivided: Bool { !text.bytes.isEmpty }

    mutating func add(_ range: Range<Int>, of source: RawSpan) {
      guard !range.isEmpty, !(dropsLayout && Self.isLayout(range, of: source)) else { return }
      defer { isBehindTag = false }
      if isDivided {
        text.copy(range, of: source)
      } else if first.isEmpty {
        first = range
      } else if isBehindTag || first.upperBound != range.lowerBound {
        text.copy(first, of: source)
        text.copy(range, of: source)
      } else {
        first = first.lowerBound..<range.upperBound
      }
    }

    /// Line ends and indentation that a program put between tags.
    private static func isLayout(_ range: Range<Int>, of source: RawSpan) -> Bool {
      var hasLineEnd = false
      for offset in range {
        switch source[at: offset] {
        case 0x0a, 0x0d: hasLineEnd = true
        case 0x20, 0x09: continue
        default: return false
        }
      }
      return hasLineEnd
    }

    mutating func divide(isSpaced: Bool) {
      isBehindTag = true
      dropsLayout = !isSpaced
    }

    mutating func end(_ body: (DecodedBytes) -> Void) {
      if isDivided {
        body(text)
        text = DecodedBytes()
      }
      first = 0..<0
      isBehindTag = false
      dropsLayout = false
    }
  }
}
