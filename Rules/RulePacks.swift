/// The rules that ship with the program, and what goes with them: the text of every file in these
/// folders of `Rules/`, embedded when the program is built.
package enum RulePacks {
  /// Path below `packs/` (its folder is the pack, its stem the rule) and YAML text, in path order.
  package static var files: [(path: String, text: String)] {
    EmbeddedRules.packs.map { ("\($0.path)", unveiled($0.text)) }
  }

  /// The word lists that say which names are sensitive.
  package static var lexicon: [(path: String, text: String)] { texts(EmbeddedRules.lexicon) }

  /// The standards whose clauses rules name.
  package static var controls: [(path: String, text: String)] { texts(EmbeddedRules.controls) }

  /// What the program says in languages other than English.
  package static var languages: [(path: String, text: String)] { texts(EmbeddedRules.languages) }

  /// The text of a pack, which is embedded with every printable character of ASCII moved by half their
  /// number (`Plugins/EmbedRulesTool`): examples of leaks must not make the program look like one.
  private static func unveiled(_ text: StaticString) -> String {
    text.withUTF8Buffer { veiled in
      String(unsafeUninitializedCapacity: veiled.count) { bytes in
        for (index, byte) in veiled.enumerated() {
          let isPrintable = byte > 0x20 && byte < 0x7f
          bytes[index] = !isPrintable ? byte : byte < 0x50 ? byte + 47 : byte - 47
        }
        return veiled.count
      }
    }
  }

  private static func texts(
    _ files: [(path: StaticString, text: StaticString)]
  ) -> [(path: String, text: String)] {
    files.map { ("\($0.path)", "\($0.text)") }
  }
}
