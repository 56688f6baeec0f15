import Findings
package import YAML

/// Rules and checks read from their files.
package struct RulePack: Equatable, Sendable {
  package var rules: [Rule] = []
  package var checks: [Check] = []
  package var storage: [StorageRule] = []

  package init() {}

  /// What stands in YAML files, given as path below a packs folder and text, in the order given.
  ///
  /// With `checksPatterns` every pattern is compiled once, so that a mistake in a person's own rule is
  /// told with its place. The packs that ship are checked by the project's tests instead.
  package init(
    _ files: [(path: String, text: String)], checksPatterns: Bool
  ) throws(RuleFileError) {
    for file in files {
      do throws(YAMLError) {
        try add(file.text, file.path, checksPatterns: checksPatterns)
      } catch {
        throw RuleFileError(path: file.path, mark: error.mark, detail: error.problem)
      }
    }
  }

  /// The rules of kind `pattern` in YAML files.
  package static func rules(
    in files: [(path: String, text: String)], checksPatterns: Bool
  ) throws(RuleFileError) -> [Rule] {
    try RulePack(files, checksPatterns: checksPatterns).rules
  }

  private mutating func add(
    _ text: String, _ path: String, checksPatterns: Bool
  ) throws(YAMLError) {
    guard let root = try YAMLParser.parse(text) else {
      throw YAMLError("the file is empty", at: YAMLMark(line: 1, column: 1))
    }
    if case .mapping(let entries) = root.value,
      let kind = entries.first(where: { $0.key == "kind" })?.value, try kind.text() != "pattern"
    {
      guard try kind.text() != "storage" else {
        storage.append(try StorageRule(root, path: path))
        return
      }
      checks.append(try Check(root, path: path, kind: Check.Kind(node: kind)))
    } else {
      let rule = try Rule(root, path: path)
      if checksPatterns { try Self.check(rule) }
      rules.append(rule)
    }
  }

  /// The id that a file's path gives its rule.
  static func id(of path: String) -> String {
    let bytes = path.utf8
    let end = bytes.lastIndex(of: UInt8(ascii: ".")) ?? bytes.startIndex
    let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
    return String(decoding: bytes[..<end].lazy.map { $0 == slash ? dot : $0 }, as: UTF8.self)
  }

  /// The rules of kind `storage` in YAML files.
  package static func storageRules(
    in files: [(path: String, text: String)]
  ) throws(RuleFileError) -> [StorageRule] {
    try RulePack(files, checksPatterns: false).storage
  }

  private static func check(_ rule: Rule) throws(YAMLError) {
    let patterns =
      [(rule.pattern, "pattern")] + rule.not.map { ($0, "not") }
      + rule.textNot.map { ($0, "text-not") }
    for (pattern, name) in patterns {
      do throws(Pattern.SyntaxError) {
        _ = try Pattern(pattern, ignoresCase: rule.ignoresCase)
      } catch {
        throw YAMLError(
          "the \(name) does not compile: \(error.problem) (character \(error.offset + 1))",
          at: YAMLMark(line: 1, column: 1))
      }
    }
  }
}

/// A rule file is damaged or says something unknown: where, and what.
package struct RuleFileError: Error, Equatable, Sendable {
  package var path: String
  package var mark: YAMLMark
  package var detail: String
}

extension RuleFileError: Explained {
  package var problem: String { "\(path):\(mark): \(detail)" }
  package var remedy: String { "correct the rule file; the README says what a rule may hold" }
}
