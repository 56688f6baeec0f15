import Bytes

extension Searcher {
  /// A match may reach this far behind its anchor.
  static let reach = 16_384
  /// How many matches are tried around one anchor.
  static let tries = 8

  /// Runs a rule's pattern around an anchor.
  func judge(
    _ rule: Int, anchor: Range<Int>, in bytes: RawSpan, _ surroundings: Surroundings,
    _ outcome: inout SearchOutcome
  ) {
    guard anchor.lowerBound >= lastEnd[rule] else { return }
    let lowest = max(lastEnd[rule], anchor.lowerBound - engine.lookbacks[rule])
    guard
      let sighted = sight(
        rule, startingIn: lowest...anchor.lowerBound, covering: anchor, in: bytes, surroundings,
        &outcome)
    else { return }
    add(.rule(rule), at: sighted.secret, value: bytes.clamped(to: sighted.secret), &outcome)
    remember(rule, end: sighted.whole.upperBound)
  }

  func remember(_ rule: Int, end: Int) {
    if lastEnd[rule] == 0 { usedRules.append(rule) }
    lastEnd[rule] = end
  }

  /// A match that passed every check.
  struct Match {
    var whole: Range<Int>
    var secret: Range<Int>
  }

  /// The first match of a rule that starts in `starts`, reaches into `anchor` and passes every check.
  func sight(
    _ rule: Int, startingIn starts: ClosedRange<Int>, covering anchor: Range<Int>,
    in bytes: RawSpan, _ surroundings: Surroundings, _ outcome: inout SearchOutcome
  ) -> Match? {
    guard let compiled = compiled(rule) else {
      outcome.abandoned += 1
      return nil
    }
    // Some bytes before the first start let the pattern look behind it; no match comes near the end.
    let base = max(0, starts.lowerBound - 64)
    let end = max(anchor.upperBound, starts.upperBound + 1) + compiled.reach + 1
    let window = bytes.clamped(to: base..<min(bytes.byteCount, end))
    var lowest = starts.lowerBound - base
    for _ in 0..<Self.tries where lowest <= starts.upperBound - base {
      switch compiled.pattern.firstMatch(
        in: window, startingIn: lowest...(starts.upperBound - base))
      {
      case .none: return nil
      case .limit:
        outcome.abandoned += 1
        return nil
      case .match(let whole, let secret):
        let match = Match(
          whole: whole.lowerBound + base..<whole.upperBound + base,
          secret: secret.lowerBound + base..<secret.upperBound + base)
        if match.whole.upperBound > anchor.lowerBound,
          passes(match, rule, compiled, in: bytes, surroundings)
        {
          return match
        }
        lowest = whole.lowerBound + 1
      }
    }
    return nil
  }

  private func passes(
    _ match: Match, _ rule: Int, _ compiled: CompiledRule, in bytes: RawSpan,
    _ surroundings: Surroundings
  ) -> Bool {
    let secret = bytes.clamped(to: match.secret)
    let judged = engine.rules[rule]
    guard !secret.isEmpty,
      hasContext(rule, match.secret, from: match.whole.lowerBound, in: bytes)
    else { return false }
    if let least = judged.entropy, ByteHistogram(of: secret).entropy < least { return false }
    if judged.wantsField, !isField(match.secret, in: bytes, surroundings) { return false }
    if let run = judged.run, Self.isOther(match.secret, run.alphabet, in: bytes) { return false }
    // A checksum that fits is proof; a long key may well spell "xxxx" somewhere.
    if let checksum = engine.checksums[rule] {
      guard checksum.verifies(secret) else { return false }
    } else if Placeholder.covers(secret) {
      return false
    }
    if !judged.context.isEmpty, SwiftSymbol.covers(match.secret, in: bytes) { return false }
    return !compiled.isKnown(secret)
  }

  /// Whether a stretch of an alphabet is something that every file of programs is full of: a digest
  /// before the name of a file, or words.
  private static func isOther(
    _ secret: Range<Int>, _ alphabet: Rule.Alphabet, in bytes: RawSpan
  ) -> Bool {
    switch alphabet {
    case .hex: return isListed(secret, in: bytes)
    case .base64, .alnum: return Wording.isOfWords(bytes.clamped(to: secret))
    case .base32, .digits: return false
    }
  }

  /// A line of `sha256sum`: the digest, two spaces or a space and a star, and a name.
  private static func isListed(_ secret: Range<Int>, in bytes: RawSpan) -> Bool {
    let before = bytes[at: secret.lowerBound - 1] ?? 0x0a
    guard before == 0x0a, bytes[at: secret.upperBound] == 0x20,
      let mark = bytes[at: secret.upperBound + 1], mark == 0x20 || mark == UInt8(ascii: "*"),
      let name = bytes[at: secret.upperBound + 2]
    else { return false }
    return name > 0x20
  }

  /// Whether a value that no pattern found is known to be no secret.
  func isKnown(_ secret: RawSpan, to rule: Int) -> Bool {
    compiled(rule)?.isKnown(secret) ?? false
  }

  /// Whether the value is the whole of a field: a fragment of its own, or set off in the text by
  /// quotes, by an assignment and the end of the line, or by separators.
  private func isField(
    _ secret: Range<Int>, in bytes: RawSpan, _ surroundings: Surroundings
  ) -> Bool {
    if surroundings.isWholeField { return secret == 0..<bytes.byteCount }
    let quotes = Array("\"'`".utf8)
    let before = bytes[at: secret.lowerBound - 1] ?? 0x0a
    let after = bytes[at: secret.upperBound] ?? 0x0a
    if quotes.contains(before) { return after == before }
    if before == UInt8(ascii: ">") { return after == UInt8(ascii: "<") }
    let ends =
      after == 0x0a || after == 0x0d || after == 0 || after == UInt8(ascii: ",")
      || after == UInt8(ascii: ";") || after == 0x09
    guard ends else { return false }
    var index = secret.lowerBound - 1
    while let byte = bytes[at: index], byte == 0x20 { index -= 1 }
    guard let mark = bytes[at: index] else { return true }
    return Array("=:,;\t\n\r\0".utf8).contains(mark)
  }

  /// The rule's pattern, compiled when it is first needed: most rules of a scan are never run.
  ///
  /// Nothing for a pattern that does not compile. Rules are checked when they are loaded, so that can
  /// only be an engine built past that check, and it is reported as a pattern that was given up.
  private func compiled(_ rule: Int) -> CompiledRule? {
    if let known = patterns[rule] { return known }
    let made = try? CompiledRule(engine.rules[rule])
    patterns[rule] = made
    return made
  }
}
