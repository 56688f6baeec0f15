/// Runs rules on their own examples.
package enum RuleTest {
  /// An example that a rule got wrong. It names the example by number: the text may look like a
  /// secret to the tools that read logs.
  package struct Failure: Equatable, Sendable, CustomStringConvertible {
    package var rule: String
    package var kind: String
    /// From 1.
    package var number: Int

    package var description: String {
      kind == "match"
        ? "\(rule): match example \(number) was not found"
        : "\(rule): clean example \(number) was found"
    }
  }

  /// Every wrong example, each judged with its rule alone, as a text of its own.
  package static func failures(of rules: [Rule]) throws(Engine.BuildError) -> [Failure] {
    var failures: [Failure] = []
    for rule in rules {
      let searcher = Searcher(try Engine(rules: [rule], needles: []))
      for (index, example) in rule.examples.match.enumerated() where !isFound(example, searcher) {
        failures.append(Failure(rule: rule.id, kind: "match", number: index + 1))
      }
      for (index, example) in rule.examples.clean.enumerated() where isFound(example, searcher) {
        failures.append(Failure(rule: rule.id, kind: "clean", number: index + 1))
      }
    }
    return failures
  }

  private static func isFound(_ example: [UInt8], _ searcher: Searcher) -> Bool {
    var outcome = SearchOutcome()
    searcher.search(example.span.bytes, surroundings: Surroundings(), into: &outcome)
    return !outcome.sightings.isEmpty
  }
}
