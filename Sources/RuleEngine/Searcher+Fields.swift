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
      (4...Self.longestField).contains(value.byteCount), isTelling(name), Self.isLine(value),
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

  /// Whether a rule knows values by this name: an anchor stands in it.
  private func isTelling(_ name: String) -> Bool {
    if let known = tellingNames[name] { return known }
    var tells = false
    let line = Array("\(name) = \"".utf8)
    engine.database.search(line.span.bytes) { hit in
      if !engine.uses.positions(of: hit.literal).isEmpty { tells = true }
    }
    if tellingNames.count > 4_096 { tellingNames.removeAll(keepingCapacity: true) }
    tellingNames[name] = tells
    return tells
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
