import Bytes

extension Searcher {
  /// The words around one value, looked up once for all rules that ask, and those in the names around
  /// the bytes searched now.
  struct Neighbourhood {
    var names: [ContextWords.Sight] = []
    var value = Self.nowhere
    static let nowhere = -1..<(-1)
    /// How far before and behind it was looked, in bytes.
    var reach = 0
    var reachBehind = 0
    var before: [ContextWords.Sight] = []
    var after: [ContextWords.Sight] = []
  }

  /// Whether a word that a rule wants stands near a value.
  func hasWord(_ rule: Int, _ value: Range<Int>, in bytes: RawSpan) -> Bool {
    let wanted = engine.ruleWords[rule].wanted
    guard !wanted.isEmpty else { return true }
    lookNear(rule, value, in: bytes)
    return isNear(wanted, value, rule)
  }

  /// Whether the words around a value say that it is what the rule looks for.
  ///
  /// - Parameter match: where the match starts that the value is part of, which may begin with its name.
  func hasContext(
    _ rule: Int, _ value: Range<Int>, from match: Int, in bytes: RawSpan
  ) -> Bool {
    let words = engine.ruleWords[rule]
    guard !words.isEmpty else { return true }
    lookNear(rule, value, in: bytes)
    if !words.foreign.isEmpty, isNear(words.foreign, value, rule) { return false }
    if !words.unwanted.isEmpty, isNear(words.unwanted, value, rule) {
      let least = value.lowerBound - engine.rules[rule].within
      let wanted = nearby.before.last {
        $0.range.lowerBound >= least && words.wanted.contains($0.word)
      }
      let name = min(match, wanted?.range.lowerBound ?? match)
      guard name < value.lowerBound,
        isOfOthers(
          words.unwanted, from: least, before: name, behind: engine.rules[rule].contextAfter,
          in: bytes)
      else { return false }
    }
    return words.wanted.isEmpty || isNear(words.wanted, value, rule)
  }

  private func lookNear(_ rule: Int, _ value: Range<Int>, in bytes: RawSpan) {
    let reach = max(engine.rules[rule].within, Self.commonReach)
    lookAround(value, in: bytes, reach: reach)
    if engine.rules[rule].contextAfter { lookBehind(value, in: bytes, reach: reach) }
  }

  private func isNear(_ set: WordSet, _ value: Range<Int>, _ rule: Int) -> Bool {
    let least = value.lowerBound - engine.rules[rule].within
    let most = value.upperBound + engine.rules[rule].within
    return nearby.before.contains { $0.range.lowerBound >= least && set.contains($0.word) }
      || engine.rules[rule].contextAfter
        && nearby.after.contains { $0.range.upperBound <= most && set.contains($0.word) }
      || nearby.names.contains { set.contains($0.word) }
  }

  /// Whether every word of a set that stands near a value belongs to other values: before the name of
  /// this one something ended.
  ///
  /// - Parameter least: from where words count.
  /// - Parameter name: where the name starts.
  /// - Parameter behind: whether words behind the value count.
  private func isOfOthers(
    _ set: WordSet, from least: Int, before name: Int, behind: Bool, in bytes: RawSpan
  ) -> Bool {
    guard !nearby.names.contains(where: { set.contains($0.word) }),
      !behind || !nearby.after.contains(where: { set.contains($0.word) })
    else { return false }
    return nearby.before.allSatisfy { sight in
      guard set.contains(sight.word), sight.range.lowerBound >= least else { return true }
      return hasEnd(sight.range.upperBound..<max(sight.range.upperBound, name), in: bytes)
    }
  }

  /// Whether what a range starts in ends in it. What stands in braces behind a name belongs to it: the
  /// statements of a function, the members of an object.
  private func hasEnd(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    var depth = 0
    for offset in range {
      guard let byte = bytes[at: offset] else { return false }
      switch byte {
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}") where depth > 1: depth -= 1
      case UInt8(ascii: "}"): return true
      default: if depth == 0, Self.endsValue(byte) { return true }
      }
    }
    return false
  }

  /// What stands between values, not between the words of a name: the end of a line, a string or an item,
  /// and what opens a tag.
  private static func endsValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0, 0x0a, 0x0d: true
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "<"): true
    default: false
    }
  }

  /// How far most rules look; the few that look farther have the bytes looked at for themselves.
  private static let commonReach = 80

  private func lookAround(_ value: Range<Int>, in bytes: RawSpan, reach: Int) {
    // What stands before a value depends on its start alone.
    if nearby.value.upperBound != value.upperBound { forgetBehind() }
    // What was seen farther away than a rule looks does not count for it, so that one look serves all.
    guard nearby.value.lowerBound != value.lowerBound || nearby.reach < reach else {
      nearby.value = value
      return
    }
    nearby.value = value
    nearby.reach = reach
    nearby.before.removeAll(keepingCapacity: true)
    let start = max(0, value.lowerBound - reach)
    engine.contextWords.find(in: bytes, start..<value.lowerBound, &nearby.before)
  }

  /// The same behind the value, for the few rules that ask.
  private func lookBehind(_ value: Range<Int>, in bytes: RawSpan, reach: Int) {
    guard nearby.reachBehind < reach else { return }
    nearby.reachBehind = reach
    nearby.after.removeAll(keepingCapacity: true)
    let end = max(value.upperBound, min(bytes.byteCount, value.upperBound + reach))
    engine.contextWords.find(in: bytes, value.upperBound..<end, &nearby.after)
  }

  /// Forgets what stood around a value of other bytes.
  func forgetValue() {
    nearby.value = Neighbourhood.nowhere
    forgetBehind()
  }

  private func forgetBehind() {
    nearby.reachBehind = 0
    nearby.after.removeAll(keepingCapacity: true)
  }

  /// Forgets the bytes before, and looks up the words of the names around new ones.
  func startContext(_ surroundings: Surroundings) {
    forgetValue()
    digitWords.removeAll(keepingCapacity: true)
    nearby.names.removeAll(keepingCapacity: true)
    for name in surroundings.names { nearby.names += words(in: name) }
  }

  /// Notes a word of a digit rule that the literal search saw the start of.
  func noteWord(_ word: Int, at start: Int, in bytes: RawSpan) {
    if let sight = engine.contextWords.sight(of: word, at: start, in: bytes) {
      digitWords.append(sight)
    }
  }

  func words(in name: String) -> [ContextWords.Sight] {
    if let known = knownNames[name] { return known }
    var sights: [ContextWords.Sight] = []
    let text = Array(name.utf8)
    engine.contextWords.find(in: text.span.bytes, 0..<text.count, &sights)
    // Names can be data, too: what is kept of them is bounded.
    if knownNames.count > 4_096 { knownNames.removeAll(keepingCapacity: true) }
    knownNames[name] = sights
    return sights
  }
}
