import Bytes
import Findings
import Formats
import SQLiteFormat

/// States what a database's schema says: its tables, and of each column what it is declared to hold.
struct SchemaFacts {
  let database: Database
  /// Steps before those of a page.
  var prefix: [String] = []
  var store: CoreDataStore?

  /// Rows of a table that are looked at to tell whether a column holds ciphertext.
  private static let sampled = 64

  func state(into sink: inout some FragmentSink) {
    guard [.table, .entity, .attribute].contains(where: { sink.wants($0) }) else { return }
    if let store, let model = store.model { state(model, of: store, into: &sink) }
    let indexed = indexedColumns()
    for entry in database.schema.entries.dropFirst() where entry.kind == .table {
      if sink.isExhausted { return }
      guard !entry.isDropped, !isOwn(entry.name), let definition = entry.definition else {
        continue
      }
      // The model says more of its attributes than the columns it makes of them.
      if store?.model != nil, store?.names.tables[entry.name.uppercased()] != nil { continue }
      state(entry, definition, indexed: indexed[entry.name.lowercased()] ?? [], into: &sink)
    }
  }

  /// Tables of SQLite, of full-text and spatial indexes, and of Core Data itself.
  private func isOwn(_ table: String) -> Bool {
    if table.lowercased().hasPrefix("sqlite_") { return true }
    if store != nil, CoreDataStore.isOwn(table) { return true }
    return shadows.contains(table.lowercased())
  }

  private var shadows: Set<String> {
    var names: Set<String> = []
    for entry in database.schema.entries where entry.definition?.module != nil {
      for suffix in [
        "content", "segments", "segdir", "docsize", "stat", "data", "idx", "config", "node",
        "parent", "rowid",
      ] {
        names.insert("\(entry.name.lowercased())_\(suffix)")
      }
    }
    return names
  }

  /// Columns that stand in an index, by table, both in lower case.
  private func indexedColumns() -> [String: Set<String>] {
    var indexed: [String: Set<String>] = [:]
    for entry in database.schema.entries where entry.kind == .index && !entry.isDropped {
      indexed[entry.table.lowercased(), default: []].formUnion(
        entry.columns.map { $0.lowercased() })
    }
    return indexed
  }

  private func state(
    _ entry: Schema.Entry, _ definition: TableDefinition, indexed: Set<String>,
    into sink: inout some FragmentSink
  ) {
    var context = Context()
    context.table = entry.name
    context.page = entry.root == 0 ? nil : Int(entry.root)
    let place = Place(
      steps: prefix + (entry.root == 0 ? [] : ["page", String(entry.root)]), context: context,
      origin: .transformed)
    SQLFacts.state(
      definition, named: entry.name, source: "database", indexed: indexed,
      contents: contents(of: entry),
      displayName: { column in
        // Without its model a store shows its attributes only in capitals, behind a Z.
        store != nil && column.hasPrefix("Z") && column.count > 1
          ? String(column.dropFirst()) : column
      }, at: place, into: &sink)
  }

  private func state(
    _ model: DataModel, of store: CoreDataStore, into sink: inout some FragmentSink
  ) {
    var row = Place(steps: prefix, origin: .transformed)
    if let modelRow = store.modelRow {
      row.steps = prefix + ["page", String(modelRow.page), "cell", String(modelRow.cell + 1)]
      row.context.page = Int(modelRow.page)
    }
    let parents = Dictionary(
      model.entities.map { ($0.name, $0.parent) }, uniquingKeysWith: { one, _ in one })
    ModelFacts(
      source: "store", place: { _ in row },
      column: { entity, attribute in
        let table = "Z" + CoreDataStore.root(of: entity, parents).uppercased()
        return (table, "Z" + attribute.uppercased())
      }
    ).state(model, into: &sink)
  }

  /// What the columns of a table hold, by a look at its first rows: `empty`, `ciphertext` or `clear`.
  private func contents(of entry: Schema.Entry) -> [String] {
    guard entry.root != 0 else { return [] }
    var kinds = [ColumnContent](repeating: ColumnContent(), count: entry.columns.count)
    for row in database.firstRows(ofTable: entry.name, limit: Self.sampled) {
      for (index, value) in row.values.enumerated() where index < kinds.count {
        kinds[index].add(value)
      }
    }
    guard !entry.columns.isEmpty, let definition = entry.definition else { return [] }
    // In the order in which the table declares its columns.
    return definition.columns.map { column in
      entry.columns.firstIndex(of: column.name).map { kinds[$0].word } ?? "empty"
    }
  }
}

/// Whether the values of a column look like ciphertext.
struct ColumnContent {
  private var seen = 0
  private var dense = 0

  mutating func add(_ value: StoredValue) {
    switch value {
    case .null: return
    case .integer, .real: seen += 1
    case .text(let text):
      guard !text.isEmpty else { return }
      seen += 1
      if Self.isEncodedCiphertext(text) { dense += 1 }
    case .blob(let bytes):
      guard !bytes.isEmpty else { return }
      seen += 1
      if Self.isDense(bytes) { dense += 1 }
    }
  }

  /// What one value is, text or bytes.
  static func word(ofValue bytes: [UInt8]) -> String {
    var content = ColumnContent()
    content.add(String(validating: bytes, as: UTF8.self).map(StoredValue.text) ?? .blob(bytes))
    return content.word
  }

  var word: String { seen == 0 ? "empty" : dense == seen ? "ciphertext" : "clear" }

  /// Base64 or hexadecimal of at least 16 bytes that look random: text has few different bytes.
  private static func isEncodedCiphertext(_ text: String) -> Bool {
    let plain = text.utf8.filter { $0 > 0x20 }
    guard plain.count >= 24, plain.count <= 1 << 20 else { return false }
    if plain.count.isMultiple(of: 2), let bytes = [UInt8](hexadecimal: text) {
      return isDense(bytes)
    }
    let isAlphabet = plain.allSatisfy {
      $0 >= 0x30 && $0 <= 0x39 || $0 >= 0x41 && $0 <= 0x5a || $0 >= 0x61 && $0 <= 0x7a
        || [0x2b, 0x2f, 0x3d, 0x2d, 0x5f].contains($0)
    }
    guard isAlphabet, plain.contains(where: { $0 >= 0x30 && $0 <= 0x39 }),
      plain.contains(where: { $0 >= 0x41 && $0 <= 0x5a }),
      plain.contains(where: { $0 >= 0x61 && $0 <= 0x7a })
    else { return false }
    return isDense(Base64.decode(plain.span.bytes))
  }

  /// Random bytes are nearly all different as long as they are few.
  static func isDense(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 16 else { return false }
    let head = bytes.prefix(256)
    let high = head.count { $0 >= 0x80 }
    let expected = 256 * (1 - exp256(head.count))
    return Double(Set(head).count) >= 0.85 * expected && high * 5 >= head.count
  }

  /// (255/256) to the power of `count`.
  private static func exp256(_ count: Int) -> Double {
    (0..<count).reduce(1.0) { value, _ in value * 255 / 256 }
  }
}
