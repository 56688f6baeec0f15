import Findings
import RuleEngine
import Testing

@Suite struct `Storage rule files` {
  static let sound = """
    id: mine.page
    title: A readable page
    kind: storage
    severity: high
    observed: [plaintext-page]
    when: {encrypted: [mixed]}
    applies: encrypted
    remedy: Write it anew.
    examples:
      match:
        - {observed: plaintext-page, encrypted: mixed}
      clean:
        - {observed: plaintext-page, encrypted: no}
    """

  private static func load(_ text: String) throws -> [StorageRule] {
    try RulePack.storageRules(in: [(path: "mine/page.yaml", text: text)])
  }

  @Test func `say what was observed and under which conditions`() throws {
    let rule = try #require(try Self.load(Self.sound).first)
    #expect(rule.observed == [.plaintextPage])
    #expect(rule.applies == .encrypted)
    #expect(rule.matches(.plaintextPage, ["encrypted": "mixed"]))
    #expect(!rule.matches(.plaintextPage, [:]))
    #expect(!rule.matches(.encryptedPage, ["encrypted": "mixed"]))
    #expect(rule.failures.isEmpty)
  }

  @Test func `are not taken for rules with a pattern`() throws {
    let rules = try RulePack.rules(
      in: [(path: "mine/page.yaml", text: Self.sound)], checksPatterns: true)
    #expect(rules.isEmpty)
  }

  @Test(arguments: [
    ("observed: [plaintext-page]", "observed: [blank-page]", "mine/page.yaml:5:12: must be one of"),
    ("applies: encrypted", "applies: all", "mine/page.yaml:7:10: must be one of"),
    ("severity: high", "severity: huge", "mine/page.yaml:4:11: severity must be low"),
    ("observed: [plaintext-page]\n", "", "mine/page.yaml:1:1: the key \"observed\" is missing"),
    ("title: A", "colour: red\ntitle: A", "mine/page.yaml:2:1: unknown key \"colour\""),
    ("id: mine.page", "id: other.page", "mine/page.yaml:1:5: the id must be \"mine.page\""),
    ("{observed: plaintext-page, encrypted: no}", "{encrypted: no}", "mine/page.yaml:13:7: an ex"),
    ("when: {encrypted: [mixed]}", "when: [mixed]", "mine/page.yaml:6:7: keys with values"),
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

  @Test func `whose examples are wrong say which`() throws {
    let text = Self.sound.replacing("encrypted: mixed}", with: "encrypted: yes}")
    let rule = try #require(try Self.load(text).first)
    #expect(rule.failures.map(\.description) == ["mine.page: match example 1 was not found"])
  }
}
