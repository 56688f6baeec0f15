import Bytes

/// Words of which one stands in every source file that a check could find something in: a search of
/// bytes spares the parser all other files. One value belongs to one task.
package final class TriggerWords {
  private let database: LiteralDatabase
  private let words: [String]

  package init(_ set: CheckSet) throws(LiteralDatabase.CompileError) {
    words = Array(set.triggers)
    database = try LiteralDatabase(words.map { LiteralDatabase.Literal(Array($0.utf8)) })
  }

  package func isIn(_ bytes: RawSpan) -> Bool {
    var isFound = false
    database.search(bytes) { _ in isFound = true }
    return isFound
  }

  /// Those that stand in the bytes.
  package func words(in bytes: RawSpan) -> Set<String> {
    var found: Set<Int> = []
    database.search(bytes) { found.insert($0.literal) }
    return Set(found.map { words[$0] })
  }
}
