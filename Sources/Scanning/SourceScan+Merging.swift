import Findings
import RuleEngine

extension SourceScan {
  /// Joins sights of one physical place: what the raw search, a reader and a decoder saw of the same
  /// value is one finding with the most precise locator.
  func merge() {
    settleChance()
    guard sights.count > 1 else { return }
    var bySubject: [Sighting.Subject: [Sight]] = [:]
    for sight in sights { bySubject[sight.sighting.subject, default: []].append(sight) }
    sights = bySubject.values.flatMap { Self.merged($0) }
    giveWay()
  }

  /// More places of weak forms than this are not kept apart from findings.
  private static let mostChance = 4_096

  func noteChance(_ hit: ChanceHit, at start: Int) {
    if chance.count < Self.mostChance {
      chance.append((hit, start))
    } else {
      task.noteChance(hit)
    }
  }

  /// Counts the weak forms that stayed what they seemed: no reader found a whole value there.
  private func settleChance() {
    guard !chance.isEmpty else { return }
    var found: Set<ChancePlace> = []
    for sight in sights {
      guard case .needle(let needle) = sight.sighting.subject, let form = sight.sighting.form,
        let start = sight.ranges.first?.offset
      else { continue }
      found.insert(ChancePlace(hit: ChanceHit(needle: needle, form: form), start: start))
    }
    for (hit, start) in chance where !found.contains(ChancePlace(hit: hit, start: start)) {
      task.noteChance(hit)
    }
    chance.removeAll()
  }

  private struct ChancePlace: Hashable {
    var hit: ChanceHit
    var start: Int
  }

  /// Of two rules that saw one value the one that knows it better tells of it: which that is stands in
  /// their files (`known-by`, `gives-way-to`). So does text that holds a key, before the key in it.
  private func giveWay() {
    let rules = task.searcher.engine.rules
    let ordered = sights.indices.sorted { Self.start(of: sights[$0]) < Self.start(of: sights[$1]) }
    var dropped: Set<Int> = []
    // The surest first: what has given way itself takes nothing with it.
    for knowledge in Rule.Knowledge.allCases {
      for (position, index) in ordered.enumerated() {
        guard case .rule(let own) = sights[index].sighting.subject,
          rules[own].knownBy == knowledge, knowledge != .itself || !rules[own].givesWayTo.isEmpty
        else { continue }
        // Sights are ordered by where they start: only neighbours can overlap.
        let neighbours = ordered[max(0, position - 16)..<min(ordered.count, position + 17)]
        let better = neighbours.first { other in
          guard case .rule(let rule) = sights[other].sighting.subject, rule != own,
            !dropped.contains(other)
          else { return false }
          return rules[own].givesWay(to: rules[rule], isBefore: own < rule)
            && Self.overlap(sights[other], sights[index])
        }
        guard let better else { continue }
        dropped.insert(index)
        sights[better].databaseKey = sights[better].databaseKey ?? sights[index].databaseKey
      }
    }
    guard !dropped.isEmpty else { return }
    sights = sights.indices.filter { !dropped.contains($0) }.map { sights[$0] }
  }

  private static func start(of sight: Sight) -> Int { sight.ranges.first?.offset ?? -1 }

  private static func overlap(_ one: Sight, _ other: Sight) -> Bool {
    let (place, otherPlace) = (
      one.steps.prefix { $0 != Locator.border }, other.steps.prefix { $0 != Locator.border }
    )
    if !one.isExact, !other.isExact, place == otherPlace {
      // Both were decoded from the same text, all of which is the range of both: which of them share
      // bytes the scan of what was decoded has settled.
      return one.steps == other.steps && one.sighting.range.overlaps(other.sighting.range)
    }
    return one.ranges.contains { range in
      other.ranges.contains { $0.offset < range.end && range.offset < $0.end }
    }
  }

