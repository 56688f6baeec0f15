import Bytes
import Findings
import RuleEngine
import RulePacks
import Testing

@Suite struct `Rule files` {
  /// A rule with nothing wrong; tests spoil one line of it.
  static let sound = """
    id: mine.key
    title: A key
    severity: high
    pattern: 'key-(?<secret>[0-9a-f]{8})'
    anchors:
      - "key-"
    remedy: Remove it.
    examples:
      match:
        - "key-8f1d3a5c"
      clean:
        - "key-xyz"
    """

  private static func load(_ text: String) throws -> [Rule] {
    try RulePack.rules(in: [(path: "mine/key.yaml", text: text)], checksPatterns: true)
  }

  @Test func `say all of a rule`() throws {
    let rule = try #require(try Self.load(Self.sound).first)
    #expect(rule.id == "mine.key")
    #expect(rule.severity == .high)
    #expect(rule.anchors == [Array("key-".utf8)])
    #expect(rule.examples.match == [Array("key-8f1d3a5c".utf8)])
    #expect(try RuleTest.failures(of: [rule]).isEmpty)
  }

  @Test(arguments: [
    ("title: A key", "title: A key\ncolour: red", "mine/key.yaml:3:1: unknown key \"colour\""),
    ("severity: high", "severity: huge", "mine/key.yaml:3:11: severity must be"),
    ("severity: high", "severity: [high]", "mine/key.yaml:3:11: text is wanted"),
    ("id: mine.key", "id: other.key", "mine/key.yaml:1:5: the id must be \"mine.key\""),
    ("remedy: Remove it.", "", "mine/key.yaml:1:1: the key \"remedy\" is missing"),
    (
      "remedy: Remove it.", "remedy: x\nchecksum: md5",
      "mine/key.yaml:8:11: unknown checksum \"md5\""
    ),
    ("remedy: Remove it.", "remedy: x\nlookback: far", "mine/key.yaml:8:11: a whole number"),
    ("remedy: Remove it.", "remedy: x\nlookback: 99999", "mine/key.yaml:8:11: must be 0 to 4096"),
    ("remedy: Remove it.", "remedy: x\nwithin: 0", "mine/key.yaml:8:9: must be 1 to 4096"),
    ("remedy: Remove it.", "remedy: x\nentropy: much", "mine/key.yaml:8:10: a number"),
    ("remedy: Remove it.", "remedy: x\nignore-case: 'true'", "mine/key.yaml:8:14: true or false"),
    ("remedy: Remove it.", "remedy: x\nwhere: here", "mine/key.yaml:8:8: where must be"),
    ("remedy: Remove it.", "remedy: x\nknown-by: luck", "mine/key.yaml:8:11: known-by must be"),
    ("remedy: Remove it.", "remedy: x\ngives-way-to: a.b", "mine/key.yaml:8:15: a list is wanted"),
    ("remedy: Remove it.", "remedy: x\nkind: colour", "mine/key.yaml:8:7: the kind must be"),
    ("remedy: Remove it.", "remedy: x\nkind: schema", "mine/key.yaml:4:1: unknown key"),
    ("remedy: Remove it.", "remedy: x\ncontext: dob", "mine/key.yaml:8:10: a list is wanted"),
    (
      "remedy: Remove it.", "remedy: x\nrun: {alphabet: hex, min: 2}",
      "mine/key.yaml:8:27: must be 5 to 65536"
    ),
    (
      "remedy: Remove it.", "remedy: x\nrun: {alphabet: octal, min: 8}",
      "mine/key.yaml:8:17: alphabet must be"
    ),
    (
      "remedy: Remove it.", "remedy: x\nrun: {alphabet: hex, min: 9, max: 8}",
      "mine/key.yaml:8:6: max is below min"
    ),
    ("pattern: 'key-(?<secret>[0-9a-f]{8})'", "finder: magic", "mine/key.yaml:4:9: finder must be"),
    ("  - \"key-\"", "  - \"ke\"", "mine/key.yaml:1:1: an anchor of 2 bytes"),
    ("anchors:\n  - \"key-\"\n", "", "mine/key.yaml:1:1: a rule needs anchors, a run or"),
    ("clean:\n    - \"key-xyz\"", "clean: []", "mine/key.yaml:9:3: a rule needs an example"),
    ("match:", "matches:", "mine/key.yaml:9:3: unknown key \"matches\""),
    ("[0-9a-f]{8})", "[0-9a-f]{8}", "mine/key.yaml:1:1: the pattern does not compile"),
    ("remedy: Remove it.", "remedy: x\nnot: ['(']", "mine/key.yaml:1:1: the not does not compile"),
    ("title: A key", "title: \"A key", "mine/key.yaml:"),
    ("severity: high", "\tseverity: high", "mine/key.yaml:3:1: "),
  ])
  func `with a mistake are told by file, line and column`(
    sound: String, spoiled: String, expected: String
  ) {
    #expect(Self.sound.contains(sound))
    let error = #expect(throws: RuleFileError.self) {
      try Self.load(Self.sound.replacing(sound, with: spoiled))
    }
    #expect(error?.problem.hasPrefix(expected) == true, "\(error?.problem ?? "none")")
  }

  @Test(arguments: ["", "\n# nothing\n", "- a list\n", "just text"])
  func `that are no rule are told too`(text: String) {
    let error = #expect(throws: RuleFileError.self) { try Self.load(text) }
    #expect(error?.problem.hasPrefix("mine/key.yaml:") == true)
  }

  @Test func `whose examples are wrong say which`() throws {
    let rules = try Self.load(
      Self.sound.replacing("key-8f1d3a5c", with: "key-").replacing("key-xyz", with: "key-8f1d3a5c"))
    #expect(
      try RuleTest.failures(of: rules).map(\.description) == [
        "mine.key: match example 1 was not found", "mine.key: clean example 1 was found",
      ])
  }
}

@Suite struct `The packs that ship` {
  static let rules = (try? RulePack.rules(in: RulePacks.files, checksPatterns: true)) ?? []

  @Test func `hold rules whose every pattern compiles`() throws {
    #expect(!(try RulePack.rules(in: RulePacks.files, checksPatterns: true)).isEmpty)
    #expect(Set(Self.rules.map(\.id)).count == Self.rules.count)
  }

  @Test func `find each of their own matches and none of their clean examples`() throws {
    #expect(!Self.rules.isEmpty)
    #expect(try RuleTest.failures(of: Self.rules).map(\.description) == [])
  }

  @Test func `find their matches when all rules search together`() throws {
    let engine = try Engine(rules: Self.rules, needles: [])
    let searcher = Searcher(engine)
    var missed: [String] = []
    for (index, rule) in Self.rules.enumerated() {
      for example in rule.examples.match {
        var outcome = SearchOutcome()
        searcher.search(example.span.bytes, surroundings: Surroundings(), into: &outcome)
        if !outcome.sightings.contains(where: { $0.subject == .rule(index) }) {
          missed.append(rule.id)
        }
      }
    }
    #expect(missed == [])
  }

  @Test func `never hold a word of their own that is too short to be seen`() {
    for rule in Self.rules {
      #expect(!rule.title.hasSuffix(".") && !rule.title.isEmpty, "\(rule.id)")
      #expect(rule.context.allSatisfy { $0.utf8.count >= 2 }, "\(rule.id)")
    }
  }
}
