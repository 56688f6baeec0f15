/// What a CREATE TABLE statement says that matters to whoever reads the table's records.
package struct TableDefinition: Equatable, Sendable {
  package struct Column: Equatable, Sendable {
    package var name: String
    package var affinity: Affinity
    /// The type as written.
    package var declared = ""
    /// NULL may not be stored.
    package var isRequired = false
    package var isUnique = false
    package var hasDefault = false
    /// Worked out when it is read (`GENERATED ALWAYS AS … VIRTUAL`): no record holds it.
    package var isVirtual = false
  }

  /// How SQLite converts what is stored in a column (datatype3.html, §3.1).
  package enum Affinity: Sendable {
    case integer, text, blob, real, numeric

    init(declared: String) {
      let type = declared.uppercased()
      if type.contains("INT") {
        self = .integer
      } else if ["CHAR", "CLOB", "TEXT"].contains(where: { type.contains($0) }) {
        self = .text
      } else if type.isEmpty || type.contains("BLOB") {
        self = .blob
      } else if ["REAL", "FLOA", "DOUB"].contains(where: { type.contains($0) }) {
        self = .real
      } else {
        self = .numeric
      }
    }
  }

  /// Name of the table.
  package var name = ""
  package var columns: [Column] = []
  /// Column that stands for the rowid, by its place among the stored ones; its stored value is NULL.
  package var rowidAlias: Int?
  package var isWithoutRowid = false
  /// Columns of the primary key, by name.
  package var primaryKey: [String] = []
  /// Columns of each UNIQUE or PRIMARY KEY constraint, in the order of the automatic indexes.
  package var uniques: [[String]] = []
  /// What its rowids are called: the column that stands for them, if one does.
  package var rowidName: String {
    let stored = storedColumns
    guard let rowidAlias, stored.indices.contains(rowidAlias) else { return "rowid" }
    return stored[rowidAlias].name
  }
  /// Module of a virtual table, lower case.
  package var module: String?

  /// Column names in the order in which the records of the table's tree store them: a WITHOUT ROWID
  /// table stores its primary key first (§2.4), and none stores a column that is worked out.
  package var storedColumns: [Column] {
    let columns = columns.filter { !$0.isVirtual }
    guard isWithoutRowid else { return columns }
    var order: [Column] = []
    for name in primaryKey {
      let column = columns.first { $0.name.lowercased() == name.lowercased() }
      if let column, !order.contains(where: { $0.name == column.name }) { order.append(column) }
    }
    for column in columns where !order.contains(where: { $0.name == column.name }) {
      order.append(column)
    }
    return order
  }

  /// Nothing where the text is not a CREATE TABLE statement with a list of columns.
  package init?(parsing sql: String) {
    let tokens = SQLToken.tokens(of: sql)
    guard tokens.count > 3, tokens[0].isKeyword("CREATE") else { return nil }
    guard let table = tokens.prefix(4).firstIndex(where: { $0.isKeyword("TABLE") }) else {
      return nil
    }
    name = Self.tableName(tokens, from: table + 1)
    let isVirtual = tokens[..<table].contains { $0.isKeyword("VIRTUAL") }
    if isVirtual, let using = tokens.firstIndex(where: { $0.isKeyword("USING") }),
      using + 1 < tokens.count
    {
      module = tokens[using + 1].name?.lowercased()
    }
    guard let open = tokens.firstIndex(of: .sign("(")) else {
      guard isVirtual else { return nil }
      return
    }
    var index = open + 1
    for part in Self.parts(of: tokens, from: &index) {
      if isVirtual { addVirtualColumn(part) } else { add(part) }
    }
    let options = tokens[min(index, tokens.count)...]
    isWithoutRowid = options.contains { $0.isKeyword("WITHOUT") }
    if isWithoutRowid { rowidAlias = nil }
  }

  /// `IF NOT EXISTS`, then the name, perhaps behind that of its database.
  private static func tableName(_ tokens: [SQLToken], from start: Int) -> String {
    var index = start
    if tokens.indices.contains(index + 3), tokens[index].isKeyword("IF") { index += 3 }
    guard tokens.indices.contains(index), let name = tokens[index].name else { return "" }
    if tokens.indices.contains(index + 2), tokens[index + 1] == .sign(".") {
      return tokens[index + 2].name ?? name
    }
    return name
  }

  /// The token lists between the commas of one pair of parentheses; `index` ends behind it.
  static func parts(of tokens: [SQLToken], from index: inout Int) -> [[SQLToken]] {
    var parts: [[SQLToken]] = [[]]
    var depth = 0
    while index < tokens.count {
      let token = tokens[index]
      index += 1
      if token == .sign(")") {
        if depth == 0 { break }
        depth -= 1
      } else if token == .sign("(") {
        depth += 1
      } else if token == .sign(","), depth == 0 {
        parts.append([])
        continue
      }
      parts[parts.count - 1].append(token)
    }
    return parts.filter { !$0.isEmpty }
  }
}