  /// The same for sights of one rule or needle.
  private static func merged(_ sights: [Sight]) -> [Sight] {
    guard sights.count > 1 else { return sights }
    let ordered = sights.sorted { one, other in
      let (first, second) = (one.ranges.first?.offset ?? -1, other.ranges.first?.offset ?? -1)
      return first != second ? first < second : one.steps.lexicographicallyPrecedes(other.steps)
    }
    var result: [Sight] = []
    for sight in ordered {
      // Only the latest few can overlap: sights are ordered by where they start.
      let candidates = result.indices.suffix(32)
      if let index = candidates.first(where: { isSamePlace(result[$0], sight) }) {
        result[index] = joined(result[index], sight)
      } else {
        result.append(sight)
      }
    }
    return result
  }

  private static func isSamePlace(_ one: Sight, _ other: Sight) -> Bool {
    let isSameValue = one.sighting.digest == other.sighting.digest
    if one.ranges.isEmpty || other.ranges.isEmpty {
      // Two columns of one row may hold the same.
      return one.ranges.isEmpty && other.ranges.isEmpty && isSameValue && one.steps == other.steps
        && one.context.column == other.context.column
    }
    let overlaps = one.ranges.contains { range in
      other.ranges.contains { $0.offset < range.end && range.offset < $0.end }
    }
    guard overlaps else { return false }
    if case .needle = one.sighting.subject { return true }
    return one.isExact && other.isExact || isSameValue
  }

  private static func joined(_ one: Sight, _ other: Sight) -> Sight {
    var (kept, dropped) = isMorePrecise(other, than: one) ? (other, one) : (one, other)
    kept.also += dropped.also
    if dropped.steps != kept.steps { kept.also.append(dropped.steps) }
    // A reader that takes other bytes for a value may see only a part of what lies there.
    if case .needle = kept.sighting.subject, kept.isExact, dropped.isExact,
      kept.ranges.count == 1, let part = kept.ranges.first,
      dropped.ranges.contains(where: {
        $0.length > part.length && $0.offset <= part.offset && part.end <= $0.end
      })
    {
      (kept.sighting, kept.ranges) = (dropped.sighting, dropped.ranges)
    }
    if isUsed(dropped, in: kept), kept.steps.contains(Locator.border) {
      // What is deleted inside of a value that counts stays so.
      if [.superseded, .uncommitted].contains(kept.liveness) { kept.liveness = .live }
    } else if isUsed(dropped, in: kept) {
      if kept.steps != dropped.steps { kept.also.append(kept.steps) }
      kept.also.removeAll { $0 == dropped.steps }
      (kept.steps, kept.liveness, kept.context) = (dropped.steps, .live, dropped.context)
    }
    // A copy of the value as it lies shows more than text it was decoded from.
    if !kept.isExact, dropped.isExact, kept.ranges.isEmpty { kept.ranges = dropped.ranges }
    kept.line = kept.line ?? dropped.line
    kept.excerpt = kept.excerpt ?? dropped.excerpt
    kept.databaseKey = kept.databaseKey ?? dropped.databaseKey
    return kept
  }

  /// Whether the bytes as they lie are said to be part of the content, where a reader saw them in a row
  /// that is not: a deleted row points to pages that others use since then, and of a row whose page has a
  /// newer version the overflow pages may still count.
  private static func isUsed(_ raw: Sight, in row: Sight) -> Bool {
    guard !raw.isPlaced, raw.isExact, raw.liveness == .live, row.liveness != .live,
      row.isPlaced, !raw.steps.isEmpty
    else { return false }
    return raw.ranges.allSatisfy { part in
      row.ranges.contains { $0.offset <= part.offset && part.end <= $0.end }
    }
  }

  private static func isMorePrecise(_ one: Sight, than other: Sight) -> Bool {
    if one.isPlaced != other.isPlaced { return one.isPlaced }
    if one.isGuess != other.isGuess { return other.isGuess }
    if one.steps.count != other.steps.count { return one.steps.count > other.steps.count }
    // Pages of a chain may belong to a live row and to an older version of it.
    if (one.liveness == .live) != (other.liveness == .live) { return one.liveness == .live }
    if one.isExact != other.isExact { return one.isExact }
    return one.sighting.range.count > other.sighting.range.count
  }
}
