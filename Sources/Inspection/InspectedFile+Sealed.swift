import Bytes
import Findings
import SQLiteFormat

extension InspectedFile {
  private static var mostRows: Int { 200_000 }
  private static var mostDamaged: Int { 10_000 }

  /// Blobs that are sealed one by one: which of them open under a key given, and which are damaged.
  func sealedSections(_ database: Database) -> [Inspection.Section] {
    guard let unseal else { return [] }
    var summary = Inspection.Section("sealed", "Sealed values")
    var table = Inspection.Table(
      .init("table", "table"), .init("column", "column"),
      .init("values", "values", isNumber: true), .init("open", "open", isNumber: true),
      .init("notAuthentic", "not authentic", isNumber: true),
      .init("truncated", "truncated", isNumber: true))
    var damage = Inspection.Table(
      .init("table", "table"), .init("column", "column"), .init("row", "row", isNumber: true),
      .init("problem", "problem"))
    for (index, entry) in database.schema.entries.enumerated()
    where index > 0 && entry.kind == .table && !entry.isDropped {
      for column in sealedColumns(of: index + 1, entry, in: database, unseal) {
        guard column.seemsSealed else { continue }
        table.rows.append([
          .text(entry.name), .text(column.name), .number(column.count), .number(column.open),
          .number(column.notAuthentic), .number(column.truncated),
        ])
        let room = max(0, Self.mostDamaged - damage.rows.count)
        damage.omitted += max(0, column.damaged.count - room)
        for (row, problem) in column.damaged.prefix(room) {
          damage.rows.append([
            .text(entry.name), .text(column.name), .number(Int(row)), .word(problem),
          ])
        }
      }
    }
    guard !table.rows.isEmpty else { return [] }
    let open = table.column("open").reduce(0) { $0 + $1.count }
    summary.table = table
    summary.remarks = [
      open == 0
        ? "no value opens under a key given: the key is another one"
        : damage.rows.isEmpty
          ? "every sealed value opens, and none was changed"
          : "the key is right; the values below were changed, cut off or sealed under another key"
    ]
    var damaged = Inspection.Section("damagedValues", "Damaged sealed values")
    // Under a wrong key nothing opens: that is no damage.
    if open > 0 { damaged.table = damage }
    return [summary, damaged]
  }

  private struct SealedColumn {
    var name: String
    var count = 0
    var open = 0
    var notAuthentic = 0
    var truncated = 0
    var dense = 0
    var damaged: [(row: Int64, problem: String)] = []

    /// One value that opens proves it. Without one, names and density must speak for it.
    var seemsSealed: Bool {
      if open > 0 { return true }
      let says = ["ENCRYPT", "SEALED", "CIPHER"].contains { name.uppercased().contains($0) }
      return count > 0 && (says || dense * 2 > count)
    }
  }

  private func sealedColumns(
    of tree: Int, _ entry: Schema.Entry, in database: Database,
    _ unseal: ([UInt8]) -> SealedVerdict
  ) -> [SealedColumn] {
    var columns = entry.columns.map { SealedColumn(name: $0) }
    database.eachRow(ofTree: tree, limit: Self.mostRows) { row in
      for (index, value) in row.values.enumerated()
      where index < columns.count && value.type.kind == .blob {
        let blob = row.bytes(of: value)
        columns[index].count += 1
        if blob.count >= 40, ByteHistogram(of: blob.span.bytes).isDense {
          columns[index].dense += 1
        }
        switch unseal(blob) {
        case .opened: columns[index].open += 1
        case .truncated(let count):
          columns[index].truncated += 1
          columns[index].damaged.append((row.rowid ?? 0, "truncated to \(counted(count, "byte"))"))
        case .notAuthentic:
          columns[index].notAuthentic += 1
          columns[index].damaged.append((row.rowid ?? 0, "not authentic"))
        }
      }
    }
    return columns
  }
}

extension Inspection.Value {
  var count: Int {
    if case .number(let number) = self { return number }
    return 0
  }
}

extension ByteHistogram {
  /// Whether short data is as even as random bytes are: few of 256 values come twice.
  fileprivate var isDense: Bool {
    let distinct = counts.count { $0 > 0 }
    let expected = 256 * (1 - pow(255.0 / 256, total))
    return Double(distinct) > expected * 0.85
  }

  private func pow(_ base: Double, _ exponent: Int) -> Double {
    (0..<min(exponent, 4096)).reduce(1.0) { value, _ in value * base }
  }
}