extension TableDefinition {
  private static let constraints = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"]
  private static let columnConstraints = [
    "CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES",
    "GENERATED", "AS",
  ]

  private mutating func add(_ part: [SQLToken]) {
    if Self.constraints.contains(where: { part[0].isKeyword($0) }), addConstraint(part) { return }
    guard let name = part[0].name else { return }
    var type: [String] = []
    var index = 1
    while index < part.count, !Self.columnConstraints.contains(where: part[index].isKeyword) {
      if let word = part[index].name { type.append(word) }
      index += 1
    }
    let rest = part[index...]
    let declared = type.joined(separator: " ")
    if let primary = rest.firstIndex(where: { $0.isKeyword("PRIMARY") }) {
      primaryKey = [name]
      let isDescending = primary + 2 < part.count && part[primary + 2].isKeyword("DESC")
      if declared.uppercased() == "INTEGER", !isDescending {
        rowidAlias = storedCount
      } else {
        uniques.append([name])
      }
    }
    if rest.contains(where: { $0.isKeyword("UNIQUE") }) { uniques.append([name]) }
    var column = Column(name: name, affinity: Affinity(declared: declared), declared: declared)
    column.isRequired = rest.indices.contains { index in
      rest[index].isKeyword("NOT") && rest.indices.contains(index + 1)
        && rest[index + 1].isKeyword("NULL")
    }
    column.isUnique = rest.contains { $0.isKeyword("UNIQUE") || $0.isKeyword("PRIMARY") }
    column.hasDefault = rest.contains { $0.isKeyword("DEFAULT") }
    column.isVirtual = Self.isVirtual(rest)
    columns.append(column)
  }

  private var storedCount: Int { columns.count { !$0.isVirtual } }

  /// Whether the constraints of a column hold an expression that makes it, and do not say that the
  /// value is stored (gencol.html).
  private static func isVirtual(_ constraints: ArraySlice<SQLToken>) -> Bool {
    var depth = 0
    var isGenerated = false
    for (token, next) in zip(constraints, constraints.dropFirst()) {
      if token == .sign("(") { depth += 1 }
      if token == .sign(")") { depth -= 1 }
      // Inside of parentheses AS belongs to a CAST.
      if depth == 0, token.isKeyword("AS"), next == .sign("(") { isGenerated = true }
      if depth == 0, isGenerated, next.isKeyword("STORED") { return false }
    }
    return isGenerated
  }

  /// False where the words only look like a table constraint and name a column.
  private mutating func addConstraint(_ part: [SQLToken]) -> Bool {
    guard let open = part.firstIndex(of: .sign("(")) else { return false }
    let isPrimary = part[..<open].contains { $0.isKeyword("PRIMARY") }
    let isUnique = part[..<open].contains { $0.isKeyword("UNIQUE") }
    guard isPrimary || isUnique else { return true }
    var index = open + 1
    let names = Self.parts(of: part, from: &index).compactMap { $0[0].name }
    if isPrimary { primaryKey = names }
    let single = names.count == 1 ? names[0].lowercased() : nil
    let alias = storedColumns.firstIndex {
      $0.name.lowercased() == single && $0.declared.uppercased() == "INTEGER"
    }
    if isPrimary, let alias {
      rowidAlias = alias
    } else {
      uniques.append(names)
    }
    return true
  }

  /// Columns of full-text tables: names, without options such as `tokenize=porter`; an R*Tree marks those
  /// that are no coordinates with a plus (rtree.html, §4.1).
  private mutating func addVirtualColumn(_ part: [SQLToken]) {
    let words = part.drop { $0 == .sign("+") }
    guard let name = words.first?.name, !part.contains(.sign("=")) else { return }
    columns.append(Column(name: name, affinity: .blob))
  }
}
