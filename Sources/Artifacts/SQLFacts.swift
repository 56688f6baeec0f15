import Bytes
import Findings
import SQLiteFormat

/// States what CREATE TABLE says, wherever it stands.
enum SQLFacts {
  /// - Parameters:
  ///   - indexed: columns that stand in an index, in lower case.
  ///   - contents: what each column holds, in their order, where rows could be looked at.
  ///   - displayName: what a column is called where its own name is mangled.
  static func state(
    _ definition: TableDefinition, named table: String, source: String, indexed: Set<String>,
    contents: [String] = [], displayName: (String) -> String = { $0 }, at place: Place,
    into sink: inout some FragmentSink
  ) {
    var values = ["source": [source], "columns": definition.columns.map(\.name)]
    values["module"] = definition.module.map { [$0] }
    if definition.isWithoutRowid { values["without-rowid"] = ["true"] }
    var place = place
    place.context.table = table
    sink.state(Fact(.table, table, values: values, at: place))
    let isFullText = definition.module?.hasPrefix("fts") == true
    for (index, column) in definition.columns.enumerated() {
      let isKey = definition.primaryKey.contains { $0.lowercased() == column.name.lowercased() }
      var values = [
        "source": [source], "table": [table], "type": [column.declared],
        "storage": [isFullText ? "text" : storage(column)],
        "optional": [ModelFacts.text(!column.isRequired && !isKey)],
        "indexed": [
          ModelFacts.text(
            isFullText || isKey || column.isUnique || indexed.contains(column.name.lowercased()))
        ],
        "default": [ModelFacts.text(column.hasDefault)],
        "full-text": [ModelFacts.text(isFullText)],
      ]
      if contents.indices.contains(index) { values["content"] = [contents[index]] }
      place.context.column = column.name
      sink.state(Fact(.attribute, displayName(column.name), values: values, at: place))
    }
  }

  /// What a declared type stores, in the words that data models share: SQLite itself knows neither dates
  /// nor truths, but who wrote DATE meant one.
  private static func storage(_ column: TableDefinition.Column) -> String {
    let type = column.declared.uppercased()
    if type.contains("BOOL") { return "boolean" }
    if type.contains("DATE") || type.contains("TIME") { return "date" }
    if type.contains("UUID") || type.contains("GUID") { return "uuid" }
    if type.contains("BINARY") { return "blob" }
    switch column.affinity {
    case .integer: return "integer"
    case .text: return "text"
    case .blob: return type.isEmpty ? "undefined" : "blob"
    case .real: return "real"
    case .numeric: return type.contains("JSON") ? "text" : "real"
    }
  }
}
