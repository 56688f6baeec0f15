import Bytes
import RuleEngine
import RulePacks
import Scanning

/// Which rules a command works with: the packs that ship, folders of a person's own, and a choice.
enum RuleSelection {
  /// The rules and checks that `--packs` and `--rules` name. A name in `--packs` is that of a folder, of
  /// a profile, or of both: it means every rule in the folder, and every rule elsewhere that lists it
  /// under `profiles`.
  static func pack(_ arguments: Arguments) throws -> RulePack {
    let wanted = arguments["--packs"]?.split(separator: ",").map(String.init)
    var files: [(path: String, text: String, isOwn: Bool)] = RulePacks.files.map {
      ($0.path, $0.text, false)
    }
    for folder in arguments.all("--rules") {
      files += try InputFile.yamlFiles(below: folder).map { ($0.path, $0.text, true) }
    }
    var result = RulePack()
    for isOwn in [false, true] {
      let chosen = files.filter { $0.isOwn == isOwn && mayBeWanted($0.path, $0.text, wanted) }
      let read = try RulePack(chosen.map { ($0.path, $0.text) }, checksPatterns: isOwn)
      result.rules += read.rules.filter { isWanted($0.id, $0.profiles, wanted) }
      result.checks += read.checks.filter { isWanted($0.id, $0.profiles, wanted) }
      result.storage += read.storage.filter { isWanted($0.id, $0.profiles, wanted) }
    }
    let known = Set(files.map { pack($0.path) }).union(result.profiles)
    for name in wanted ?? [] where name != "none" && name != "all" && !known.contains(name) {
      let all = known.union(
        try RulePack(files.map { ($0.path, $0.text) }, checksPatterns: false).profiles)
      throw UsageError.badValue(
        "--packs",
        "names \"\(name)\", which is not a pack; there are \(all.sorted().joined(separator: ", "))")
    }
    return result
  }

  /// Which names are sensitive: the lists that ship, and the project's own.
  static func lexicon(_ arguments: Arguments) throws -> Lexicon {
    var lexicon = try LexiconFile.lexicon(of: RulePacks.lexicon)
    for path in arguments.all("--lexicon") {
      try LexiconFile.add(try InputFile.text(at: path), path: path, to: &lexicon)
    }
    return lexicon
  }

  private static func isWanted(_ id: String, _ profiles: [String], _ wanted: [String]?) -> Bool {
    guard let wanted, !wanted.contains("all") else { return true }
    return wanted.contains(pack(id)) || !Set(profiles).isDisjoint(with: wanted)
  }

  /// Whether a file is worth reading for what is wanted: its folder says so, or a profile in it may.
  /// Comparing texts by their characters would cost more than all else that a small scan does.
  private static func mayBeWanted(_ path: String, _ text: String, _ wanted: [String]?) -> Bool {
    guard let wanted, !wanted.contains("all") else { return true }
    guard !wanted.contains(pack(path)) else { return true }
    let names = wanted.filter { $0 != "none" }.map { LiteralDatabase.Literal(Array($0.utf8)) }
    guard let database = try? LiteralDatabase(names) else { return true }
    var isNamed = false
    database.search(text.utf8.span.bytes) { _ in isNamed = true }
    return isNamed
  }

  /// The pack in the path or id of a rule: `secrets` of `secrets/jwt.yaml` and `secrets.jwt`.
  private static func pack(_ path: String) -> String {
    String(path.prefix { $0 != "/" && $0 != "." })
  }
}

extension RulePack {
  /// Every profile that a rule or check belongs to.
  fileprivate var profiles: Set<String> {
    Set(
      rules.flatMap(\.profiles) + checks.flatMap(\.profiles) + storage.flatMap(\.profiles))
  }
}
