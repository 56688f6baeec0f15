import Bytes
import Findings

/// What one task searches with: the engine, and the memory that searching needs.
package final class Searcher {
  package let engine: Engine
  private var difference: [UInt8] = []
  /// Memory for the outcome of a value searched with its name.
  var namedOutcome = SearchOutcome()
  var patterns: [CompiledRule?]
  /// Where the last match of each rule ended in the bytes searched now, so that a second anchor in
  /// the same match is not a second sighting.
  var lastEnd: [Int]
  /// Rules whose `lastEnd` is set.
  var usedRules: [Int] = []

  var nearby = Neighbourhood()
  /// Words of digit rules in the bytes searched now, by where they start.
  var digitWords: [ContextWords.Sight] = []
  private var hits: [LiteralDatabase.Hit] = []
  /// Whether names met before are known to a rule.
  var tellingNames: [String: Telling] = [:]
  /// Words in names met before: columns and keys come again and again.
  var knownNames: [String: [ContextWords.Sight]] = [:]

  /// A rule's pattern and those of values that are known not to be one.
  final class CompiledRule {
    let pattern: Pattern
    let not: [Pattern]
    let textNot: [Pattern]
    /// How many bytes behind the start of a match are looked at.
    let reach: Int

    init(_ rule: Rule) throws(Pattern.SyntaxError) {
      reach = min(PatternLength.longest(of: rule.pattern) ?? Searcher.reach, Searcher.reach)
      pattern = try Pattern(rule.pattern, ignoresCase: rule.ignoresCase)
      not = try Self.compiled(rule.not)
      textNot = try Self.compiled(rule.textNot)
    }

    private static func compiled(_ texts: [String]) throws(Pattern.SyntaxError) -> [Pattern] {
      var patterns: [Pattern] = []
      for text in texts { patterns.append(try Pattern(text, ignoresCase: false)) }
      return patterns
    }

    /// Whether one of the patterns of values that are no secret fits.
    func isKnown(_ secret: RawSpan) -> Bool {
      if not.contains(where: { $0.isIn(secret) }) { return true }
      return textNot.contains { $0.isIn(secret) } && !Wording.isGenerated(secret)
    }
  }

  package init(_ engine: Engine) {
    self.engine = engine
    patterns = [CompiledRule?](repeating: nil, count: engine.rules.count)
    lastEnd = [Int](repeating: 0, count: engine.rules.count)
  }

  /// Searches `bytes` and adds what is seen to `outcome`.
  ///
  /// Only what starts in `accepted` counts; the bytes around it are there to be looked at. A large
  /// input is searched in windows that overlap, each start being accepted in one of them.
  package func search(
    _ bytes: RawSpan, accepted: Range<Int>, surroundings: Surroundings,
    into outcome: inout SearchOutcome
  ) {
    searchPlain(bytes, accepted: accepted, surroundings, &outcome)
    // Zeros between characters, bytes that were disguised and keys made ready are never text alone.
    if bytes.hasControlCharacter {
      searchWideRuns(bytes, accepted: accepted, surroundings, &outcome)
      searchDifferences(bytes, accepted: accepted, &outcome)
      searchSchedules(bytes, accepted: accepted, &outcome)
    }
    if surroundings.isWholeField { searchNamed(bytes, surroundings, &outcome) }
  }

  /// The search of bytes as they are.
  func searchPlain(
    _ bytes: RawSpan, accepted: Range<Int>, _ surroundings: Surroundings,
    _ outcome: inout SearchOutcome
  ) {
    for rule in usedRules { lastEnd[rule] = 0 }
    usedRules.removeAll(keepingCapacity: true)
    startContext(surroundings)
    // Everything is seen before anything is judged: the words behind a value count too.
    var hits: [LiteralDatabase.Hit] = []
    swap(&hits, &self.hits)
    defer {
      hits.removeAll(keepingCapacity: true)
      swap(&hits, &self.hits)
    }
    let (uses, words, sizes) = (engine.uses, engine.literalWords, engine.literalSizes)
    engine.database.search(bytes) { hit in
      let start = hit.end - sizes[hit.literal]
      for word in words.positions(of: hit.literal) { noteWord(words[word], at: start, in: bytes) }
      if !uses.positions(of: hit.literal).isEmpty, accepted.contains(start) { hits.append(hit) }
    }
    // What a rule found ends where the next match of it may start: hits are judged in order.
    if !hits.isEmpty { hits.sort { ($0.end, $0.literal) < ($1.end, $1.literal) } }
    if !digitWords.isEmpty { digitWords.sort { $0.range.lowerBound < $1.range.lowerBound } }
    for hit in hits {
      let range = hit.end - sizes[hit.literal]..<hit.end
      var isAnchor = false
      var isValue = false
      for use in uses.positions(of: hit.literal) {
        switch uses[use] {
        case .anchor: isAnchor = true
        case .needle: isValue = true
        case .word(let needle):
          // A word alone is nothing to look at twice.
          if judgeWords(of: needle, at: range, in: bytes, &outcome) { isValue = true }
          continue
        }
        judge(uses[use], at: range, in: bytes, surroundings, &outcome)
      }
      if isAnchor {
        outcome.touched.append(range)
      } else if isValue {
        outcome.touchedValues.append(range)
      }
    }
    searchRuns(bytes, accepted: accepted, surroundings, &outcome)
  }

  private func judge(
    _ use: Engine.Use, at range: Range<Int>, in bytes: RawSpan, _ surroundings: Surroundings,
    _ outcome: inout SearchOutcome
  ) {
    switch use {
    case .needle(let needle, let form):
      judge(needle, form, at: range, in: bytes, surroundings, &outcome)
    case .word: break
    case .anchor(let rule, .bytes):
      judge(rule, anchor: range, in: bytes, surroundings, &outcome)
    case .anchor(let rule, let encoding):
      judgeWide(rule, encoding, anchor: range, in: bytes, surroundings, &outcome)
    }
  }

  /// Searches a whole value.
  package func search(
    _ bytes: RawSpan, surroundings: Surroundings, into outcome: inout SearchOutcome
  ) {
    search(bytes, accepted: 0..<bytes.byteCount, surroundings: surroundings, into: &outcome)
  }

  /// Adds a sighting of what lies at `range`.
  func add(
    _ subject: Sighting.Subject, form: String? = nil, at range: Range<Int>, value: RawSpan,
    _ outcome: inout SearchOutcome
  ) {
    var sighting = Sighting(
      subject: subject, form: form, range: range, sample: Redaction.mask(value),
      digest: SHA256.digest(of: value), revealed: engine.reveals ? value.repairedText() : nil)
    // Needles are covered by the whole report, wherever they stand.
    if case .rule = subject, !engine.reveals, value.byteCount <= Sighting.mostPlain {
      sighting.plain = value.copied()
    }
    outcome.sightings.append(sighting)
  }

  /// Expanded AES keys: whoever sees one has the key.
  private func searchSchedules(
    _ bytes: RawSpan, accepted: Range<Int>, _ outcome: inout SearchOutcome
  ) {
    guard !engine.scheduleRules.isEmpty else { return }
    KeySchedules.find(in: bytes) { schedule in
      guard accepted.contains(schedule.range.lowerBound) else { return }
      let key = schedule.key.span.bytes
      for rule in engine.scheduleRules where !isKnown(key, to: rule) {
        outcome.touched.append(schedule.range)
        add(.rule(rule), at: schedule.keyRange, value: key, &outcome)
      }
    }
  }

  /// XOR with one byte: text that is plain already cannot also be disguised, so only bytes that are
  /// not text are searched.
  private func searchDifferences(
    _ bytes: RawSpan, accepted: Range<Int>, _ outcome: inout SearchOutcome
  ) {
    let differences = engine.differences
    guard !differences.isEmpty, bytes.byteCount > Differences.shortest else { return }
    var difference: [UInt8] = []
    swap(&difference, &self.difference)
    defer { swap(&difference, &self.difference) }
    Differences.write(of: bytes, into: &difference)
    differences.database.search(difference.span.bytes, count: bytes.byteCount - 1) { hit in
      let (needle, count, first) = differences.needles[hit.literal]
      let start = hit.end - (count - 1)
      guard accepted.contains(start), let stored = bytes[at: start], stored != first else { return }
      let key = stored ^ first
      outcome.touchedValues.append(start..<start + count)
      add(
        .needle(needle), form: "xor-0x\([key].hexadecimal)", at: start..<start + count,
        value: bytes.clamped(to: start..<start + count), &outcome)
    }
  }

  /// Whether the first bytes hold a control character that text does not.
  package static func isBinary(_ bytes: RawSpan) -> Bool {
    bytes.clamped(to: 0..<1_024).hasControlCharacter
  }
}
