import RuleEngine
import RulePacks
import Scanning

/// Which rules a command works with: the packs that ship, folders of a person's own, and a choice.
enum RuleSelection {
  static func rules(_ arguments: Arguments) throws -> [Rule] {
    var rules: [Rule] = []
    let wanted = arguments["--packs"]?.split(separator: ",").map(String.init)
    rules += try RulePack.rules(
      in: RulePacks.files.filter { isWanted($0.path, wanted) }, checksPatterns: false)
    var known = Set(RulePacks.files.map { pack($0.path) })
    for folder in arguments.all("--rules") {
      let files = try InputFile.yamlFiles(below: folder)
      known.formUnion(files.map { pack($0.path) })
      rules += try RulePack.rules(
        in: files.filter { isWanted($0.path, wanted) }, checksPatterns: true)
    }
    for name in wanted ?? [] where name != "none" && name != "all" && !known.contains(name) {
      throw UsageError.badValue(
        "--packs",
        "names \"\(name)\", which is not a pack; there are \(known.sorted().joined(separator: ", "))"
      )
    }
    return rules
  }

  private static func isWanted(_ path: String, _ wanted: [String]?) -> Bool {
    guard let wanted, !wanted.contains("all") else { return true }
    return wanted.contains(pack(path))
  }

  /// The folder of a rule file: `secrets` of `secrets/jwt.yaml`.
  private static func pack(_ path: String) -> String {
    String(path.prefix { $0 != "/" })
  }
}
