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
