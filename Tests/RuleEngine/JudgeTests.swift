import Findings
import RuleEngine
import Testing

/// Judging with a check of one `decision`, over facts of one unit.
@Suite struct `A check` {
  static func judge(_ decision: String) throws -> Judge {
    let text = """
      id: mine.check
      kind: source
      title: T
      severity: high
      remedy: R
      triggers: [xyz]
      facts:
        - subject: call
      \(decision)
      examples: {match: [a], clean: [b]}
      """
    let check = try #require(
      try RulePack([(path: "mine/check.yaml", text: text)], checksPatterns: true).checks.first)
    var lexicon = Lexicon()
    try LexiconFile.add(
      "classes: {credential: [password]}\nharmless-after: [length]", path: "lexicon.yaml",
      to: &lexicon)
    return Judge(CheckSet([check], lexicon: lexicon))
  }

  static func call(_ name: String, _ values: [String: [String]] = [:]) -> Fact {
    Fact(.call, name, values: values, at: Place(steps: [], origin: .transformed))
  }

  static func verdict(_ judge: Judge, _ fact: Fact) -> String {
    switch judge.rulings(on: fact, in: "a.swift", root: ".").first?.verdict {
    case .fails?: "fails"
    case .warns?: "warns"
    case .waits?: "waits"
    case nil: "passes"
    }
  }

  @Test(arguments: [
    ("fail: [{value: a, is: x}]", ["a": ["x"]], "fails"),
    ("fail: [{value: a, is: x}]", ["a": ["y", "x"]], "fails"),
    ("fail: [{value: a, is: x}]", ["a": ["y"]], "passes"),
    ("fail: [{value: a}]", ["a": ["y"]], "fails"),
    ("fail: [{value: a, absent: true}]", ["a": ["y"]], "passes"),
    ("fail: [{value: a, absent: true}]", [:], "fails"),
    ("fail: [{value: a, in: [x, y]}, {value: b, is: z}]", ["a": ["y"]], "passes"),
    ("fail: [{any: [{value: a, is: q}, {value: b, is: z}]}]", ["b": ["z"]], "fails"),
    ("fail: [{not: {value: a, is: q}}]", [:], "fails"),
    ("fail: [{value: a, less-than: 2048}]", ["a": ["1_024"]], "fails"),
    ("fail: [{value: a, less-than: 2048}]", ["a": ["0x800"]], "passes"),
    ("fail: [{value: a, less-than: 2048}]", ["a": ["bits"]], "passes"),
    ("fail: [{value: a, greater-than: 1}]", ["a": ["2"]], "fails"),
    ("fail: [{value: a, matches: '^k[A-Z]'}]", ["a": ["kSec"]], "fails"),
    ("fail: [{value: a, starts: [kSec], ends: Always}]", ["a": ["kSecAlways"]], "fails"),
    ("fail: [{value: a, contains: [Sec]}]", ["a": ["kSecAlways"]], "fails"),
    ("fail: [{value: 'a*', is: x}]", ["argument": ["x"]], "fails"),
    ("fail: [{value: name, is: f}]", [:], "fails"),
    ("fail: [{value: path, ends: .swift}]", [:], "fails"),
    ("fail: [{value: a, classified: true}]", ["a": ["userPassword"]], "fails"),
    ("fail: [{value: a, classified: [key]}]", ["a": ["userPassword"]], "passes"),
    ("fail: [{value: a, classified: [credential]}]", ["a": ["passwordLength"]], "passes"),
    (
      "fail: [{value: a, classified: true}]",
      ["a": ["f(password)"], "a.names": ["f"]], "passes"
    ),
    ("warn: [{value: a, is: x}]", ["a": ["x"]], "warns"),
    ("fail: [{value: a, is: x}]\nwarn: [{value: a}]", ["a": ["x"]], "fails"),
    ("applies: [{value: b}]\nfail: [{value: a, is: x}]", ["a": ["x"]], "passes"),
  ])
  func `decides by the values of a fact`(
    decision: String, values: [String: [String]], expected: String
  ) throws {
    let judge = try Self.judge(decision)
    #expect(Self.verdict(judge, Self.call("f", values)) == expected)
  }

  @Test func `counts what it decided, by unit`() throws {
    let judge = try Self.judge("applies: [{value: b}]\nfail: [{value: a, is: x}]")
    for fact in [
      Self.call("f", ["b": ["1"], "a": ["x"]]), Self.call("f", ["b": ["1"]]), Self.call("f"),
    ] {
      _ = judge.rulings(on: fact, in: "a.swift", root: "one")
    }
    #expect(judge.tally[0, "one"].applied == 2)
    #expect(judge.tally[0, "one"].failed == 1)
    #expect(judge.tally[0, "two"].applied == 0)
  }

  @Test func `cannot tell where a clause says so, and says why`() throws {
    let judge = try Self.judge(
      "undecided: [{when: [{value: a, is: '?'}], message: nobody knows a}]\nfail: [{value: a}]")
    #expect(Self.verdict(judge, Self.call("f", ["a": ["?"]])) == "passes")
    #expect(judge.tally[0, "."].undecided == ["nobody knows a": 1])
    #expect(judge.tally[0, "."].applied == 0)
  }

  @Test func `waits for its unit where other facts decide`() throws {
    let judge = try Self.judge(
      "fail: [{value: a, is: x}, {unit-lacks: {subject: import, name: B}}]")
    #expect(Self.verdict(judge, Self.call("f", ["a": ["y"]])) == "passes")
    let ruling = try #require(
      judge.rulings(on: Self.call("f", ["a": ["x"]]), in: "a.swift", root: ".").first)
    #expect(ruling.verdict == .waits)
    guard
      case .fails? = judge.settle(ruling, in: "a.swift", with: judge.tally[0, "."].relations)?
        .verdict
    else {
      Issue.record("it must fail where nothing is imported")
      return
    }
    let imported = Fact(.importing, "B", at: Place(steps: [], origin: .transformed))
    #expect(judge.rulings(on: imported, in: "b.swift", root: ".").isEmpty)
    #expect(judge.tally[0, "."].relations.holds(0))
    #expect(judge.settle(ruling, in: "a.swift", with: judge.tally[0, "."].relations) == nil)
  }

  /// Two facts of a unit that speak of one function, in any order.
  @Test(arguments: [false, true])
  func `asks its unit for a fact with a value in common`(declaredFirst: Bool) throws {
    let judge = try Self.judge(
      "fail: [{unit-has: {subject: declaration, where: [{value: logs}], same: callable}}]")
    let place = Place(steps: [], origin: .transformed)
    let declaration = Fact(
      .declaration, "note", values: ["logs": ["NSLog"], "callable": ["Tracer.note"]], at: place)
    let calls = [["note", "Tracer.note"], ["Keeper.note"], []].map {
      Self.call("note", ["callable": $0])
    }
    if declaredFirst { _ = judge.rulings(on: declaration, in: "b.swift", root: ".") }
    let rulings = calls.compactMap { judge.rulings(on: $0, in: "a.swift", root: ".").first }
    #expect(rulings.map(\.verdict) == [.waits, .waits, .waits])
    if !declaredFirst { _ = judge.rulings(on: declaration, in: "b.swift", root: ".") }
    // Each task has its own account.
    var tally = Tally()
    tally.merge(judge.tally)
    let settled = rulings.map { judge.settle($0, in: "a.swift", with: tally[0, "."].relations) }
    #expect(settled.map { $0 != nil } == [true, false, false])
  }

  @Test func `notes what could not be had`() throws {
    let judge = try Self.judge("fail: [{value: a}]")
    judge.note(missing: [.call], because: "a.swift could not be parsed", in: "a.swift", root: ".")
    judge.note(missing: [.property], because: "no matter", in: "a.swift", root: ".")
    #expect(judge.tally[0, "."].undecided == ["a.swift could not be parsed": 1])
  }

  @Test(arguments: [
    ("root", "here"), ("file", "x/A.ipa!/Payload/A.app/PlugIns/E.appex/Info.plist"),
    ("bundle", "x/A.ipa!/Payload/A.app/PlugIns/E.appex"), ("app", "x/A.ipa!/Payload/A.app"),
  ])
  func `speaks about its unit`(unit: String, expected: String) throws {
    let judge = try Self.judge("unit: \(unit)\nfail: [{value: a}]")
    _ = judge.rulings(
      on: Self.call("f"), in: "x/A.ipa!/Payload/A.app/PlugIns/E.appex/Info.plist", root: "here")
    #expect(judge.tally.counts.keys.map(\.unit) == [expected])
  }
}
