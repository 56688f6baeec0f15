import RulePacks
import Testing

@testable import RuleEngine

@Suite struct `The longest match of an expression` {
  @Test(arguments: [
    ("abc", 3), ("a|bcd|ef", 3), ("a?b{2}c{1,5}", 8), ("(?:ab|c){3}d", 7), (#"\x41\.\\[\]a]"#, 4),
    ("(?<secret>[A-Za-z0-9]{20,40})(?![a-z])", 41), ("(?i)ab", 2), ("(?i:ab|abc)x", 4),
    (#"(?<![A-Z])ghp_[[:alnum:]]{36}\b"#, 42), (#"^\s{0,4}$"#, 6), ("x{3}?y??z++", nil),
    ("", 0), ("()|(a)", 1), ("a{2,3}+b", 4),
  ])
  func `is told from how it is written`(pattern: String, longest: Int?) {
    #expect(PatternLength.longest(of: pattern) == longest)
  }

  @Test(arguments: [
    "a*", "a+", "a{2,}", #"(a)\1"#, #"\Qa.b\E"#, "(?R)", "(?(1)a|b)", "(*UTF)a", "(?x) a b", "(a",
    "a)",
    "[a", "(?:a{3}){2}*", "a{2}{3}", #"\p{L}"#, "(?&name)", "(?P=name)", "(?|a|b)", "a{1000000}",
    String(repeating: "(", count: 100) + "a" + String(repeating: ")", count: 100),
  ])
  func `is not told where there is no bound, or none that is sure`(pattern: String) {
    #expect(PatternLength.longest(of: pattern) == nil)
  }

  /// What a rule's own examples match is never longer than what is told of its expression.
  @Test func `holds for the rules that are built in`() throws {
    let rules = try RulePack.rules(in: RulePacks.files, checksPatterns: false)
    var bounded = 0
    var matches = 0
    for rule in rules where !rule.pattern.isEmpty {
      guard let longest = PatternLength.longest(of: rule.pattern) else { continue }
      bounded += 1
      let pattern = try Pattern(rule.pattern, ignoresCase: rule.ignoresCase)
      for text in rule.examples.match + rule.examples.clean {
        let found = pattern.firstMatch(in: text.span.bytes, startingIn: 0...text.count)
        guard case .match(let whole, _) = found else { continue }
        #expect(whole.count <= longest, "\(rule.id)")
        matches += 1
      }
    }
    #expect(bounded > rules.count / 2)
    #expect(matches > bounded)
  }

  /// The byte before the end of what is looked at is never the last of a match, so that what is cut off
  /// there is not taken for the end of the text.
  @Test func `leaves the end of a longer text alone`() throws {
    let text = """
      id: test.whole
      title: A value that ends with its text
      severity: high
      remedy: Remove it.
      anchors: ["tok_"]
      pattern: 'tok_(?<secret>[a-z]{4,8})$'
      examples:
        match: ["tok_qmzkwvtr"]
        clean: ["tok_qmzkwvtr.", "tok_qmzkwvtrhbdlxpsgnc", "tok_qmzk and more text"]
      """
    let rules = try RulePack.rules(
      in: [(path: "test/whole.yaml", text: text)], checksPatterns: true)
    #expect(rules.count == 1)
    #expect(try RuleTest.failures(of: rules).map(\.description) == [])
  }
}
