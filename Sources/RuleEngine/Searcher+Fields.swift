import Bytes

extension Searcher {
  /// Longer values are not the kind that a name tells about.
  private static let longestField = 512

  /// Searches a short named value once more as a line of settings would show it, `name = "value"`: many
  /// rules know a value by the name before it, and a column or key stands apart from its value.
  func searchNamed(
    _ value: RawSpan, _ surroundings: Surroundings, _ outcome: inout SearchOutcome
  ) {
    guard let name = surroundings.fieldName, !name.isEmpty, name.utf8.count <= 64,
      (4...Self.longestField).contains(value.byteCount), telling(name).isAnchor,
      Self.isLine(value),
      // A reader hands on the names too: one is no value of itself.
      !value.holds(exactly: name)
    else { return }
    let head = Array("\(name) = \"".utf8)
    let line = head + value.copied() + Array("\"".utf8)
    var named = SearchOutcome()
    swap(&named, &namedOutcome)
    defer {
      named.removeAll()
      swap(&named, &namedOutcome)
    }
    searchPlain(line.span.bytes, accepted: 0..<line.count, surroundings, &named)
    for var sighting in named.sightings {
      guard case .rule = sighting.subject, sighting.range.lowerBound >= head.count else { continue }
      sighting.range =
        sighting.range.lowerBound - head.count..<sighting.range.upperBound - head.count
      guard sighting.range.upperBound <= value.byteCount,
        !outcome.sightings.contains(where: { Self.isSame($0, sighting) })
      else { continue }
      outcome.sightings.append(sighting)
    }
    outcome.abandoned += named.abandoned
  }

  /// What a name tells rules of the values under it.
  struct Telling {
    /// An anchor of a rule stands in it, which knows values by what stands before them.
    var isAnchor = false
    /// A word that a rule wants near its values stands in it.
    var isContext = false
  }

  /// Whether a rule judges values by this name. Such values are to be handed over whatever their bytes
  /// show: where the name stands elsewhere, as that of a column does, only the reader can join the two.
  package func isTelling(_ name: String) -> Bool {
    guard name.utf8.count <= 64 else { return false }
    let telling = telling(name)
    return telling.isAnchor || telling.isContext
  }

  private func telling(_ name: String) -> Telling {
    if let known = tellingNames[name] { return known }
    var telling = Telling()
    let line = Array("\(name) = \"".utf8)
    engine.database.search(line.span.bytes) { hit in
      if !engine.uses.positions(of: hit.literal).isEmpty { telling.isAnchor = true }
    }
    telling.isContext = words(in: name).contains { sight in
      engine.ruleWords.contains { $0.wanted.contains(sight.word) }
    }
    if tellingNames.count > 4_096 { tellingNames.removeAll(keepingCapacity: true) }
    tellingNames[name] = telling
    return telling
  }

  static func isSame(_ one: Sighting, _ other: Sighting) -> Bool {
    one.subject == other.subject && one.range.overlaps(other.range)
  }

  private static func isLine(_ value: RawSpan) -> Bool {
    for offset in 0..<value.byteCount {
      guard let byte = value[at: offset], byte >= 0x20, byte != 0x7f, byte != UInt8(ascii: "\"")
      else {
        return false
      }
    }
    return true
  }
}

extension RawSpan {
  fileprivate func holds(exactly text: String) -> Bool {
    byteCount == text.utf8.count && zip(0..<byteCount, text.utf8).allSatisfy { self[at: $0] == $1 }
  }
}
