/// The rules that ship with the program, and what goes with them: the text of every file in these
/// folders of `Rules/`, embedded when the program is built.
package enum RulePacks {
  /// Path below `packs/` (its folder is the pack, its stem the rule) and YAML text, in path order.
  package static var files: [(path: String, text: String)] { texts(EmbeddedRules.packs) }

  /// The word lists that say which names are sensitive.
  package static var lexicon: [(path: String, text: String)] { texts(EmbeddedRules.lexicon) }

  /// The standards whose clauses rules name.
  package static var controls: [(path: String, text: String)] { texts(EmbeddedRules.controls) }

  /// What the program says in languages other than English.
  package static var languages: [(path: String, text: String)] { texts(EmbeddedRules.languages) }

  private static func texts(
    _ files: [(path: StaticString, text: StaticString)]
  ) -> [(path: String, text: String)] {
    files.map { ("\($0.path)", "\($0.text)") }
  }
}
