import Findings
import RuleEngine

/// How often each rule and needle was seen in an outer file. A table of customers holds a million of
/// addresses, each of which would take some KiB of memory and of report: the first are kept, the others are
/// counted.
struct SeenPlaces: Sendable {
  typealias Subject = Sighting.Subject

  /// What a source or a value was made of on the way to a place.
  enum Way: UInt64 {
    /// A reader lifted it from its source.
    case field = 1
    /// A reader handed it out as a source of its own.
    case member
    case run, dump
    case percent, backslash, entity, quotedPrintable, encodedWord, terminal

    init(_ kind: EscapedText) {
      self =
        switch kind {
        case .percent: .percent
        case .backslash: .backslash
        case .entity: .entity
        case .quotedPrintable: .quotedPrintable
        case .encodedWord: .encodedWord
        case .terminal: .terminal
        }
    }
  }

  /// Every way from the outer file to a place. The same place may be seen in several views, and is counted
  /// once in each.
  struct View: Hashable {
    private(set) var ways: UInt64 = 0

    /// The bytes of the outer file as they lie.
    static let raw = View()
    /// All that there are too many of.
    static let rest = View(ways: .max)

    func inside(_ way: Way) -> View { View(ways: ways &* 12 &+ way.rawValue) }
  }

  struct Key: Hashable {
    var subject: Subject
    var view: View
  }

  private struct Count {
    var seen = 0
    var kept = 0
    /// What was kept of a part may have been joined since: so what was not is counted apart.
    var left = 0
  }

  private var counts: [Key: Count] = [:]
  private var views: [Subject: Int] = [:]
  /// Of which earlier parts of the file brought enough.
  private(set) var full: Set<Key> = []

  /// More views of a subject than this are counted as one: bytes that are decoded again and again can be
  /// seen in any number.
  private static let mostViews = 8

  init(full: Set<Key> = []) {
    self.full = full
  }

  /// Counts a place; false where enough are kept.
  mutating func keep(_ subject: Subject, in view: View, atMost most: Int) -> Bool {
    let key = key(of: subject, in: view)
    return count(key, seen: 1, atMost: full.contains(key) ? 0 : most)
  }

  /// Whether a place that a part of the file has kept is kept of the file, too. It was counted there.
  mutating func keepAgain(_ subject: Subject, in view: View, atMost most: Int) -> Bool {
    count(key(of: subject, in: view), seen: 0, atMost: most)
  }

  private mutating func key(of subject: Subject, in view: View) -> Key {
    let key = Key(subject: subject, view: view)
    guard counts[key] == nil else { return key }
    guard views[subject, default: 0] < Self.mostViews else {
      return Key(subject: subject, view: .rest)
    }
    views[subject, default: 0] += 1
    counts[key] = Count()
    return key
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
      let own = self.key(of: key.subject, in: key.view)
      counts[own, default: Count()].seen += count.seen
      counts[own, default: Count()].left += count.left
    }
  }

  /// Adds what came of the part that follows, and notes of what there is enough: as much as will be kept of
  /// these parts again, so that it does not matter when a later part asks.
  mutating func append(_ sights: [SourceScan.Sight], atMost most: Int) {
    for sight in sights {
      let key = key(of: sight.sighting.subject, in: sight.view)
      // What shares a count in one part may have its own in another.
      if !count(key, seen: 1, atMost: most - 1), key.view != .rest { full.insert(key) }
    }
  }

  /// Of what some places were not kept.
  var flooded: Set<Subject> { Set(counts.filter { $0.value.left > 0 }.map(\.key.subject)) }

  /// How often at least a subject was seen of which not every place was kept; nothing where all were.
  /// Escaped texts may overlap: of views that had too many the one with the fewest counts.
  func flood(of subject: Subject) -> Int? {
    counts.filter { $0.key.subject == subject && $0.value.left > 0 }.map(\.value.seen).min()
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
      let seen = "\(name(of: subject)) was seen at least \(count) times in this file"
      report(
        .limitCount,
        kept == 0
          ? "\(seen): the first are listed under rules that know more of them"
          : "\(seen): the first \(min(kept, task.limits.places)) places are listed",
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
