import Bytes
import Findings
package import RuleEngine

/// The leak that every scan plants in memory before it starts: its own needles, and an example of each
/// pack in effect, must be found, or "nothing found" would mean nothing.
package struct PositiveControl {
  /// The planted leak was not found: the scan must not run.
  package struct Failure: Equatable {
    /// What was planted and not found.
    package var missed: String
  }

  /// Searches the planted leak with a scan's own engine.
  package static func run(with searcher: Searcher) throws(Failure) {
    let engine = searcher.engine
    for index in engine.needles.indices {
      try expect(
        .needle(index), in: engine.planted(index), named: engine.needles[index].id, searcher)
    }
    var packs: Set<Substring> = []
    for (index, rule) in engine.rules.enumerated() {
      let pack = rule.id.prefix { $0 != "." }
      guard packs.insert(pack).inserted, let example = rule.examples.match.first else { continue }
      try expect(.rule(index), in: example, named: rule.id, searcher)
    }
  }

  /// Lets an example of the first check of each pack fail, with a scan's own checks. Checks of source
  /// have theirs when source was read: the parser is not worth loading for nothing.
  package static func run(with checks: CheckSet, ofSource: Bool) throws(Failure) {
    var packs: Set<Substring> = []
    for check in checks.checks where (check.kind == .source) == ofSource {
      guard let example = check.examples.match.first,
        packs.insert(check.id.prefix { $0 != "." }).inserted
      else { continue }
      let set = CheckSet([check], lexicon: checks.lexicon)
      guard CheckExamples.outcome(of: example, with: set) == .fails else {
        throw Failure(missed: check.id)
      }
    }
  }

  private static func expect(
    _ subject: Sighting.Subject, in leak: [UInt8], named name: String, _ searcher: Searcher
  ) throws(Failure) {
    var outcome = SearchOutcome()
    var surroundings = Surroundings()
    surroundings.isWholeField = true
    searcher.search(leak.span.bytes, surroundings: surroundings, into: &outcome)
    guard outcome.sightings.contains(where: { $0.subject == subject }) else {
      throw Failure(missed: name)
    }
  }
}

extension PositiveControl.Failure: Explained {
  package var problem: String {
    "the positive control failed: a planted \"\(missed)\" was not found"
  }
  package var remedy: String {
    "nothing was scanned; report this, with the rule or the needle's kind"
  }
}
