import Bytes

/// A value of a row as SQLite would give it.
package enum StoredValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  package var integer: Int64? {
    if case .integer(let value) = self { return value }
    return nil
  }

  package var text: String? {
    if case .text(let value) = self { return value }
    return nil
  }

  package var blob: [UInt8]? {
    if case .blob(let value) = self { return value }
    return nil
  }
}

/// A live row of a table, with the names of its columns and the place it lies at.
package struct TableRow: Equatable, Sendable {
  package var rowid: Int64?
  /// Names as the table declares them, in the order of the values.
  package var columns: [String]
  package var values: [StoredValue]
  package var page: UInt32
  /// Index of its cell from 0, and the cell's bytes in the page.
  package var cell: Int
  package var range: Range<Int>

  /// The value of a column, by its name in any letter case.
  package subscript(name: String) -> StoredValue? {
    let index = columns.firstIndex { $0.lowercased() == name.lowercased() }
    return index.flatMap { values.indices.contains($0) ? values[$0] : nil }
  }
}

extension Database {
  /// Number of a table's tree that was not dropped, by its name in any letter case.
  package func tree(ofTable name: String) -> Int? {
    let wanted = name.lowercased()
    return schema.entries.indices.first {
      let entry = schema.entries[$0]
      return entry.kind == .table && !entry.isDropped && entry.root != 0
        && entry.name.lowercased() == wanted
    }.map { $0 + 1 }
  }

  /// Hands the live rows of a table to `take`, at most `limit` of them, until it answers false.
  package func rows(ofTable name: String, limit: Int = 100_000, take: (TableRow) -> Bool) {
    guard let tree = tree(ofTable: name), let entry = schema.entry(ofTree: tree) else { return }
    var left = limit
    for page in 1...max(1, map.pageCount) where map.tree(of: page) == tree {
      let role = map.role(of: page)
      guard role == .tableLeaf || role == .indexLeaf || role == .indexInterior else { continue }
      for found in liveRecords(of: page) {
        guard left > 0 else { return }
        left -= 1
        if !take(row(found, page: page, entry)) { return }
      }
    }
  }

  /// Rows of the first leaf of a table, at most `limit`, with the first bytes of long values: a look at
  /// what the table holds.
  package func firstRows(ofTable name: String, limit: Int) -> [TableRow] {
    guard let tree = tree(ofTable: name), let entry = schema.entry(ofTree: tree) else { return [] }
    var page = entry.root
    for _ in 0..<24 {
      guard map.tree(of: page) == tree, map.role(of: page) != .tableLeaf,
        let child = map.children(of: page, in: pages).first
      else { break }
      page = child
    }
    guard map.tree(of: page) == tree else { return [] }
    return liveRecords(of: page).prefix(limit).map {
      row($0, page: page, entry, mostPayload: 1 << 16)
    }
  }

  /// All rows of a table, at most `limit`.
  package func rows(ofTable name: String, limit: Int = 10_000) -> [TableRow] {
    var rows: [TableRow] = []
    self.rows(ofTable: name, limit: limit) {
      rows.append($0)
      return true
    }
    return rows
  }

  private func row(
    _ found: FoundRecord, page: UInt32, _ entry: Schema.Entry, mostPayload: Int = 16 << 20
  ) -> TableRow {
    let carved = found.carved
    let payload = self.payload(of: carved, page: page, limit: mostPayload, isLive: true)
    let bytes = unsafe payload.bytes.span.bytes
    var values = carved.record.values.map { value($0, in: bytes) }
    if let alias = entry.definition?.rowidAlias, values.indices.contains(alias),
      let rowid = carved.rowid
    {
      values[alias] = .integer(rowid)
    }
    var cell = 0
    if case .cell(let index) = found.region { cell = index }
    return TableRow(
      rowid: carved.rowid, columns: entry.columns, values: values, page: page, cell: cell,
      range: carved.range)
  }

  private func value(_ value: RecordValue, in bytes: RawSpan) -> StoredValue {
    switch value.type.kind {
    case .null, .reserved: return .null
    case .integer: return value.integer(in: bytes).map(StoredValue.integer) ?? .null
    case .real: return value.real(in: bytes).map(StoredValue.real) ?? .null
    case .text:
      return value.text(in: bytes, encoding: header.encoding).map(StoredValue.text) ?? .null
    case .blob: return .blob(bytes.clamped(to: value.range).copied())
    }
  }
}
