import Findings
import RuleEngine
import Testing

@Suite struct `Check files` {
  /// A check with nothing wrong; tests spoil one line of it.
  static let sound = """
    id: mine.always
    kind: source
    title: Keychain item is always readable
    severity: high
    remedy: Use a stricter class.
    controls: [MASVS-STORAGE-1]
    profiles: [masvs]
    facts:
      - subject: call
        name: [SecItemAdd, "*.store"]
    fail:
      - value: kSecAttrAccessible
        in: [kSecAttrAccessibleAlways]
      - not: {value: scope, in: [debug, test]}
    warn:
      - when: [{value: kSecAttrAccessible, absent: true}]
        message: Accessibility is left to its default
    examples:
      match:
        - facts:
            - subject: call
              name: SecItemAdd
              values: {kSecAttrAccessible: kSecAttrAccessibleAlways}
      clean:
        - "let x = 1"
    """

  static func load(_ text: String) throws -> Check {
    let pack = try RulePack([(path: "mine/always.yaml", text: text)], checksPatterns: true)
    return try #require(pack.checks.first)
  }

  @Test func `say all of a check`() throws {
    let check = try Self.load(Self.sound)
    #expect(check.id == "mine.always")
    #expect(check.kind == .source)
    #expect(check.unit == .root)
    #expect(check.facts.first?.names == [.exactly("SecItemAdd"), .suffix(".store")])
    #expect(check.triggers == ["SecItemAdd", "store"])
    #expect(check.fail.first?.severity == .high)
    #expect(check.warn.first?.severity == .low)
    #expect(check.warn.first?.message == "Accessibility is left to its default")
    #expect(check.examples.match.first?.facts.first?.name == "SecItemAdd")
    #expect(check.examples.clean.first?.files.first?.name == "Example.swift")
  }

  @Test(arguments: [
    (
      "kind: source", "kind: sauce", "mine/always.yaml:2:7: the kind must be one of pattern, source"
    ),
    (
      "controls: [MASVS-STORAGE-1]", "control: [x]", "mine/always.yaml:6:1: unknown key \"control\""
    ),
    ("id: mine.always", "id: mine.never", "mine/always.yaml:1:5: the id must be \"mine.always\""),
    ("subject: call", "subject: cell", "mine/always.yaml:9:14: unknown subject \"cell\""),
    ("    in: [", "    on: [", "mine/always.yaml:13:5: unknown key \"on\""),
    (
      "- value: kSecAttrAccessible\n", "- match: 1\n",
      "mine/always.yaml:12:5: unknown key \"match\""
    ),
    ("{value: scope, in: [debug, test]}", "{all: []}", "mine/always.yaml:14:16: the list is empty"),
    (
      "{value: scope, in: [debug, test]}", "{check: magic}", "mine/always.yaml:14:18: unknown check"
    ),
    (
      "in: [kSecAttrAccessibleAlways]", "matches: '('",
      "mine/always.yaml:13:14: the expression does not compile"
    ),
    (
      "in: [kSecAttrAccessibleAlways]", "less-than: few",
      "mine/always.yaml:13:16: a number is wanted"
    ),
    ("- when:", "- then:", "mine/always.yaml:16:5: unknown key \"then\""),
    ("    message:", "    massage:", "mine/always.yaml:17:5: unknown key \"massage\""),
    (
      "title: Keychain item is always readable", "title: x\nunit: house",
      "mine/always.yaml:4:7: must be one of root, bundle, app, file"
    ),
    (
      "name: [SecItemAdd, \"*.store\"]", "name: /Sec.*/",
      "mine/always.yaml:1:1: a source check with this name needs \"triggers\""
    ),
    ("clean:\n    - \"let x = 1\"", "clean: []", "mine/always.yaml:19:3: a check needs an example"),
    (
      "subject: call\n          name", "subject: cull\n          name",
      "mine/always.yaml:21:20: must be"
    ),
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
}
