import Findings
import RuleEngine

/// How often each rule and needle was seen in an outer file. A table of customers holds a million of
/// addresses, each of which would take some KiB of memory and of report: the first are kept, the others are
/// counted.
struct SeenPlaces: Sendable {
  typealias Subject = Sighting.Subject

  struct Key: Hashable {
    var subject: Subject
    /// Whether a reader lifted it: mostly a place that was seen in the bytes as they lie, too.
    var isPlaced: Bool
  }

  private struct Count {
    var seen = 0
    var kept = 0
    /// What was kept of a part may have been joined since: so what was not is counted apart.
    var left = 0
  }

  private var counts: [Key: Count] = [:]
  /// Of which earlier parts of the file brought enough.
  private(set) var full: Set<Key> = []

  init(full: Set<Key> = []) {
    self.full = full
  }

  /// Counts a place; false where enough are kept.
  mutating func keep(_ subject: Subject, isPlaced: Bool, atMost most: Int) -> Bool {
    let key = Key(subject: subject, isPlaced: isPlaced)
    return count(key, seen: 1, atMost: full.contains(key) ? 0 : most)
  }

  /// Whether a place that a part of the file has kept is kept of the file, too. It was counted there.
  mutating func keepAgain(_ subject: Subject, isPlaced: Bool, atMost most: Int) -> Bool {
    count(Key(subject: subject, isPlaced: isPlaced), seen: 0, atMost: most)
  }

  private mutating func count(_ key: Key, seen: Int, atMost most: Int) -> Bool {
    var count = counts[key] ?? Count()
    let isKept = count.kept < most
    count.seen += seen
    if isKept { count.kept += 1 } else { count.left += 1 }
    counts[key] = count
    return isKept
  }

  /// Adds what was seen in a part of the file, of which nothing is kept yet.
  mutating func addSeen(of part: SeenPlaces) {
    for (key, count) in part.counts {
      counts[key, default: Count()].seen += count.seen
      counts[key, default: Count()].left += count.left
    }
  }

  /// Adds what came of the part that follows, and notes of what there is enough: as much as will be kept of
  /// these parts again, so that it does not matter when a later part asks.
  mutating func append(_ sights: [SourceScan.Sight], atMost most: Int) {
    for sight in sights {
      let key = Key(subject: sight.sighting.subject, isPlaced: sight.isPlaced)
      if !count(key, seen: 1, atMost: most - 1) { full.insert(key) }
    }
  }

  /// Of what some places were not kept.
  var flooded: Set<Subject> { Set(counts.filter { $0.value.left > 0 }.map(\.key.subject)) }

  /// How often at least a subject was seen of which not every place was kept: in the bytes as they lie,
  /// where it was seen there, since a reader may come by a place more than once.
  func flood(of subject: Subject) -> Int? {
    let raw = counts[Key(subject: subject, isPlaced: false)]
    let both = [raw, counts[Key(subject: subject, isPlaced: true)]].compactMap { $0 }
    return both.contains { $0.left > 0 } ? both.first?.seen : nil
  }
}

extension SourceScan {
  /// Leaves out what is too much for a report, and says so.
  func endFlood() {
    var left: [Sighting.Subject: Int] = [:]
    var cut: Set<Sighting.Subject> = []
    sights.removeAll { sight in
      let subject = sight.sighting.subject
      left[subject, default: 0] += 1
      guard left[subject, default: 0] > task.limits.places else { return false }
      cut.insert(subject)
      return true
    }
    // Of what was kept all may have given way to another rule.
    let subjects = task.places.flooded.union(cut)
    isFlooded = !subjects.isEmpty
    for subject in subjects.sorted(by: { name(of: $0) < name(of: $1) }) {
      let kept = left[subject] ?? 0
      let count = max(task.places.flood(of: subject) ?? 0, kept)
      report(
        .limitCount,
        "\(name(of: subject)) was seen at least \(count) times in this file: the first"
          + " \(min(kept, task.limits.places)) places are listed",
        remedy:
          "take the whole file or table for exposed; the places that are listed show what it holds",
        steps: [])
    }
  }

  private func name(of subject: Sighting.Subject) -> String {
    switch subject {
    case .rule(let index): task.searcher.engine.rules[index].id
    case .needle(let index): task.searcher.engine.needles[index].id
    }
  }
}

extension SourceScan.Sight {
  /// The same with dots for keys that may be values: rules know many only by what stands beside them, which
  /// is no part of a path.
  var withoutTellingKeys: Self {
    var covered = self
    covered.steps = Self.covered(steps)
    covered.also = also.map(Self.covered)
    covered.context.key = context.key.map(Self.covered)
    return covered
  }

  private static func covered(_ steps: [String]) -> [String] {
    guard let first = steps.firstIndex(where: { ["key", "property"].contains($0) }) else {
      return steps
    }
    return steps[...first] + steps[(first + 1)...].map(covered)
  }

  /// Words, numbers of elements and the sign of a border stay as they are.
  private static func covered(_ step: String) -> String {
    let isWord =
      step.utf8.count <= 24
      && step.utf8.allSatisfy { $0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7a || $0 == 0x5f || $0 == 0x2d }
    let isIndex = step.utf8.count <= 5 && step.utf8.allSatisfy { 0x30...0x39 ~= $0 }
    return isWord || isIndex || step == Locator.border ? step : Redaction.dots
  }
}
