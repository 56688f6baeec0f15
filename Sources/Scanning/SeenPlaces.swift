import Findings
import RuleEngine

/// How often each rule and needle was seen in an outer file. A table of customers holds a million of
/// addresses, each of which would take some KiB of memory and of report: the first are kept, the others are
/// counted.
struct SeenPlaces: Sendable {
  typealias Subject = Sighting.Subject

  private struct Key: Hashable {
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
  private(set) var full: Set<Subject> = []

  init(full: Set<Subject> = []) {
    self.full = full
  }

  /// Counts a place; false where enough are kept.
  mutating func keep(_ subject: Subject, isPlaced: Bool, atMost most: Int) -> Bool {
    count(subject, isPlaced, seen: 1, atMost: full.contains(subject) ? 0 : most)
  }

  /// Whether a place that a part of the file has kept is kept of the file, too. It was counted there.
  mutating func keepAgain(_ subject: Subject, isPlaced: Bool, atMost most: Int) -> Bool {
    count(subject, isPlaced, seen: 0, atMost: most)
  }

  private mutating func count(
    _ subject: Subject, _ isPlaced: Bool, seen: Int, atMost most: Int
  ) -> Bool {
    let key = Key(subject: subject, isPlaced: isPlaced)
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

  /// Adds the part that follows, and notes of what there is enough.
  mutating func append(_ part: SeenPlaces, atMost most: Int) {
    for (key, count) in part.counts {
      counts[key, default: Count()].kept += count.kept
      if counts[key, default: Count()].kept >= most { full.insert(key.subject) }
    }
  }

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
    for (subject, kept) in left.sorted(by: { name(of: $0.key) < name(of: $1.key) }) {
      let flood = task.places.flood(of: subject)
      guard cut.contains(subject) || flood != nil else { continue }
      isFlooded = true
      let count = max(flood ?? 0, kept)
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
