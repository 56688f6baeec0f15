import Bytes

/// Words of which one stands in every source file that a check could find something in: a search of
/// bytes spares the parser all other files. One value belongs to one task.
package final class TriggerWords {
  private let database: LiteralDatabase

  package init(_ set: CheckSet) throws(LiteralDatabase.CompileError) {
    database = try LiteralDatabase(
      set.triggers.map { LiteralDatabase.Literal(Array($0.utf8)) })
  }

  package func isIn(_ bytes: RawSpan) -> Bool {
    var isFound = false
    database.search(bytes) { _ in isFound = true }
    return isFound
  }
}
