import Bytes
import Formats
import SQLiteFormat

/// A database that Core Data keeps its objects in, and the model that it carries: the numbers of its
/// entities, and, since macOS 10.13 and iOS 11, the whole model.
struct CoreDataStore {
  var names = ModelNames()
  /// The model in `Z_MODELCACHE`, or nothing where the store has none.
  var model: DataModel?
  /// Place of the row that holds it.
  var modelRow: TableRow?

  /// More of a model is not decompressed.
  private static let largestModel = 8 << 20

  /// Tables that Core Data and its mirroring to CloudKit keep for themselves.
  static func isOwn(_ table: String) -> Bool {
    let name = table.uppercased()
    return ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION"].contains(name)
      || name.hasPrefix("ATRANSACTIONSTRING") || name.hasPrefix("ANSCK") || name.hasPrefix("Z_")
  }

  /// Nothing where the database is no such store.
  init?(_ database: Database) {
    guard database.tree(ofTable: "Z_PRIMARYKEY") != nil,
      database.tree(ofTable: "Z_METADATA") != nil
    else { return nil }
    for row in database.rows(ofTable: "Z_PRIMARYKEY", limit: 10_000) {
      guard let number = row["Z_ENT"]?.integer, let name = row["Z_NAME"]?.text, !name.isEmpty
      else { continue }
      names.entities[number] = name
    }
    readModel(of: database)
    nameTables(of: database)
  }

  /// Notes in the database what its tables and columns are called; true where it is such a store.
  @discardableResult
  static func name(_ database: Database) -> CoreDataStore? {
    let store = CoreDataStore(database)
    database.modelNames = store?.names
    return store
  }

  /// The content is a raw DEFLATE stream of a keyed archive.
  private mutating func readModel(of database: Database) {
    guard let row = database.rows(ofTable: "Z_MODELCACHE", limit: 1).first,
      let stored = row["Z_CONTENT"]?.blob, !stored.isEmpty
    else { return }
    let archive =
      stored.span.bytes.hasBytes("bplist")
      ? stored : inflateRaw(stored, limit: Self.largestModel)
    guard let archive, let list = try? BinaryPropertyList(parsing: archive.span.bytes).list else {
      return
    }
    model = DataModel(list, in: archive.span.bytes)
    modelRow = row
  }

  /// A table is called `Z` and its root entity, a column `Z` and its attribute, both in upper case.
  /// Where two heirs of one entity have attributes of one name, numbers tell their columns apart.
  private mutating func nameTables(of database: Database) {
    for name in names.entities.values { names.tables["Z" + name.uppercased()] = name }
    guard let model else { return }
    let parents = Dictionary(
      model.entities.map { ($0.name, $0.parent) }, uniquingKeysWith: { one, _ in one })
    for entity in model.entities {
      let table = "Z" + Self.root(of: entity.name, parents).uppercased()
      for attribute in entity.attributes {
        let column = "Z" + attribute.name.uppercased()
        names.attributes[table, default: [:]][column] = attribute.name
      }
      names.tables["Z" + entity.name.uppercased()] = entity.name
    }
    for entry in database.schema.entries where entry.kind == .table {
      let table = entry.name.uppercased()
      guard let known = names.attributes[table] else { continue }
      for column in entry.columns.map({ $0.uppercased() }) where known[column] == nil {
        let base = String(column.reversed().drop { $0.isNumber }.reversed())
        if base != column, let name = known[base] { names.attributes[table]?[column] = name }
      }
    }
  }

  static func root(of entity: String, _ parents: [String: String?]) -> String {
    var name = entity
    for _ in 0..<64 {
      guard let parent = parents[name] ?? nil, parent != name else { return name }
      name = parent
    }
    return name
  }
}
