import Bytes

extension Searcher {
  /// The words seen in the bytes searched now, and what stands around the value judged last.
  struct Neighbourhood {
    /// Words in the bytes, by where they start.
    var seen: [ContextWords.Sight] = []
    /// Words in the names around the bytes.
    var names: [ContextWords.Sight] = []
    /// All of them.
    var all = WordSet()

    var value = 0..<0
    var before: [ContextWords.Sight] = []
    var after: [ContextWords.Sight] = []

    mutating func removeAll() {
      seen.removeAll(keepingCapacity: true)
      names.removeAll(keepingCapacity: true)
      all.removeAll()
      forgetValue()
    }

    mutating func forgetValue() {
      value = 0..<0
      before.removeAll(keepingCapacity: true)
      after.removeAll(keepingCapacity: true)
    }
  }

  /// Whether a rule's words can be near any value of the bytes searched now.
  func mayHaveContext(_ rule: Int) -> Bool {
    let wanted = engine.ruleWords[rule].wanted
    return wanted.isEmpty || wanted.overlaps(nearby.all)
  }

  /// Whether the words around a value say that it is what the rule looks for.
  func hasContext(_ rule: Int, _ value: Range<Int>) -> Bool {
    let words = engine.ruleWords[rule]
    guard !words.isEmpty else { return true }
    guard mayHaveContext(rule) else { return false }
    lookAround(value)
    let least = value.lowerBound - engine.rules[rule].within
    let most = value.upperBound + engine.rules[rule].within
    let looksAfter = engine.rules[rule].contextAfter
    func isNear(_ set: WordSet) -> Bool {
      nearby.before.contains { $0.range.lowerBound >= least && set.contains($0.word) }
        || looksAfter && nearby.after.contains { $0.range.upperBound <= most && set.contains($0.word) }
        || nearby.names.contains { set.contains($0.word) }
    }
    if !words.unwanted.isEmpty, isNear(words.unwanted) { return false }
    return words.wanted.isEmpty || isNear(words.wanted)
  }

  /// Picks the words near a value from those seen, once for all rules that ask.
  private func lookAround(_ value: Range<Int>) {
    guard nearby.value != value else { return }
    nearby.forgetValue()
    nearby.value = value
    let least = value.lowerBound - engine.longestWithin
    let most = value.upperBound + engine.longestWithin
    var index = firstSeen(from: least)
    while index < nearby.seen.count {
      let sight = nearby.seen[index]
      if sight.range.lowerBound >= most { return }
      if sight.range.upperBound <= value.lowerBound {
        nearby.before.append(sight)
      } else if sight.range.lowerBound >= value.upperBound {
        nearby.after.append(sight)
      }
      index += 1
    }
  }

  /// Index of the first word seen at or behind `offset`.
  private func firstSeen(from offset: Int) -> Int {
    var (low, high) = (0, nearby.seen.count)
    while low < high {
      let middle = (low + high) / 2
      if nearby.seen[middle].range.lowerBound < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Notes a word that the literal search saw the start of.
  func noteWord(_ word: Int, at start: Int, in bytes: RawSpan) {
    guard let sight = engine.contextWords.sight(of: word, at: start, in: bytes) else { return }
    nearby.seen.append(sight)
    nearby.all.insert(word)
  }

  /// Forgets the bytes before, and looks up the words of the names around new ones.
  func startContext(_ surroundings: Surroundings) {
    nearby.removeAll()
    for name in surroundings.names { nearby.names += words(in: name) }
    for sight in nearby.names { nearby.all.insert(sight.word) }
  }

  private func words(in name: String) -> [ContextWords.Sight] {
    if let known = knownNames[name] { return known }
    var sights: [ContextWords.Sight] = []
    let text = Array(name.utf8)
    engine.contextWords.find(in: text.span.bytes, 0..<text.count, &sights)
    // Names can be data, too: what is kept of them is bounded.
    if knownNames.count > 4_096 { knownNames.removeAll(keepingCapacity: true) }
    knownNames[name] = sights
    return sights
  }

  /// Looks words up in bytes that the literal search did not see, a short text made for one value.
  func withContext<Result>(of text: RawSpan, _ body: () -> Result) -> Result {
    var other = Neighbourhood()
    other.names = nearby.names
    for sight in other.names { other.all.insert(sight.word) }
    engine.contextWords.find(in: text, 0..<text.byteCount, &other.seen)
    for sight in other.seen { other.all.insert(sight.word) }
    swap(&other, &nearby)
    defer { swap(&other, &nearby) }
    return body()
  }
}
