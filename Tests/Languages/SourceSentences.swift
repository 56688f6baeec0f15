import Foundation

/// The sentences that stand in Swift sources: string literals with three words in a row, joined where `+`
/// joins them, each interpolation written as `7`.
struct SourceSentences {
  /// A literal, and where it stands.
  struct Sentence {
    var place: String
    var text: String
  }

  private(set) var all: [Sentence] = []

  init(below folder: URL) throws {
    let files = FileManager.default.subpaths(atPath: folder.path) ?? []
    for file in files.sorted() where file.hasSuffix(".swift") {
      let source = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      all += Self.literals(of: Array(source.utf8)).filter { Self.isSentence($0.text) }.map {
        Sentence(place: "\(folder.lastPathComponent)/\(file):\($0.line)", text: $0.text)
      }
    }
  }

  static func isSentence(_ text: String) -> Bool {
    text.contains(#/[A-Za-z']{2,},? [a-z']{2,},? [a-z']+/#)
  }

  /// One-line literals; those of several lines are help texts, SQL and scripts, which have tests of their own.
  static func literals(of source: [UInt8]) -> [(line: Int, text: String)] {
    var reader = Reader(source: source)
    var found: [(line: Int, text: String)] = []
    while let literal = reader.next() {
      if literal.continues, !found.isEmpty {
        found[found.count - 1].text += literal.text
      } else {
        found.append((literal.line, literal.text))
      }
    }
    return found
  }

  /// Goes from literal to literal; comments are passed over.
  private struct Reader {
    var source: [UInt8]
    var offset = 0
    var line = 1
    /// What stood between the last literal and here, without blanks.
    var between: [UInt8] = []

    mutating func next() -> (line: Int, text: String, continues: Bool)? {
      while offset < source.count {
        if starts(with: "//") {
          while offset < source.count, source[offset] != UInt8(ascii: "\n") { offset += 1 }
        } else if starts(with: "\"\"\"") {
          offset += 3
          while offset < source.count, !starts(with: "\"\"\"") { advance() }
          offset += 3
          between = [0]
        } else if source[offset] == UInt8(ascii: "\"") {
          let start = line
          let continues = between == [UInt8(ascii: "+")]
          between = []
          return (start, literal(), continues)
        } else {
          if source[offset] > UInt8(ascii: " ") { between.append(source[offset]) }
          advance()
        }
      }
      return nil
    }

    private func starts(with text: String) -> Bool { source[offset...].starts(with: text.utf8) }

    private mutating func advance() {
      if source[offset] == UInt8(ascii: "\n") { line += 1 }
      offset += 1
    }

    /// From the opening quotation mark past the closing one.
    private mutating func literal() -> String {
      var text: [UInt8] = []
      offset += 1
      while offset + 1 < source.count, source[offset] != UInt8(ascii: "\"") {
        guard source[offset] == UInt8(ascii: "\\") else {
          text.append(source[offset])
          advance()
          continue
        }
        if source[offset + 1] == UInt8(ascii: "(") {
          interpolation()
          text.append(UInt8(ascii: "7"))
        } else {
          text.append(source[offset + 1] == UInt8(ascii: "n") ? 10 : source[offset + 1])
          offset += 2
        }
      }
      offset += 1
      return String(decoding: text, as: UTF8.self)
    }

    private mutating func interpolation() {
      offset += 2
      var depth = 1
      while offset < source.count, depth > 0 {
        switch source[offset] {
        case UInt8(ascii: "("): depth += 1
        case UInt8(ascii: ")"): depth -= 1
        case UInt8(ascii: "\""):
          _ = literal()
          continue
        default: break
        }
        advance()
      }
    }
  }
}
