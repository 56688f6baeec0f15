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
    if text.clamped(to: start..<most).hasBytes(Array("<!--".utf8)) {
      return text.firstOffset(of: "-->", in: start..<text.byteCount).map { $0 + 3 }
        ?? text.byteCount
    }
    if let end = text.firstOffset(of: UInt8(ascii: ">"), in: start..<most) { return end + 1 }
    return isLast || most < text.byteCount ? start + 1 : nil
  }

  private static func end(ofElement name: Name, from start: Int, in text: RawSpan) -> Int {
    let closing: StaticString = name.text == "script" ? "</script" : "</style"
    return text.firstOffset(of: closing, in: start..<text.byteCount) ?? text.byteCount
  }

  /// What a tag is called, in small letters.
  private struct Name {
    private(set) var text = ""
    private let isClosing: Bool

    init(of start: Int, in source: RawSpan) {
      isClosing = source[at: start] == UInt8(ascii: "/")
      var offset = isClosing ? start + 1 : start
      while text.utf8.count < 24, let byte = source[at: offset],
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
      {
        text.unicodeScalars.append(Unicode.Scalar(byte.isASCIIUppercase ? byte | 0x20 : byte))
        offset += 1
      }
    }

    private static let phrasing: Set<String> = [
      "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "dfn", "em", "font", "i", "ins",
      "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u",
      "var", "wbr",
      // Runs of shared strings (SpreadsheetML) and spans of OpenDocument.
      "r", "t", "rpr", "text:span", "text:a",
    ]
    /// Of WordprocessingML and DrawingML; what is not of these stands inside of a paragraph.
    private static let blocks: Set<String> = [
      "w:p", "w:br", "w:tab", "w:tc", "w:tr", "w:tbl", "w:body", "w:cr", "a:p", "a:br", "a:tc",
    ]

    /// Whether it stands inside of a paragraph and says nothing of where words end.
    var isInside: Bool {
      Self.phrasing.contains(text)
        || (text.hasPrefix("w:") || text.hasPrefix("a:")) && !Self.blocks.contains(text)
    }
    /// Whether white space beside it is text.
    var isSpaced: Bool { !text.contains(":") }
    var hidesContent: Bool { !isClosing && (text == "script" || text == "style") }
  }

  /// Text that is being put together.
  private struct Paragraph {
    private var text = DecodedBytes()
    private var isDivided = false
    private var isBehindTag = false
    private var dropsLayout = false

    var count: Int { text.bytes.count }

    mutating func add(_ range: Range<Int>, of source: RawSpan) {
      guard !range.isEmpty, !(dropsLayout && Self.isLayout(range, of: source)) else { return }
      if isBehindTag, count > 0 { isDivided = true }
      isBehindTag = false
      text.copy(range, of: source)
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
      if isDivided { body(text) }
      self = Paragraph()
    }
  }
}
