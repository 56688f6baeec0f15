/// A stretch of bytes of the outermost file.
package struct ByteRange: Equatable, Hashable, Sendable {
  package var offset: Int
  package var length: Int

  package init(offset: Int, length: Int) {
    self.offset = offset
    self.length = length
  }

  package var end: Int { offset + length }
}

/// Where a run of a fragment's bytes lies in the source that the reader was given.
package struct Piece: Equatable, Sendable {
  /// Start in the fragment.
  package var offset: Int
  /// Start in the source.
  package var source: Int
  package var count: Int

  package init(offset: Int, source: Int, count: Int) {
    self.offset = offset
    self.source = source
    self.count = count
  }
}

/// How the bytes of a fragment came to be, seen from the source it was lifted from.
package enum Origin: Equatable, Sendable {
  /// Copied as they lie, one or several pieces joined (an overflow chain has several).
  case pieces([Piece])
  /// Decoded, every part of it from somewhere in these bytes (base64, an escaped string).
  case decoded(from: ByteRange)
  /// Decoded, and known byte for byte where from.
  case mapped(OffsetMap)
  /// Decompressed or decrypted: no byte of the source shows it.
  case transformed

  /// The ranges of the source that show `range` of the fragment.
  package func ranges(of range: Range<Int>) -> [ByteRange] {
    switch self {
    case .transformed: []
    case .decoded(let whole): [whole]
    case .mapped(let map): map.range(of: range).map { [$0] } ?? []
    case .pieces(let pieces):
      pieces.compactMap { piece in
        let lower = max(range.lowerBound, piece.offset)
        let upper = min(range.upperBound, piece.offset + piece.count)
        guard lower < upper else { return nil }
        return ByteRange(offset: piece.source + lower - piece.offset, length: upper - lower)
      }
    }
  }
}

/// What is known about a place besides its bytes: the names a person would look it up by.
package struct Context: Equatable, Sendable {
  package var table: String?
  package var column: String?
  package var rowid: Int64?
  /// Entity and attribute of a data model that the table and column are made of.
  package var entity: String?
  package var attribute: String?
  /// Page number, from 1.
  package var page: Int?
  /// What the page is, in the words of the SQLite file format: `table-leaf`, `freelist-trunk`, …
  package var role: String?
  /// Frame of a write-ahead log or record of a journal, from 1.
  package var frame: Int?
  /// Member of an archive.
  package var member: String?
  /// Section of a binary.
  package var section: String?
  package var symbol: String?
  /// Name the value stands under: a dictionary key path, a column header.
  package var key: String?
  /// Names and short texts of the same record or dictionary, which may say what the value is: the
  /// text of a `name` column beside a `value` column. Never printed.
  package var neighbours: [String] = []
  /// The live place that holds the same record, `page/3/cell/5`: these bytes are a copy that was left
  /// behind, not something that exists only deleted.
  package var copyOf: String?
  /// How sure table and column are, 0 to 1, where they were judged by the record's shape.
  package var confidence: Double?

  package init() {}
}

/// The place a fragment was lifted from, relative to the source that its reader was given.
package struct Place: Equatable, Sendable {
  /// Steps of the locator below the source: `["page", "12", "cell", "3"]`.
  package var steps: [String]
  package var liveness: Liveness
  package var context: Context
  package var origin: Origin
  /// Bytes of the source that count although the place does not: overflow pages that a row with a newer
  /// version still uses.
  package var used: [ByteRange] = []
  /// Line number from 1, for text.
  package var line: Int?

  package init(
    steps: [String], liveness: Liveness = .live, context: Context = Context(), origin: Origin,
    line: Int? = nil
  ) {
    self.steps = steps
    self.liveness = liveness
    self.context = context
    self.origin = origin
    self.line = line
  }

  /// What bytes of the source that belong to the place are worth.
  package func liveness(of ranges: [ByteRange]) -> Liveness {
    guard !used.isEmpty, !ranges.isEmpty else { return liveness }
    let areUsed = ranges.allSatisfy { range in
      used.contains { $0.offset <= range.offset && range.end <= $0.end }
    }
    return areUsed ? .live : liveness
  }
}
