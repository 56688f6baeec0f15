import Bytes

/// The tables and indexes of a database, as its first tree lists them (SQLite file format, §2.6).
package struct Schema: Sendable {
  /// A table or index that has a tree.
  package struct Entry: Sendable {
    package enum Kind: Sendable { case table, index, other }

    package var kind: Kind
    package var name: String
    /// The table an index belongs to; for tables their own name.
    package var table: String
    package var root: UInt32
    package var sql: String
    package var definition: TableDefinition?
    /// Names of the stored values in order.
    package var columns: [String]
    /// Found in free bytes of the schema's pages: the table was dropped.
    package var isDropped = false

    /// Whether the tree stores rows under rowids.
    package var isRowidTable: Bool { kind == .table && definition?.isWithoutRowid != true }
  }

  /// The tree's number in a `PageMap` is its place here, plus 1; the first is the schema itself.
  package var entries: [Entry]

  package static let ownColumns = ["type", "name", "tbl_name", "rootpage", "sql"]

  package init() {
    let definition = TableDefinition(
      parsing: "CREATE TABLE x(type text,name text,tbl_name text,rootpage integer,sql text)")
    entries = [
      Entry(
        kind: .table, name: "sqlite_schema", table: "sqlite_schema", root: 1, sql: "",
        definition: definition, columns: Self.ownColumns)
    ]
  }

  /// The entry of a tree by its number in the page map.
  package func entry(ofTree tree: Int) -> Entry? {
    tree >= 1 && tree <= entries.count ? entries[tree - 1] : nil
  }

  /// Names of the tables and indexes that were not dropped, the schema itself left out.
  package var liveNames: Set<String> {
    Set(entries.dropFirst().lazy.filter { !$0.isDropped }.map(\.name))
  }

  /// Adds what one row of the schema says.
  package mutating func add(
    type: String, name: String, table: String, root: UInt32, sql: String, isDropped: Bool = false
  ) {
    var entry = Entry(
      kind: type == "table" ? .table : type == "index" ? .index : .other, name: name,
      table: table, root: root, sql: sql, definition: nil, columns: [])
    entry.isDropped = isDropped
    if entry.kind == .table {
      entry.definition = TableDefinition(parsing: sql)
      entry.columns = entry.definition?.storedColumns.map(\.name) ?? []
    }
    entries.append(entry)
  }

  /// Names the columns of indexes, once all tables are known.
  package mutating func nameIndexColumns() {
    for index in entries.indices where entries[index].kind == .index {
      let entry = entries[index]
      let table = entries.first {
        $0.kind == .table && $0.name.lowercased() == entry.table.lowercased()
          && $0.isDropped == entry.isDropped
      }
      guard let definition = table?.definition else { continue }
      var names = Self.indexColumns(entry, of: definition)
      if definition.isWithoutRowid {
        for key in definition.primaryKey where !names.contains(key) { names.append(key) }
      } else {
        names.append(definition.rowidName)
      }
      entries[index].columns = names
    }
  }

  private static func indexColumns(_ entry: Entry, of table: TableDefinition) -> [String] {
    if entry.sql.isEmpty {
      guard let digits = entry.name.split(separator: "_").last, let number = Int(digits),
        number >= 1, number <= table.uniques.count
      else { return [] }
      return table.uniques[number - 1]
    }
    let tokens = SQLToken.tokens(of: entry.sql)
    guard let open = tokens.firstIndex(of: .sign("(")) else { return [] }
    var index = open + 1
    return TableDefinition.parts(of: tokens, from: &index).map { $0[0].name ?? "expression" }
  }
}
