/// The rule packs that ship with the program: the text of every file below `Rules/packs`, embedded
/// when the program is built.
package enum RulePacks {
  /// Path below `packs/` (its folder is the pack, its stem the rule) and YAML text, in path order.
  package static var files: [(path: String, text: String)] {
    EmbeddedRules.files.map { ("\($0.path)", "\($0.text)") }
  }
}
