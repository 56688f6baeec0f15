import Findings
package import YAML

/// Rules read from their files.
package enum RulePack {
  /// The rules in YAML files, given as path below a packs folder and text, in the order given.
  ///
  /// With `checksPatterns` every pattern is compiled once, so that a mistake in a person's own rule is
  /// told with its place. The packs that ship are checked by the project's tests instead.
  package static func rules(
    in files: [(path: String, text: String)], checksPatterns: Bool
  ) throws(RuleFileError) -> [Rule] {
    var rules: [Rule] = []
    for file in files {
      do throws(YAMLError) {
        let rule = try Rule(yaml: file.text, path: file.path)
        if checksPatterns { try check(rule) }
        rules.append(rule)
      } catch {
        throw RuleFileError(path: file.path, mark: error.mark, detail: error.problem)
      }
    }
    return rules
  }

  private static func check(_ rule: Rule) throws(YAMLError) {
    for (pattern, name) in [(rule.pattern, "pattern")] + rule.not.map({ ($0, "not") }) {
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
