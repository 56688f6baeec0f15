import Findings
import RuleEngine

/// `vestige rules`: lists the rules, shows one, and runs every rule's own examples.
struct RulesCommand: Command {
  let name = "rules"
  let summary = "list, show or test the rules"
  let operands = "list|show ID|test"
  let options: [Option] = [
    Option("--packs", "LIST", "packs, by name, with commas (default: all)"),
    Option("--rules", "DIR", isRepeatable: true, "add a folder of rule packs"),
  ]
  let details = """
    list   one line a rule: id, severity, title
    show   everything about one rule
    test   runs every rule on its own examples: each "match" must be found, and
           no "clean"

    """

  func run(_ arguments: Arguments, _ terminal: Terminal) async throws -> Int32 {
    let rules = try RuleSelection.rules(arguments)
    switch arguments.operands.first {
    case "list" where arguments.operands.count == 1:
      for rule in rules { terminal.print("\(rule.id)  \(rule.severity.rawValue)  \(rule.title)\n") }
      return 0
    case "show" where arguments.operands.count == 2:
      guard let rule = rules.first(where: { $0.id == arguments.operands[1] }) else {
        throw UsageError.badValue("show", "names \"\(arguments.operands[1])\", which is not a rule")
      }
      terminal.print(Self.text(of: rule))
      return 0
    case "test" where arguments.operands.count == 1:
      return try test(rules, terminal)
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
    return Terminal.harmless(text)
  }

  private func test(_ rules: [Rule], _ terminal: Terminal) throws -> Int32 {
    let failures = try RuleTest.failures(of: rules)
    for failure in failures { terminal.print("\(failure.description)\n") }
    let failed = Set(failures.map(\.rule)).count
    if !terminal.isQuiet { terminal.print("\(rules.count - failed) passed, \(failed) failed\n") }
    guard !rules.isEmpty else { throw Engine.BuildError.nothingToFind }
    return failures.isEmpty ? 0 : 1
  }
}
