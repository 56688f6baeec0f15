package import Findings
import RulePacks
package import YAML

/// The entries of a language file, in its order: the first that fits is taken.
package struct Catalogue: Sendable {
  package typealias Entry = (english: String, translation: String)

  /// Sentences of reports and diagnostics.
  package var phrases: [Entry] = []
  /// What is wrong with a command line or a file, and what to do.
  package var errors: [Entry] = []
  /// Titles and remedies of rules; the rules stay as they are.
  package var titles: [Entry] = []
  /// Words of the HTML report's scripts.
  package var page: [Entry] = []
  /// What `vestige inspect` calls the parts of a file: words too short to be looked for elsewhere.
  package var inspection: [Entry] = []
  /// What a proof says of a store, its faults and what was left.
  package var proof: [Entry] = []
  /// What `--help` says: sentences, and blocks of lines as they are laid out.
  package var help: [Entry] = []

  package init() {}

  package init(yaml text: String) throws(YAMLError) {
    guard let root = try YAMLParser.parse(text) else {
      throw YAMLError("the file is empty", at: YAMLMark(line: 1, column: 1))
    }
    let fields = try root.fields([
      "phrases", "errors", "titles", "page", "inspection", "proof", "help",
    ])
    phrases = try Self.entries(fields["phrases"])
    errors = try Self.entries(fields["errors"])
    titles = try Self.entries(fields["titles"])
    page = try Self.entries(fields["page"])
    inspection = try Self.entries(fields["inspection"])
    proof = try Self.entries(fields["proof"])
    help = try Self.entries(fields["help"])
  }

  /// Adds the entries of another file of the same language.
  package mutating func add(_ other: Catalogue) {
    phrases += other.phrases
    // The main file ends with an entry that fits most errors.
    errors = other.errors + errors
    titles += other.titles
    page += other.page
    inspection += other.inspection
    proof += other.proof
    help += other.help
  }

  /// All files of a language: `zh-Hans.yaml`, and those in the folder `zh-Hans`.
  package static func builtIn(_ language: Language) throws(YAMLError) -> Catalogue {
    var catalogue = Catalogue()
    for file in RulePacks.languages
    where file.path == language.rawValue + ".yaml" || file.path.hasPrefix(language.rawValue + "/") {
      catalogue.add(try Catalogue(yaml: file.text))
    }
    return catalogue
  }

  private static func entries(_ node: YAMLNode?) throws(YAMLError) -> [Entry] {
    guard let node else { return [] }
    guard case .mapping(let entries) = node.value else {
      throw YAMLError("English sentences with their translation are wanted here", at: node.mark)
    }
    var read: [Entry] = []
    for entry in entries {
      let translation = try entry.value.text()
      guard holes(entry.key) >= holes(translation) else {
        throw YAMLError("the translation has holes that the sentence has not", at: entry.keyMark)
      }
      read.append((entry.key, translation))
    }
    return read
  }

  /// How many holes a sentence has: `{}`, `{t}`, and in translations `{1}` and so on.
  static func holes(_ sentence: String) -> Int {
    sentence.split(separator: "{", omittingEmptySubsequences: false).dropFirst().count { part in
      let name = part.prefix { $0 != "}" }
      return name.count < part.count && (name.isEmpty || name == "t" || Int(name) != nil)
    }
  }
}
