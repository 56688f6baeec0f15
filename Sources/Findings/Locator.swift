/// A path through containers to a place: `App.ipa!/Payload/A.app/store.sqlite!/page/12/cell/3`.
package struct Locator: Equatable, Hashable, Sendable, CustomStringConvertible {
  package private(set) var description: String

  /// The outermost file, relative to its root.
  package init(file: String) {
    description = file
  }

  /// A place inside what this locator names; without steps it is the same place. A `!` in a name is
  /// escaped, so that `!/` always means "inside".
  package func inside(_ steps: [String]) -> Locator {
    guard !steps.isEmpty else { return self }
    var inner = self
    inner.description += "!"
    for step in steps {
      inner.description += "/" + (step.contains("!") ? step.replacing("!", with: "%21") : step)
    }
    return inner
  }
}
