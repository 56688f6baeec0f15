import Bytes

extension Searcher {
  /// What stands around one value, looked up once for all rules that ask.
  struct Neighbourhood {
    var value = 0..<0
    var before: [ContextWords.Sight] = []
    var after: [ContextWords.Sight] = []
  }

  /// Whether the words around a value say that it is what the rule looks for.
  func hasContext(_ rule: Int, _ value: Range<Int>, in bytes: RawSpan) -> Bool {
    let words = engine.ruleWords[rule]
    guard !words.isEmpty else { return true }
    lookAround(value, in: bytes)
    let least = value.lowerBound - engine.rules[rule].within
    let most = value.upperBound + engine.rules[rule].within
    let looksAfter = engine.rules[rule].contextAfter
    func isNear(_ set: WordSet) -> Bool {
      nearby.before.contains { $0.range.lowerBound >= least && set.contains($0.word) }
        || looksAfter && nearby.after.contains { $0.range.upperBound <= most && set.contains($0.word) }
        || names.contains { set.contains($0.word) }
    }
    if !words.unwanted.isEmpty, isNear(words.unwanted) { return false }
    return words.wanted.isEmpty || isNear(words.wanted)
  }

  private func lookAround(_ value: Range<Int>, in bytes: RawSpan) {
    guard nearby.value != value else { return }
    nearby.value = value
    nearby.before.removeAll(keepingCapacity: true)
    nearby.after.removeAll(keepingCapacity: true)
    let reach = engine.longestWithin
    let start = max(0, value.lowerBound - reach)
    engine.contextWords.find(in: bytes, start..<value.lowerBound, &nearby.before)
    let end = min(bytes.byteCount, value.upperBound + reach)
    engine.contextWords.find(in: bytes, value.upperBound..<max(value.upperBound, end), &nearby.after)
  }

  /// Forgets the bytes before and looks up the words of the names around new ones.
  func startContext(_ surroundings: Surroundings) {
    nearby.value = 0..<0
    nearby.before.removeAll(keepingCapacity: true)
    nearby.after.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    for name in surroundings.names {
      let text = Array(name.utf8)
      engine.contextWords.find(in: text.span.bytes, 0..<text.count, &names)
    }
  }
}
