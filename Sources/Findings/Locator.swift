/// A path through containers to a place: `App.ipa!/Payload/A.app/store.sqlite!/page/12/cell/3`.
package struct Locator: Equatable, Hashable, Sendable, CustomStringConvertible {
  package private(set) var description: String

  /// The outermost file, relative to its root; a `!` in its name is escaped like that of a step.
  package init(file: String) {
    description = Self.escaped(file)
  }

  private static func escaped(_ name: String) -> String {
    name.utf8.contains(UInt8(ascii: "!")) ? name.replacing("!", with: "%21") : name
  }

  /// A step that is not a place but the border of a source inside another.
  package static let border = "\u{0}"

  /// A place inside what this locator names; without steps it is the same place. A `!` in a name is
  /// escaped, so that `!/` always means "inside".
  package func inside(_ steps: [String]) -> Locator {
    guard !steps.isEmpty else { return self }
    var inner = self
    inner.description += "!"
    for step in steps {
      if step == Self.border {
        inner.description += "!"
      } else {
        inner.description += "/" + Self.escaped(step)
      }
    }
    return inner
  }

  /// The steps to a place inside a source that itself lies at `outer`.
  package static func steps(_ outer: [String], inside inner: [String]) -> [String] {
    outer.isEmpty || inner.isEmpty ? outer + inner : outer + [border] + inner
  }
}
