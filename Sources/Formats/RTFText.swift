import Bytes

/// The text of a document in RTF (Rich Text Format specification 1.9.1) as a person reads it: controls inside
/// of words and sentences leave no trace, bytes of code pages and `\uN` are characters. What is no body text
/// (the title, notes, instructions of fields) is text of its own; pictures and objects are bytes.
package struct RTFText {
  /// What a document holds.
  package enum Part {
    case text(DecodedBytes)
    /// A picture or an object, and where it was written.
    case data([UInt8], name: String, Range<Int>)
  }

  /// Deeper groups are read, but what they set is not undone at their end.
  private static let deepest = 1_000
  /// Longer texts are handed over in parts, at the end of a paragraph.
  private static let mostBytes = 1 << 18
  /// A text without paragraphs is cut all the same.
  private static let longestParagraph = 1 << 20

  /// What holds up to the end of a group.
  private struct State {
    var page: Int
    var font = 0
    /// Characters that stand for `\uN` in programs that do not know it.
    var fallback = 1
    /// The text that it is part of, by its place in `texts`.
    var destination = 0
  }

  /// A text that is being put together, and what it is of.
  private struct Destination {
    var name: String
    var text = DecodedBytes()
    var start: Int
  }

  private let source: [UInt8]
  private var state = State(page: 1252)
  private var states: [State] = []
  private var lostGroups = 0
  private var destinations: [Destination] = []
  private var isGroupStart = false
  /// Whether what comes is a destination, known or not.
  private var isStarred = false
  /// Characters that are still left out behind a `\uN`.
  private var skipped = 0
  /// Bytes of a code page that are no whole character yet.
  private var pending: [(byte: UInt8, range: Range<Int>)] = []
  private var highSurrogate: (unit: UInt32, start: Int)?
  private var fonts: [Int: Int] = [:]
  private var defaultPage = 1252
  private var pages: [Int: CodePage] = [:]
  private var unknownPages: Set<Int> = []
  private let body: (Part) -> Void

  /// Calls `body` with each part of a document.
  package static func forEachPart(of source: [UInt8], _ body: @escaping (Part) -> Void) {
    var reader = RTFText(source, body)
    reader.read()
  }

  private init(_ source: [UInt8], _ body: @escaping (Part) -> Void) {
    self.source = source
    self.body = body
    destinations.append(Destination(name: "", start: 0))
  }

  private mutating func read() {
    var offset = 0
    while offset < source.count {
      switch source[offset] {
      case UInt8(ascii: "{"):
        finishCharacter()
        open()
        offset += 1
      case UInt8(ascii: "}"):
        finishCharacter()
        close(at: offset)
        offset += 1
      case UInt8(ascii: "\\"): offset = readControl(at: offset)
      case 0x0A, 0x0D, 0: offset += 1
      default:
        add(source[offset], from: offset..<offset + 1)
        offset += 1
      }
    }
    finishCharacter()
    while destinations.count > 1 { end(at: source.count) }
    flush()
  }

  // MARK: Groups

  private mutating func open() {
    skipped = 0
    isGroupStart = true
    isStarred = false
    if states.count < Self.deepest { states.append(state) } else { lostGroups += 1 }
  }

  private mutating func close(at offset: Int) {
    skipped = 0
    isGroupStart = false
    if lostGroups > 0 {
      lostGroups -= 1
      return
    }
    guard let outer = states.popLast() else { return }
    while destinations.count - 1 > outer.destination { end(at: offset) }
    state = outer
  }

  /// Starts a text of its own, up to the end of the group.
  private mutating func begin(_ name: String, at offset: Int) {
    guard state.destination < Self.deepest, lostGroups == 0 else { return }
    destinations.append(Destination(name: name, start: offset))
    state.destination = destinations.count - 1
  }

  private mutating func end(at offset: Int) {
    let ended = destinations.removeLast()
    guard !ended.text.bytes.isEmpty else { return }
    switch ended.name {
    case "pict", "objdata", "themedata", "datastore":
      let stored = ended.text.bytes
      let data = HexadecimalText.decode(unsafe stored.span.bytes).bytes
      body(.data(data, name: ended.name, ended.start..<offset))
    case "fonttbl", "colortbl", "stylesheet", "listtable", "listoverridetable", "rsidtbl",
      "latentstyles", "generator":
      return
    default: body(.text(ended.text))
    }
  }

  private mutating func flush() {
    guard var open = destinations.popLast() else { return }
    if !open.text.bytes.isEmpty { body(.text(open.text)) }
    open.text = DecodedBytes()
    destinations.append(open)
  }

  // MARK: Controls

  /// Reads a control word or symbol and says where it ends.
  private mutating func readControl(at mark: Int) -> Int {
    guard mark + 1 < source.count else { return source.count }
    let kind = source[mark + 1]
    guard kind.isASCIILetter else { return readSymbol(kind, at: mark) }
    var offset = mark + 1
    while offset < source.count, offset - mark <= 32, source[offset].isASCIILetter { offset += 1 }
    let word = String(decoding: source[mark + 1..<offset], as: UTF8.self)
    var number: Int?
    let isNegative = offset < source.count && source[offset] == UInt8(ascii: "-")
    var digit = isNegative ? offset + 1 : offset
    let first = digit
    while digit < source.count, digit - first < 10, source[digit].isASCIIDigit {
      number = (number ?? 0) * 10 + Int(source[digit] - 0x30)
      digit += 1
    }
    if let found = number {
      offset = digit
      number = isNegative ? -found : found
    }
    // One blank ends the word and is part of it.
    if offset < source.count, source[offset] == 0x20 { offset += 1 }
    if word == "u", let number {
      addUnicode(number, from: mark..<offset)
      return offset
    }
    if word == "bin" { return readBinary(number ?? 0, from: offset) }
    finishCharacter()
    if skipped > 0 {
      // A control word is one character of what is left out.
      skipped -= 1
      return offset
    }
    apply(word, number, at: mark, to: offset)
    isGroupStart = false
    isStarred = false
    return offset
  }

  private mutating func readSymbol(_ kind: UInt8, at mark: Int) -> Int {
    let range = mark..<mark + 2
    switch kind {
    case UInt8(ascii: "'"):
      guard mark + 3 < source.count, let high = hexadecimalValue(source[mark + 2]),
        let low = hexadecimalValue(source[mark + 3])
      else { return mark + 2 }
      add(high << 4 | low, from: mark..<mark + 4)
      return mark + 4
    case UInt8(ascii: "*"):
      // What follows is a destination that programs may pass over.
      isStarred = isGroupStart
      return mark + 2
    case UInt8(ascii: "\\"), UInt8(ascii: "{"), UInt8(ascii: "}"): add(kind, from: range)
    case UInt8(ascii: "~"): add(0x20, from: range)
    case UInt8(ascii: "_"): add(UInt8(ascii: "-"), from: range)
    case 0x0A, 0x0D: endParagraph(range)
    case UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "|"): break
    default: break
    }
    return mark + 2
  }

  private mutating func readBinary(_ count: Int, from start: Int) -> Int {
    let end = min(source.count, start + max(0, count))
    if end > start { body(.data(Array(source[start..<end]), name: "bin", start..<end)) }
    skipped = max(0, skipped - 1)
    return end
  }

  private mutating func apply(_ word: String, _ number: Int?, at mark: Int, to end: Int) {
    let range = mark..<end
    switch word {
    case "par", "sect", "page", "row", "nestrow", "line", "column", "softline":
      endParagraph(range)
    case "cell", "nestcell", "tab": add(scalar: "\t", from: range)
    case "emspace", "enspace", "qmspace": add(scalar: " ", from: range)
    case "emdash": add(scalar: "—", from: range)
    case "endash": add(scalar: "–", from: range)
    case "bullet": add(scalar: "•", from: range)
    case "lquote": add(scalar: "‘", from: range)
    case "rquote": add(scalar: "’", from: range)
    case "ldblquote": add(scalar: "“", from: range)
    case "rdblquote": add(scalar: "”", from: range)
    case "uc": state.fallback = min(max(number ?? 1, 0), 64)
    case "ansi": defaultPage = 1252
    case "mac": defaultPage = 10_000
    case "pc": defaultPage = 437
    case "pca": defaultPage = 850
    case "ansicpg": setDefaultPage(number)
    case "f": setFont(number)
    case "plain": setFont(nil)
    case "fcharset": setCharset(number)
    case "cpg": if state.destination > 0 { fonts[state.font] = number ?? fonts[state.font] }
    default:
      if isStarred || isGroupStart && Self.destinationWords.contains(word) { begin(word, at: mark) }
    }
  }

  private mutating func setDefaultPage(_ number: Int?) {
    if let number, number > 0 { defaultPage = number }
    state.page = defaultPage
  }

  private mutating func setFont(_ number: Int?) {
    state.font = number ?? 0
    state.page = number.flatMap { fonts[$0] } ?? defaultPage
  }

  /// In the table of fonts: the code page that the bytes of a font's text are in.
  private mutating func setCharset(_ number: Int?) {
    guard destinations[state.destination].name == "fonttbl", fonts.count < 10_000, let number,
      let page = Self.charsets[number]
    else { return }
    fonts[state.font] = page
  }

  private static let charsets: [Int: Int] = [
    0: 1252, 77: 10_000, 128: 932, 129: 949, 130: 1361, 134: 936, 136: 950, 161: 1253, 162: 1254,
    163: 1258, 177: 1255, 178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250, 255: 437,
  ]

  /// Control words that start a text beside the body's.
  private static let destinationWords: Set<String> = [
    "fonttbl", "colortbl", "stylesheet", "listtable", "listoverridetable", "rsidtbl", "generator",
    "latentstyles", "themedata", "datastore", "pict", "objdata", "objclass", "objname", "info",
    "title", "subject", "author", "manager", "company", "operator", "category", "keywords",
    "comment", "doccomm", "hlinkbase", "userprops", "propname", "staticval", "docvar", "xmlnstbl",
    "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf",
    "footnote",
    "annotation", "atnid", "atnauthor", "atndate", "atnref", "atrfstart", "atrfend", "fldinst",
    "bkmkstart", "bkmkend", "datafield", "formfield", "ffname", "ffdeftext", "ffl", "template",
    "revtbl", "password", "mailmerge", "creatim", "revtim", "printim", "buptim", "shpinst", "sp",
    "sn", "sv", "nonshppict", "pntext", "pntxta", "pntxtb", "pnseclvl", "xe", "tc", "falt",
    "panose",
    "wgrffmtfilter", "mmathPr",
  ]

  // MARK: Characters

  private mutating func endParagraph(_ range: Range<Int>) {
    finishCharacter()
    append("\n", from: range)
    if destinations[state.destination].text.bytes.count > Self.mostBytes,
      state.destination == destinations.count - 1
    {
      flush()
    }
  }

  private mutating func add(scalar: Unicode.Scalar, from range: Range<Int>) {
    finishCharacter()
    append(scalar, from: range)
  }

  /// One byte in the code page of the font.
  private mutating func add(_ byte: UInt8, from range: Range<Int>) {
    isGroupStart = false
    if skipped > 0 {
      skipped -= 1
      return
    }
    highSurrogate = nil
    if pending.isEmpty, byte < 0x80 { return append(Unicode.Scalar(byte), from: range) }
    pending.append((byte, range))
    let bytes = pending.map(\.byte)
    if let page = page(state.page) {
      guard let found = page.character(of: unsafe bytes.span.bytes, at: 0) else {
        if pending.count >= 4 { finishCharacter() }
        return
      }
      take(found.scalar, found.size)
    } else {
      // Without the table the bytes are handed on as they are.
      finishCharacter()
    }
  }

  private mutating func take(_ scalar: Unicode.Scalar, _ count: Int) {
    guard let first = pending.first, count <= pending.count else { return }
    let last = pending[count - 1].range
    pending.removeFirst(count)
    append(scalar, from: first.range.lowerBound..<max(first.range.lowerBound, last.upperBound))
  }

  /// Bytes that did not become a character stand for themselves.
  private mutating func finishCharacter() {
    guard !pending.isEmpty else { return }
    let index = state.destination
    for (byte, range) in pending { destinations[index].text.append(byte, from: range) }
    pending.removeAll(keepingCapacity: true)
  }

  private mutating func addUnicode(_ number: Int, from range: Range<Int>) {
    finishCharacter()
    isGroupStart = false
    skipped = state.fallback
    let unit = UInt32(truncatingIfNeeded: number) & (number < 0 ? 0xFFFF : 0x1F_FFFF)
    if unit & 0xFC00 == 0xDC00, let high = highSurrogate {
      highSurrogate = nil
      let value = 0x1_0000 + (high.unit & 0x3FF) << 10 + (unit & 0x3FF)
      append(Unicode.Scalar(value) ?? .replacement, from: high.start..<range.upperBound)
    } else if unit & 0xFC00 == 0xD800 {
      highSurrogate = (unit, range.lowerBound)
    } else {
      highSurrogate = nil
      append(Unicode.Scalar(unit) ?? .replacement, from: range)
    }
  }

  private mutating func append(_ scalar: Unicode.Scalar, from range: Range<Int>) {
    destinations[state.destination].text.append(scalar, from: range)
    if destinations[state.destination].text.bytes.count > Self.longestParagraph,
      state.destination == destinations.count - 1, !isData
    {
      flush()
    }
  }

  private var isData: Bool {
    ["pict", "objdata", "themedata", "datastore"].contains(destinations[state.destination].name)
  }

  private mutating func page(_ number: Int) -> CodePage? {
    if let known = pages[number] { return known }
    guard !unknownPages.contains(number), pages.count + unknownPages.count < 64,
      let opened = CodePage(windows: number)
    else {
      unknownPages.insert(number)
      return nil
    }
    pages[number] = opened
    return opened
  }
}
