import Bytes

/// What the records of one tree look like: the yardstick for records that nothing live points to.
package struct RecordShape: Equatable, Sendable {
  /// Number of the tree in the page map.
  package var tree: Int
  package var columns: [TableDefinition.Affinity]
  /// Column whose stored value is always NULL.
  package var rowidAlias: Int?
  /// Records without a rowid before them: indexes and WITHOUT ROWID tables.
  package var isIndex: Bool
  /// The columns of an index may hold anything that its table holds.
  var isLoose = false
  /// Types of the first two values in live records: what a lost type most likely was.
  package var seen: [Set<UInt64>] = []

  /// How well the types of a record fit, 0 (not at all) to 1. A record may be shorter than its table
  /// is wide now: columns are added without rewriting rows.
  func fit(_ values: [RecordValue]) -> Double {
    guard !values.isEmpty, values.count <= columns.count else { return 0 }
    var fit = values.count == columns.count ? 1.0 : 0.6
    for (index, value) in values.enumerated() {
      if index == rowidAlias {
        guard value.type.rawValue == 0 else { return 0 }
        continue
      }
      fit *= Self.fit(value.type, columns[index])
      if fit == 0 { return 0 }
    }
    return fit
  }

  static func fit(_ type: SerialType, _ affinity: TableDefinition.Affinity) -> Double {
    switch (affinity, type.kind) {
    case (_, .reserved): 0
    case (_, .null), (.blob, _): 1
    case (.integer, .integer), (.numeric, .integer), (.real, .integer), (.real, .real): 1
    case (.text, .text): 1
    case (.numeric, .real), (.numeric, .text), (.text, .blob): 0.9
    case (.integer, .real), (.integer, .text), (.real, .text): 0.5
    case (.integer, .blob), (.numeric, .blob), (.real, .blob): 0.3
    // Text affinity turns numbers into text before they are stored.
    case (.text, .integer), (.text, .real): 0
    }
  }
}

extension Schema {
  /// The shapes of all trees, dropped tables included.
  package var shapes: [RecordShape] {
    entries.enumerated().compactMap { index, entry in
      switch entry.kind {
      case .other: return nil
      case .table:
        guard let definition = entry.definition, definition.module == nil,
          !definition.columns.isEmpty
        else { return nil }
        return RecordShape(
          tree: index + 1, columns: definition.storedColumns.map(\.affinity),
          rowidAlias: definition.rowidAlias, isIndex: definition.isWithoutRowid)
      case .index:
        guard !entry.columns.isEmpty else { return nil }
        return RecordShape(
          tree: index + 1, columns: entry.columns.map { _ in .blob }, rowidAlias: nil,
          isIndex: true, isLoose: true)
      }
    }
  }
}
