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

@Suite struct `A scan with checks` {
  private static let check = """
    id: mine.log
    kind: source
    title: A sensitive value is logged
    severity: high
    remedy: R
    facts: [{subject: call, name: [print, NSLog]}]
    applies: [{value: arguments.names}]
    fail: [{value: arguments.names, classified: true}]
    examples:
      match: ['func f() { print(password) }']
      clean: ['func f() { print(1) }']
    """
  private static let lexicon = "classes: {credential: [password]}"

  static func options(_ options: inout ScanOptions) {
    options.rules = []
    options.checks =
      (try? RulePack([(path: "mine/log.yaml", text: check)], checksPatterns: true))?.checks ?? []
    try? LexiconFile.add(lexicon, path: "lexicon.yaml", to: &options.lexicon)
  }

  static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(
      "App/Login.swift", "import UIKit\nfunc f() {\n  print(\"pw\", user.password)\n}\n")
    try folder.write("App/Old.m", "- (void)f {\n  NSLog(@\"%@\", password);\n}\n")
    try folder.write("App/Clean.swift", "func g() { print(title) }\n")
    try folder.write("AppTests/LoginTests.swift", "func f() { print(password) }\n")
    return folder
  }

  @Test func `finds what fails, with line, bytes and symbol`() async throws {
    let folder = try Self.folder()
    let report = try await folder.scan(needles: [], Self.options)
    #expect(report.findings.map(\.path) == ["App/Login.swift", "App/Old.m"])
    let finding = try #require(report.findings.first)
    #expect(finding.line == 3)
    #expect(finding.ranges == [ByteRange(offset: 26, length: 26)])
    #expect(finding.context.symbol == "f")
    #expect(finding.sample == "print, password")
    #expect(finding.severity == .high)
    #expect(
      report.results == [
        RuleResult(rule: "mine.log", path: ".", outcome: .fail, reason: "2 of 3 places fail")
      ])
    #expect(report.run.status == 1)
  }

  @Test(arguments: [1, 2, 7])
  func `writes the same report whatever the number of tasks`(jobs: Int) async throws {
    let folder = try Self.folder()
    for number in 0..<60 {
      try folder.write("More/F\(number).swift", "func f\(number)() { print(password) }\n")
    }
    let one = try await folder.scan(needles: [], Self.options)
    let many = try await folder.scan(needles: []) {
      Self.options(&$0)
      $0.jobs = jobs
    }
    #expect(one.findings.count == 62)
    #expect(many.timeless == one.timeless)
  }

  @Test func `audits headers that say what only Objective-C can`() async throws {
    let folder = try TemporaryFolder()
    let leak = "static inline void f(void) { NSLog(@\"%@\", password); }\n"
    try folder.write("Objective.h", "#import <Foundation/Foundation.h>\n" + leak)
    try folder.write("Literal.h", leak)
    try folder.write("C.h", "static inline void f(void) { NSLog(\"%s\", password); }\n")
    try folder.write(
      "Quoted.hpp.h",
      "struct S {\n  void print(O &o) const;\n  S() : s(\"\\\"@\"), t(\"a@\") {}\n};\n")
    let report = try await folder.scan(needles: [], Self.options)
    #expect(report.findings.map(\.path) == ["Literal.h", "Objective.h"])
  }

  @Test func `says of a fingerprint that moved lines change nothing`() async throws {
    let folder = try Self.folder()
    let before = try await folder.scan(needles: [], Self.options)
    try folder.write(
      "App/Login.swift", "import UIKit\n\n\n\nfunc f() {\n  print(\"pw\", user.password)\n}\n")
    let after = try await folder.scan(needles: [], Self.options)
    #expect(before.findings.map(\.fingerprint) == after.findings.map(\.fingerprint))
    #expect(before.findings.map(\.line) != after.findings.map(\.line))
  }

  @Test func `cannot tell of source that is damaged, and says so`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("A.swift", "func f() { print(title)\n")
    try folder.write("B.swift", "func ( {\n")
    let report = try await folder.scan(needles: [], Self.options)
    // Nothing that the check could be about stands in B: it is not even parsed.
    #expect(report.codes == [.formatDamaged])
    #expect(report.results.map(\.outcome) == [.notEvaluated])
    #expect(
      report.results.map(\.reason) == [
        "A.swift could not be parsed from line 1 on; 1 place looked at, none fails"
      ])
    #expect(report.run.status == 3)
  }

  /// Code that no one wrote by hand takes a lot of memory: what is too long is told, where a check could
  /// have found something in it.
  @Test func `cannot tell of source that is too long, and says so`() async throws {
    let filler = String(repeating: "let a = 1\n", count: 220_000)
    for (name, text, isTold) in [
      ("A.swift", filler + "func f() { print(password) }\n", true),
      ("A.m", "#import <F/F.h>\n\(filler)void f() { NSLog(@\"%@\", password); }\n", true),
      ("B.swift", filler, false),
      ("ATests.swift", filler + "func f() { print(password) }\n", false),
    ] {
      let folder = try TemporaryFolder()
      try folder.write(name, text)
      let report = try await folder.scan(needles: [], Self.options)
      #expect(report.codes == (isTold ? [.limitSize] : []), "\(name)")
      if isTold {
        #expect(report.results.map(\.reason) == ["\(name) is too large to be parsed"])
      }
      #expect(report.run.status == (isTold ? 3 : 0))
    }
    let folder = try TemporaryFolder()
    try folder.write("A.swift", filler + "func f() { print(password) }\n")
    let report = try await folder.scan(needles: []) {
      Self.options(&$0)
      $0.limits.memberSize = 1 << 20
    }
    #expect(report.codes == [.limitSize] && report.run.status == 3)
  }

  @Test func `reads source inside an archive`() async throws {
    let folder = try TemporaryFolder()
    let source = "func f() {\n  print(password)\n}\n"
    try folder.write(
      "app.zip", bytes: ZipBuilder([ZipBuilder.Entry("Sources/Login.swift", source)]).bytes())
    let report = try await folder.scan(needles: [], Self.options)
    #expect(report.findings.map(\.locator) == ["app.zip!/Sources/Login.swift"])
    #expect(report.findings.first?.line == 2)
  }
}
