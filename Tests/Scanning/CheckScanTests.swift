import Findings
import FixtureKit
import RuleEngine
import RulePacks
import Scanning
import Testing

/// Outcomes over facts given as examples.
@Suite struct `Outcomes of checks` {
  static func check(_ decision: String, examples: String = "{match: [a], clean: [b]}") throws
    -> Check
  {
    let text = """
      id: mine.check
      kind: schema
      title: T
      severity: high
      remedy: R
      facts:
        - subject: table
      \(decision)
      examples: \(examples)
      """
    return try #require(
      try RulePack([(path: "mine/check.yaml", text: text)], checksPatterns: true).checks.first)
  }

  static func fact(_ name: String, _ values: [String: [String]] = [:]) -> Fact {
    Fact(.table, name, values: values, at: Place(steps: ["table", name], origin: .transformed))
  }

  static func outcome(_ decision: String, _ facts: [Fact]) throws -> CheckExamples.Outcome {
    CheckExamples.outcome(
      of: Check.Example(files: [], facts: facts), with: CheckSet([try check(decision)]))
  }

  @Test func `are pass, fail, a warning, nothing and undecided`() throws {
    let decision =
      "undecided: [{when: [{value: a, is: '?'}], message: unknown}]\nfail: [{value: a, is: x}]\n"
      + "warn: [{value: a, is: y}]"
    #expect(try Self.outcome(decision, [Self.fact("t", ["a": ["z"]])]) == .passes)
    #expect(try Self.outcome(decision, [Self.fact("t", ["a": ["x"]])]) == .fails)
    #expect(try Self.outcome(decision, [Self.fact("t", ["a": ["y"]])]) == .warns)
    #expect(try Self.outcome(decision, [Self.fact("t", ["a": ["?"]])]) == .undecided)
    #expect(try Self.outcome(decision, []) == .nothing)
  }

  @Test func `wait for facts that come later`() throws {
    let decision = "fail: [{value: a, is: x}, {unit-lacks: {subject: entity, name: E}}]"
    let other = Fact(.entity, "E", at: Place(steps: [], origin: .transformed))
    #expect(try Self.outcome(decision, [Self.fact("t", ["a": ["x"]])]) == .fails)
    #expect(try Self.outcome(decision, [Self.fact("t", ["a": ["x"]]), other]) == .passes)
    #expect(try Self.outcome(decision, [other, Self.fact("t", ["a": ["x"]])]) == .passes)
  }

  @Test func `of a scan that saw nothing are not evaluated, with the reason`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "plain text")
    let check = try Self.check(
      "nothing: no table at all\nfail: [{value: a}]",
      examples: "{match: [{facts: [{subject: table, name: t, values: {a: b}}]}], clean: [x]}")
    let report = try await folder.scan(needles: []) { $0.checks = [check] }
    #expect(
      report.results == [
        RuleResult(
          rule: "mine.check", path: ".", outcome: .notEvaluated, reason: "no table at all")
      ])
    #expect(report.scope.rules == 1)
    #expect(report.run.status == 0)
  }
}

@Suite struct `The positive control of checks` {
  @Test func `keeps a scan from starting where a pack does not find its own example`() async throws
  {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "plain text")
    let check = try `Outcomes of checks`.check("fail: [{value: a}]")
    await #expect(throws: Scanner.StartError.self) {
      try await folder.scan(needles: []) { $0.checks = [check] }
    }
  }
}

@Suite struct `The checks that ship` {
  @Test func `decide their own examples as they say`() throws {
    let checks = try RulePack(RulePacks.files, checksPatterns: true).checks
    let lexicon = try LexiconFile.lexicon(of: RulePacks.lexicon)
    #expect(CheckExamples.failures(of: checks, lexicon: lexicon).map(\.description) == [])
  }
}
