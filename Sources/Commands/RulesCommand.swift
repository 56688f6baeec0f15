import Findings
import Languages
import RuleEngine
import Scanning

/// `vestige rules`: lists the rules, shows one, and runs every rule's own examples.
struct RulesCommand: Command {
  let name = "rules"
  let summary = "list, show or test the rules"
  let operands = "list|show ID|test"
  let options: [Option] = [
    Option("--packs", "LIST", "packs, by name, with commas (default: all)"),
    Option("--rules", "DIR", isRepeatable: true, "add a folder of rule packs"),
    Option("--lexicon", "FILE", isRepeatable: true, "add names that count as sensitive"),
  ]
  let details = """
    list   one line a rule: id, severity, title
    show   everything about one rule
    test   runs every rule on its own examples: each "match" must be found, and
           no "clean"

    """

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    let pack = try RuleSelection.pack(arguments)
    switch arguments.operands.first {
    case "list" where arguments.operands.count == 1:
      let lines =
        pack.rules.map { ($0.id, $0.severity, $0.title) }
        + pack.checks.map { ($0.id, $0.severity, $0.title) }
        + pack.storage.map { ($0.id, $0.severity, $0.title) }
      for line in lines.sorted(by: { $0.0 < $1.0 }) {
        let title = Phrasebook.of(terminal.language).title(line.2)
        try terminal.print("\(line.0)  \(line.1.rawValue)  \(title)\n")
      }
      return 0
    case "show" where arguments.operands.count == 2:
      let id = arguments.operands[1]
      if let rule = pack.rules.first(where: { $0.id == id }) {
        try terminal.print(Self.text(of: rule))
      } else if let check = pack.checks.first(where: { $0.id == id }) {
        try terminal.print(Self.text(of: check))
      } else if let rule = pack.storage.first(where: { $0.id == id }) {
        try terminal.print(Self.text(of: rule))
      } else {
        throw UsageError.badValue("show", "names \"\(id)\", which is not a rule")
      }
      return 0
    case "test" where arguments.operands.count == 1:
      return try test(pack, try RuleSelection.lexicon(arguments), terminal)
    case "list"?, "test"?:
      throw UsageError.unwantedOperand(arguments.operands[1])
    case "show"?:
      throw arguments.operands.count == 1
        ? UsageError.missingOperand("ID") : UsageError.unwantedOperand(arguments.operands[2])
    case let word?:
      throw UsageError.unwantedOperand(word)
    case nil:
      throw UsageError.missingOperand("list, show or test")
    }
  }

  private static func text(of rule: Rule) -> String {
    var text = "\(rule.id)\n  \(rule.title)\n  severity   \(rule.severity.rawValue)\n"
    text += "  remedy     \(rule.remedy)\n"
    if !rule.controls.isEmpty { text += "  controls   \(rule.controls.joined(separator: ", "))\n" }
    if !rule.references.isEmpty {
      text += "  references \(rule.references.joined(separator: ", "))\n"
    }
    text += "  pattern    \(rule.pattern)\n"
    if let checksum = rule.checksum { text += "  checksum   \(checksum)\n" }
    if !rule.context.isEmpty { text += "  context    \(rule.context.joined(separator: ", "))\n" }
    if rule.knownBy != .itself { text += "  known by   \(rule.knownBy.rawValue)\n" }
    if !rule.givesWayTo.isEmpty {
      text += "  gives way  \(rule.givesWayTo.joined(separator: ", "))\n"
    }
    return Terminal.harmless(text)
  }

  private static func text(of check: Check) -> String {
    var text = "\(check.id)\n  \(check.title)\n  kind       \(check.kind.rawValue)\n"
    text += "  severity   \(check.severity.rawValue)\n  remedy     \(check.remedy)\n"
    if let note = check.note { text += "  note       \(note)\n" }
    for (label, values) in [
      ("controls", check.controls), ("aliases", check.aliases), ("profiles", check.profiles),
      ("references", check.references),
    ] where !values.isEmpty {
      let padding = String(repeating: " ", count: 11 - label.count)
      text += "  \(label)\(padding)\(values.joined(separator: ", "))\n"
    }
    return Terminal.harmless(text)
  }

  private static func text(of rule: StorageRule) -> String {
    var text = "\(rule.id)\n  \(rule.title)\n  kind       storage\n"
    text += "  severity   \(rule.severity.rawValue)\n  remedy     \(rule.remedy)\n"
    if !rule.controls.isEmpty { text += "  controls   \(rule.controls.joined(separator: ", "))\n" }
    text += "  observed   \(rule.observed.map(\.rawValue).joined(separator: ", "))\n"
    for (name, values) in rule.conditions.sorted(by: { $0.key < $1.key }) {
      text += "  when       \(name) is \(values.joined(separator: " or "))\n"
    }
    return Terminal.harmless(text)
  }

  private func test(_ pack: RulePack, _ lexicon: Lexicon, _ terminal: Terminal) throws -> Int32 {
    let failures = try RuleTest.failures(of: pack.rules) + pack.storage.flatMap(\.failures)
    let checkFailures = CheckExamples.failures(of: pack.checks, lexicon: lexicon)
    for failure in failures { try terminal.print("\(failure.description)\n") }
    for failure in checkFailures { try terminal.print("\(failure.description)\n") }
    let failed = Set(failures.map(\.rule) + checkFailures.map(\.rule)).count
    let count = pack.rules.count + pack.checks.count + pack.storage.count
    if !terminal.isQuiet {
      try terminal.print(terminal.say("\(count - failed) passed, \(failed) failed") + "\n")
    }
    guard count > 0 else { throw Engine.BuildError.nothingToFind }
    return failed == 0 ? 0 : 1
  }
}
