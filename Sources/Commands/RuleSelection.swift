import RuleEngine
import RulePacks
import Scanning

/// Which rules a command works with: the packs that ship, folders of a person's own, and a choice.
enum RuleSelection {
  /// The rules and checks that `--packs` and `--rules` name. A name in `--packs` is that of a pack, or
  /// of a profile: then it means every rule that says it belongs to it, whatever its pack.
  static func pack(_ arguments: Arguments) throws -> RulePack {
    let wanted = arguments["--packs"]?.split(separator: ",").map(String.init)
    var files: [(path: String, text: String, isOwn: Bool)] = RulePacks.files.map {
      ($0.path, $0.text, false)
    }
    for folder in arguments.all("--rules") {
      files += try InputFile.yamlFiles(below: folder).map { ($0.path, $0.text, true) }
    }
    let packs = Set(files.map { pack($0.path) })
    // A name may be both: `masvs` is a folder, and rules of other folders belong to it.
    let profiles = (wanted ?? []).filter { $0 != "none" && $0 != "all" }
    var result = RulePack()
    // Only a profile needs a look into files of other packs.
    for isOwn in [false, true] {
      let chosen = files.filter {
        $0.isOwn == isOwn && (!profiles.isEmpty || isWanted($0.path, wanted))
      }
      let read = try RulePack(chosen.map { ($0.path, $0.text) }, checksPatterns: isOwn)
      result.rules += read.rules
      result.checks += read.checks
      result.storage += read.storage
    }
    for name in profiles where !packs.contains(name) && !result.has(profile: name) {
      throw UsageError.badValue(
        "--packs",
        "names \"\(name)\", which is not a pack; there are"
          + " \(packs.union(result.profiles).sorted().joined(separator: ", "))")
    }
    guard !profiles.isEmpty else { return result }
    result.rules.removeAll { rule in
      !isWanted(rule.id, wanted) && Set(rule.profiles).isDisjoint(with: profiles)
    }
    result.checks.removeAll { check in
      !isWanted(check.id, wanted) && Set(check.profiles).isDisjoint(with: profiles)
    }
    result.storage.removeAll { rule in
      !isWanted(rule.id, wanted) && Set(rule.profiles).isDisjoint(with: profiles)
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

  private static func isWanted(_ path: String, _ wanted: [String]?) -> Bool {
    guard let wanted, !wanted.contains("all") else { return true }
    return wanted.contains(pack(path))
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

  fileprivate func has(profile: String) -> Bool { profiles.contains(profile) }
}
