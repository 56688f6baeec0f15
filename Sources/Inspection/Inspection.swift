package import Findings

/// What one file holds, in the words of its format: sections of facts and tables, which a terminal and
/// a program are shown alike.
package struct Inspection: Sendable {
  package var path: String
  package var kind: String
  package var byteCount: Int
  /// Hexadecimal; nothing where the file could not be read to its end.
  package var sha256: String?
  package var sections: [Section] = []
  /// What could not be read, and what else the reader has to say.
  package var diagnostics: [Diagnostic] = []

  package init(path: String, kind: String, byteCount: Int) {
    self.path = path
    self.kind = kind
    self.byteCount = byteCount
  }

  package func section(_ key: String) -> Section? { sections.first { $0.key == key } }

  /// Facts and tables about one thing.
  package struct Section: Sendable {
    /// Its name in JSON.
    package var key: String
    package var title: String
    package var facts: [Entry] = []
    package var table: Table?
    package var layout: StorageLayout?
    /// Whole sentences: what it comes to.
    package var remarks: [String] = []
    /// Too long for a terminal: in JSON only.
    package var isDetail = false

    package init(_ key: String, _ title: String) {
      self.key = key
      self.title = title
    }

    package var isEmpty: Bool {
      facts.isEmpty && table?.rows.isEmpty != false && layout == nil && remarks.isEmpty
    }

    package mutating func add(_ key: String, _ label: String, _ value: Value) {
      facts.append(Entry(key: key, label: label, value: value))
    }

    package subscript(key: String) -> Value? { facts.first { $0.key == key }?.value }
  }

  /// One fact.
  package struct Entry: Equatable, Sendable {
    package var key: String
    package var label: String
    package var value: Value
  }

  /// A value of a fact or of a table's cell.
  package enum Value: Equatable, Sendable {
    /// A name, or a word of the format.
    case text(String)
    /// A word or sentence of this program: a person reads it in their language.
    case word(String)
    case number(Int)
    /// A number of bytes.
    case size(Int)
    case real(Double)
    case flag(Bool)
    /// Content of the file: masked unless it is to be revealed.
    case content([UInt8])
    case list([Value])
    case missing
  }

  /// Rows of values under named columns.
  package struct Table: Sendable {
    package struct Column: Sendable {
      package var key: String
      package var label: String
      /// Numbers stand at the right.
      package var isNumber = false

      package init(_ key: String, _ label: String, isNumber: Bool = false) {
        self.key = key
        self.label = label
        self.isNumber = isNumber
      }
    }

    package var columns: [Column]
    package var rows: [[Value]] = []
    /// Rows that a bound left out.
    package var omitted = 0
    /// Rows that a terminal is shown.
    package var shown = 24
    /// Rows are read as sentences: the last column is wrapped below the others.
    package var isProse = false

    package init(_ columns: Column...) {
      self.columns = columns
    }

    /// The values of one column.
    package func column(_ key: String) -> [Value] {
      guard let index = columns.firstIndex(where: { $0.key == key }) else { return [] }
      return rows.map { $0[index] }
    }
  }
}

extension Inspection.Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int) { self = .number(value) }
}

extension Inspection.Value {
  /// A text that may be missing.
  init(_ text: String?) { self = text.map { .text($0) } ?? .missing }

  /// A word of this program that may be missing.
  init(word: String?) { self = word.map { .word($0) } ?? .missing }
}
