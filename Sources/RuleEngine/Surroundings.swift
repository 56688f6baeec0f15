package import Findings

/// What is known about searched bytes beyond themselves, from the reader that lifted them.
package struct Surroundings: Sendable {
  /// The bytes are one whole value of a record, dictionary or list.
  package var isWholeField = false
  /// Names the value stands under and short texts beside it.
  package var names: [String] = []

  package init() {}

  /// The surroundings of a fragment.
  package init(of context: Context, isWholeField: Bool = true) {
    self.isWholeField = isWholeField
    names = [context.key, context.column, context.table].compactMap(\.self) + context.neighbours
  }
}
