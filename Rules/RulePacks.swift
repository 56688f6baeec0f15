/// The rule packs that ship with the program: the text of every file below `Rules/packs` and
/// `Rules/lexicon`, embedded when the program is built.
package enum RulePacks {
  /// Path below `packs/` (its folder is the pack, its stem the rule) and YAML text, in path order.
  package static var files: [(path: String, text: String)] { texts(EmbeddedRules.packs) }

  /// The word lists that say which names are sensitive.
  package static var lexicon: [(path: String, text: String)] { texts(EmbeddedRules.lexicon) }

  private static func texts(
    _ files: [(path: StaticString, text: StaticString)]
  ) -> [(path: String, text: String)] {
    files.map { ("\($0.path)", "\($0.text)") }
  }
}
