import Findings
import SQLiteFormat

/// The columns of each tree whose names tell rules what their values are. A record shows its values and
/// not their names, so that the raw search alone would miss a number under `phone`.
final class TellingColumns {
  private let database: Database
  private var known: [Int: [Bool]] = [:]
  private var any: Bool?

  init(_ database: Database) {
    self.database = database
  }

  /// One entry for each column of a tree; empty where no name tells anything.
  func columns(ofTree tree: Int, _ sink: some FragmentSink) -> [Bool] {
    if let found = known[tree] { return found }
    let found = find(tree, sink)
    known[tree] = found
    return found
  }

  /// Whether any column of a tree tells something; of any tree, where it is not known which (0).
  func isIn(tree: Int, _ sink: some FragmentSink) -> Bool {
    guard tree == 0 else { return !columns(ofTree: tree, sink).isEmpty }
    if let any { return any }
    let found = (0..<database.schema.entries.count).contains {
      !columns(ofTree: $0 + 1, sink).isEmpty
    }
    any = found
    return found
  }

  private func find(_ tree: Int, _ sink: some FragmentSink) -> [Bool] {
    guard let entry = database.schema.entry(ofTree: tree) else { return [] }
    let names = database.modelNames
    let table =
      names?.entity(ofTable: entry.table, number: nil) ?? entry.table.withoutCoreDataPrefix
    let isTable = sink.isTelling(table)
    let columns = entry.columns.map { column in
      isTable
        || sink.isTelling(
          names?.attribute(ofTable: entry.table, column: column) ?? column.withoutCoreDataPrefix)
    }
    return columns.contains(true) ? columns : []
  }
}
