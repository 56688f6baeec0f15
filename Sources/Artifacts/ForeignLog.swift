import Bytes
import SQLiteFormat

/// Whether a log belongs to the database that it lies beside.
struct ForeignLog {
  let index: LogIndex
  /// What the log shows: itself, or what it decrypts to.
  let content: any ByteSource
  /// The database as the log makes it.
  let database: Database

  /// A log that brings a first page of its own names its tables there: none of them in the database
  /// means that the two never belonged together.
  func isForeign(to main: Database) -> Bool {
    guard index.frames.contains(where: { $0.page == 1 && $0.state == .live }) else { return false }
    let inLog = database.schema
    let inFile = main.schema
    guard !inLog.liveNames.isEmpty, !inFile.liveNames.isEmpty else { return false }
    // A table that was renamed keeps its root and columns, and whatever changes the schema counts it on;
    // a dropped one may still be legible.
    let names = Set(inLog.entries.dropFirst().map(\.name))
    guard names.isDisjoint(with: inFile.liveNames) else { return false }
    let isLater = database.header.schemaCookie > main.header.schemaCookie
    let roots = isLater ? Set(inLog.entries.map { TableRoot($0) }) : []
    return !holds(anyOf: inFile.liveNames)
      && !inFile.entries.dropFirst().contains {
        $0.kind == .table && roots.contains(TableRoot($0))
      }
  }

  private struct TableRoot: Hashable {
    var root: UInt32
    var columns: [String]

    init(_ entry: Schema.Entry) {
      root = entry.root
      columns = entry.columns
    }
  }

  /// Whether an earlier first page of the log, of whatever generation, names one of these tables.
  private func holds(anyOf names: Set<String>) -> Bool {
    let frames = index.frames.indices.filter { index.frames[$0].page == 1 }
    return frames.prefix(256).contains { frame in
      let offset = index.pageOffset(ofFrame: frame)
      guard let bytes = try? content.bytes(at: offset, count: index.pageSize),
        bytes.count == index.pageSize
      else { return false }
      let found = database.records(in: bytes.span.bytes, page: 1, role: .tableLeaf, tree: 1)
      return found.contains { record in
        let values = record.carved.record.values
        guard values.count == 5 else { return false }
        let range = record.carved.localRange(of: values[1])
        let name = RecordValue(type: values[1].type, offset: range.lowerBound, count: range.count)
        return name.text(in: bytes.span.bytes, encoding: database.header.encoding)
          .map(names.contains) ?? false
      }
    }
  }
}
