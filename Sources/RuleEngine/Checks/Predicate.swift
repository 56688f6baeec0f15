import Findings

/// A test of a fact that rule files name with `check:`, for what conditions cannot say.
package struct Predicate: Sendable {
  package let name: String
  let holds: @Sendable (Fact, Lexicon) -> Bool

  /// The tests there are; a rule file that names another is told these.
  package static let builtIn: [Predicate] = [GuessableHash.predicate]

  package static func named(_ name: String) -> Predicate? {
    builtIn.first { $0.name == name }
  }
}
