package import Findings

/// What a check says of one fact that is worth telling: a violation, a warning, or a question that
/// only the whole unit answers.
package struct Ruling: Sendable, Equatable {
  package enum Verdict: Sendable, Equatable {
    case fails(Check.Clause)
    case warns(Check.Clause)
    /// It depends on facts that may come later.
    case waits
  }

  package var check: Int
  package var verdict: Verdict
  package var fact: Fact
  package var unit: String
  /// Names in the fact that were found to be sensitive.
  package var sensitive: [String] = []
}

extension Check {
  /// The unit that the file or member at a locator belongs to.
  package func unit(of locator: String, root: String) -> String {
    switch unit {
    case .root: root
    case .file: locator
    case .bundle: Self.bundles(around: locator).last ?? locator
    case .app: Self.bundles(around: locator).first ?? locator
    }
  }

  private static let extensions = [
    ".app", ".appex", ".framework", ".xcframework", ".bundle", ".xcarchive",
  ]

  /// Locators of the bundles that a file lies in, the outermost first.
  private static func bundles(around locator: String) -> [String] {
    var found: [String] = []
    for end in locator.indices where locator[end] == "/" || locator[end] == "!" {
      let path = locator[..<end]
      if extensions.contains(where: { path.hasSuffix($0) }) { found.append(String(path)) }
    }
    return found
  }
}
