import Bytes
import Formats
import SQLiteFormat

extension InspectedFile {
  /// What is known of stores that other systems keep in a database: Core Data's, an iOS backup.
  func storeSections(_ database: Database) -> [Inspection.Section] {
    [coreData(database), backup(database)]
  }

  /// Entities of a Core Data store, by its table of primary keys.
  private func coreData(_ database: Database) -> Inspection.Section {
    var section = Inspection.Section("entities", "Core Data entities")
    guard let tree = database.tree(ofTable: "Z_PRIMARYKEY"),
      let columns = database.schema.entry(ofTree: tree)?.columns,
      let number = columns.firstIndex(of: "Z_ENT"), let name = columns.firstIndex(of: "Z_NAME"),
      let parent = columns.firstIndex(of: "Z_SUPER"), let most = columns.firstIndex(of: "Z_MAX")
    else { return section }
    var table = Inspection.Table(
      .init("entity", "entity"), .init("number", "number", isNumber: true),
      .init("super", "parent", isNumber: true), .init("highest", "highest key", isNumber: true),
      .init("table", "table"), .init("attributes", "attributes", isNumber: true))
    database.eachRow(ofTree: tree, limit: 10_000) { row in
      let entity = row.text(name) ?? ""
      let stored = "Z" + entity.uppercased()
      let attributes = database.tree(ofTable: stored).flatMap {
        database.schema.entry(ofTree: $0)?.columns.count { !$0.hasPrefix("Z_") }
      }
      // The rowid stands for an integer primary key, whose stored value is null.
      let key = row.integer(number) ?? row.rowid ?? 0
      table.rows.append([
        .text(entity), .number(Int(key)), .number(Int(row.integer(parent) ?? 0)),
        .number(Int(row.integer(most) ?? 0)), attributes == nil ? .missing : .text(stored),
        attributes.map { .number($0) } ?? .missing,
      ])
    }
    section.table = table
    return section
  }

  /// The manifest of an iOS backup: files by domain, and whether it is encrypted.
  private func backup(_ database: Database) -> Inspection.Section {
    var section = Inspection.Section("backup", "iOS backup")
    guard let tree = database.tree(ofTable: "Files"),
      let columns = database.schema.entry(ofTree: tree)?.columns,
      columns.contains("fileID"), columns.contains("relativePath"),
      let domain = columns.firstIndex(of: "domain"), let flags = columns.firstIndex(of: "flags")
    else { return section }
    var counts: [String: [Int]] = [:]
    database.eachRow(ofTree: tree, limit: 1_000_000) { row in
      let name = row.text(domain) ?? ""
      guard counts.count < 10_000 || counts[name] != nil else { return }
      let kind = row.integer(flags) ?? 0
      var count = counts[name] ?? [0, 0, 0]
      count[kind == 1 ? 0 : kind == 2 ? 1 : 2] += 1
      counts[name] = count
    }
    var table = Inspection.Table(
      .init("domain", "domain"), .init("files", "files", isNumber: true),
      .init("folders", "folders", isNumber: true), .init("others", "others", isNumber: true))
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
      table.rows.append([.text(name)] + count.map { .number($0) })
    }
    section.table = table
    if let manifest = sibling("Manifest.plist"),
      let bytes = try? manifest.bytes(at: 0, count: PropertyList.sizeLimit),
      let list = try? BinaryPropertyList(parsing: bytes.span.bytes).list, let root = list.root
    {
      let isEncrypted = list.boolean(of: root, under: "IsEncrypted", in: bytes.span.bytes)
      section.add("isEncrypted", "encrypted", isEncrypted.map { .flag($0) } ?? .missing)
    }
    return section
  }
}

extension PropertyList {
  /// A truth of a dictionary.
  fileprivate func boolean(of node: Int, under key: String, in file: RawSpan) -> Bool? {
    let pairs = Array(children(of: node))
    for index in stride(from: 0, to: pairs.count - 1, by: 2)
    where text(Int(pairs[index]), in: file) == key {
      let value = Int(pairs[index + 1])
      guard nodes.indices.contains(value), nodes[value].kind == .boolean else { return nil }
      return nodes[value].boolean
    }
    return nil
  }
}
