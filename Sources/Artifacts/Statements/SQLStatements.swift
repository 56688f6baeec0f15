import Bytes
package import Findings
import Formats
import SQLiteFormat

/// CREATE statements in text: in SQL files, and in string literals of source. It reads beside whatever
/// else reads the text, and only states what is declared.
package struct SQLStatements: StatementReader {
  package let subjects: [Fact.Subject] = [.table, .attribute]

  /// Larger text is a dump of data; its schema stands at the start of each table.
  private static let largest = 16 << 20
  private static let longestStatement = 1 << 16
  private static let mostStatements = 5_000
  private static let extensions: Set<String> = [
    "sql", "ddl", "swift", "m", "mm", "h", "c", "cc", "cpp", "java", "kt", "kts", "dart", "js",
    "ts",
    "jsx", "tsx", "py", "rb", "go", "rs", "cs", "php", "sq", "sqm",
  ]

  package init() {}

  /// Whether the name is one that SQL is written under.
  private static func isMeant(by name: String) -> Bool {
    guard let dot = name.lastIndex(of: ".") else { return false }
    return extensions.contains(name[name.index(after: dot)...].lowercased())
  }

  package func mayState(name: String, head: RawSpan) -> Bool { Self.isMeant(by: name) }

  package func state(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard input.source.byteCount <= Self.largest else {
      sink.missing([.table, .attribute], because: "text of more than 16 MiB is not read for SQL")
      return
    }
    guard let bytes = try? input.source.bytes(at: 0, count: input.source.byteCount) else { return }
    let text = bytes.span.bytes
    let statements = Self.statements(in: text)
    guard !statements.isEmpty else { return }
    let lines = LineTable(of: text)
    let indexed = Self.indexedColumns(statements)
    for statement in statements {
      if sink.isExhausted { return }
      guard let definition = TableDefinition(parsing: statement.sql), !definition.name.isEmpty
      else {
        continue
      }
      let range = statement.range
      let place = Place(
        steps: [],
        origin: .pieces([Piece(offset: 0, source: range.lowerBound, count: range.count)]),
        line: lines.line(of: range.lowerBound))
      SQLFacts.state(
        definition, named: definition.name, source: "sql",
        indexed: indexed[definition.name.lowercased()] ?? [], at: place, into: &sink)
    }
  }

  private struct Statement {
    var sql: String
    var range: Range<Int>
  }

  private static func statements(in text: RawSpan) -> [Statement] {
    var found: [Statement] = []
    let keywords: [StaticString] = ["CREATE", "create", "Create"]
    for keyword in keywords {
      var offset = 0
      while found.count < mostStatements, offset < text.byteCount,
        let start = text.firstOffset(of: keyword, in: offset..<text.byteCount)
      {
        offset = start + 6
        guard let end = end(of: text, from: start) else { continue }
        let sql = plain(text.clamped(to: start..<end).repairedText())
        found.append(Statement(sql: sql, range: start..<end))
        offset = end
      }
    }
    return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Where a CREATE TABLE or CREATE INDEX ends: behind the parenthesis that closes its list. Nothing
  /// where the word starts something else.
  private static func end(of text: RawSpan, from start: Int) -> Int? {
    guard namesTableOrIndex(text, from: start) else { return nil }
    guard
      let open = text.firstOffset(
        of: 0x28, in: start..<min(text.byteCount, start + 400))
    else { return nil }
    var depth = 0
    var offset = open
    let limit = min(text.byteCount, start + longestStatement)
    while offset < limit, let byte = text[at: offset] {
      if byte == 0x28 { depth += 1 }
      if byte == 0x29 { depth -= 1 }
      if byte == 0x3b, depth <= 0 { return offset }
      offset += 1
      if depth == 0, byte == 0x29 {
        // WITHOUT ROWID and the like stand behind it.
        let rest = text.clamped(to: offset..<offset + 40).repairedText().uppercased()
        if let word = rest.firstRange(of: "WITHOUT ROWID") {
          return offset + rest[..<word.upperBound].utf8.count
        }
        return offset
      }
    }
    return nil
  }

  /// Whether one of the three words behind CREATE is TABLE or INDEX: UNIQUE or TEMP may stand before
  /// it, and quotes and line ends of source between them. Texts are full of the word itself.
  private static func namesTableOrIndex(_ text: RawSpan, from start: Int) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool {
      byte.isASCIILetter || byte == UInt8(ascii: "_") || byte >= 0x80
    }
    if let before = text[at: start - 1], isLetter(before) { return false }
    var offset = start + 6
    if let after = text[at: offset], isLetter(after) { return false }
    let end = min(text.byteCount, start + 160)
    for _ in 0..<3 {
      while offset < end, let byte = text[at: offset], !isLetter(byte) { offset += 1 }
      let word = offset
      while offset < end, let byte = text[at: offset], isLetter(byte) { offset += 1 }
      guard offset - word == 5 else { continue }
      let folded = (word..<offset).map { (text[at: $0] ?? 0) | 0x20 }
      if folded.elementsEqual("table".utf8) || folded.elementsEqual("index".utf8) { return true }
    }
    return false
  }

  /// A statement as SQL sees it: literals of source that are joined by `+`, or follow one another, are
  /// one text, and their escapes are what they stand for.
  private static func plain(_ source: String) -> String {
    var text = source.replacing("\\\"", with: "\u{1}").replacing("\\n", with: " ")
      .replacing("\\\n", with: " ")
    for joint in [/"\s*\+\s*@?"/, /"\s*\n\s*@?"/] { text = text.replacing(joint, with: " ") }
    return text.replacing("\u{1}", with: "\"")
  }

  /// Columns of CREATE INDEX statements, by table, both in lower case.
  private static func indexedColumns(_ statements: [Statement]) -> [String: Set<String>] {
    var indexed: [String: Set<String>] = [:]
    for statement in statements {
      let tokens = SQLToken.tokens(of: statement.sql)
      guard tokens.prefix(3).contains(where: { $0.isWord("INDEX") }),
        let on = tokens.firstIndex(where: { $0.isWord("ON") }), on + 2 < tokens.count,
        let table = tokens[on + 1].text
      else { continue }
      for token in tokens[(on + 2)...] {
        if let name = token.text {
          indexed[table.lowercased(), default: []].insert(name.lowercased())
        }
      }
    }
    return indexed
  }
}

extension SQLToken {
  fileprivate var text: String? {
    switch self {
    case .word(let text), .quoted(let text): text
    case .sign: nil
    }
  }

  fileprivate func isWord(_ word: String) -> Bool {
    if case .word(let text) = self { return text.uppercased() == word }
    return false
  }
}
