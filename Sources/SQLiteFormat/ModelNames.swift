/// What the objects of a store are called by the program that keeps them there: Core Data makes a table
/// `ZPERSON` of its entity `Person`, and a column `ZBIRTHDATE` of the attribute `birthDate`.
package struct ModelNames: Equatable, Sendable {
  /// Entities by the number that rows bear in `Z_ENT`.
  package var entities: [Int64: String] = [:]
  /// Entity of each table, in upper case, that its rows belong to unless they say otherwise.
  package var tables: [String: String] = [:]
  /// Attributes by table and column, both in upper case.
  package var attributes: [String: [String: String]] = [:]

  package init() {}

  /// The entity of a row of a table.
  ///
  /// - Parameter number: what the row bears in `Z_ENT`.
  package func entity(ofTable table: String, number: Int64?) -> String? {
    if let number, let name = entities[number] { return name }
    return tables[table.uppercased()]
  }

  package func attribute(ofTable table: String, column: String) -> String? {
    attributes[table.uppercased()]?[column.uppercased()]
  }
}
