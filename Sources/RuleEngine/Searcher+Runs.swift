import Bytes

extension Searcher {
  /// The shortest run that is tried as encoded text.
  static let shortestEncoded = 20

  /// Looks at long runs of one alphabet: values of rules that have no literal, and encoded text.
  func searchRuns(
    _ bytes: RawSpan, accepted: Range<Int>, _ surroundings: Surroundings,
    _ outcome: inout SearchOutcome
  ) {
    let rules = engine.runRules
    RunFinder.runs(in: bytes, of: .base64, atLeast: Self.shortestEncoded) { run in
      guard accepted.contains(run.range.lowerBound) else { return }
      if let encoded = Self.encodedRun(Self.withoutPrefix(run, in: bytes), in: bytes) {
        outcome.encoded.append(encoded)
      }
      guard RunFinder.isMixed(run.range, in: bytes) else { return }
      // Without rules for runs, what matters is whether a value in it is encoded text: one may start
      // anywhere, behind a value that the bytes do not divide from it.
      guard !rules.isEmpty || Self.mayHoldEncoded(run.range, in: bytes) else { return }
      outcome.touchedRuns.append(run.range)
      let longest = RunFinder.longest(in: run.range, of: bytes)
      for rule in rules {
        if rule.minimum > run.range.count { break }
        guard rule.minimum <= longest[rule.classes.rawValue.trailingZeroBitCount] else { continue }
        judge(rule, in: run, of: bytes, surroundings, &outcome)
      }
    }
    if !digitWords.isEmpty || !nearby.names.isEmpty {
      for rule in engine.digitRules {
        searchDigits(rule, bytes, accepted: accepted, surroundings, &outcome)
      }
    }
    searchFreeDigits(bytes, accepted: accepted, surroundings, &outcome)
  }

  /// Looks at all runs of digits for rules that need no word near.
  private func searchFreeDigits(
    _ bytes: RawSpan, accepted: Range<Int>, _ surroundings: Surroundings,
    _ outcome: inout SearchOutcome
  ) {
    let minimum = engine.freeDigitRules.reduce(Int.max) { least, rule in
      min(least, engine.rules[rule].run?.minimum ?? Int.max)
    }
    guard minimum <= bytes.byteCount else { return }
    RunFinder.digitRuns(in: bytes, atLeast: minimum) { run in
      guard accepted.contains(run.lowerBound) else { return }
      for rule in engine.freeDigitRules {
        judgeEach(rule, in: run, of: bytes, surroundings, &outcome)
      }
    }
  }

  /// Looks at runs of digits for one rule: near the words that it wants, or everywhere where the names
  /// around the bytes say one.
  private func searchDigits(
    _ rule: Int, _ bytes: RawSpan, accepted: Range<Int>, _ surroundings: Surroundings,
    _ outcome: inout SearchOutcome
  ) {
    let minimum = engine.rules[rule].run?.minimum ?? RunFinder.shortestRun
    let wanted = engine.ruleWords[rule].wanted
    if nearby.names.contains(where: { wanted.contains($0.word) }) {
      searchDigits(
        rule, in: 0..<bytes.byteCount, atLeast: minimum, bytes, accepted, surroundings, &outcome)
      return
    }
    let within = engine.rules[rule].within + Self.longestDigits
    let before = engine.rules[rule].contextAfter ? within : 0
    var searched = 0
    for index in digitWords.indices {
      let sight = digitWords[index]
      guard wanted.contains(sight.word) else { continue }
      let lower = max(searched, sight.range.lowerBound - before)
      let upper = min(bytes.byteCount, sight.range.upperBound + within)
      guard lower < upper else { continue }
      searchDigits(
        rule, in: lower..<upper, atLeast: minimum, bytes, accepted, surroundings, &outcome)
      searched = upper
    }
  }

  /// Digits with separators are not longer than this.
  private static let longestDigits = 64

  private func searchDigits(
    _ rule: Int, in range: Range<Int>, atLeast minimum: Int, _ bytes: RawSpan,
    _ accepted: Range<Int>, _ surroundings: Surroundings, _ outcome: inout SearchOutcome
  ) {
    RunFinder.runs(in: bytes.extracting(range), of: .groupedDigit, atLeast: minimum) { run in
      let lower = run.range.lowerBound + range.lowerBound
      guard accepted.contains(lower) else { return }
      judgeEach(
        rule, in: lower..<lower + run.range.count, of: bytes, surroundings, &outcome)
    }
  }

  /// Runs a rule on the parts of a run that are of its alphabet and long enough.
  private func judge(
    _ rule: Engine.RunRule, in run: RunFinder.Run, of bytes: RawSpan,
    _ surroundings: Surroundings, _ outcome: inout SearchOutcome
  ) {
    if run.classes.contains(rule.classes) {
      guard run.range.count <= rule.maximum else { return }
      judgeEach(rule.rule, in: run.range, of: bytes, surroundings, &outcome)
      return
    }
    let part = bytes.extracting(run.range)
    RunFinder.runs(in: part, of: rule.classes, atLeast: rule.minimum) { inner in
      guard inner.range.count <= rule.maximum else { return }
      let lower = run.range.lowerBound + inner.range.lowerBound
      judgeEach(
        rule.rule, in: lower..<lower + inner.range.count, of: bytes, surroundings, &outcome)
    }
  }

  /// Every match of a rule that starts in a run.
  private func judgeEach(
    _ rule: Int, in run: Range<Int>, of bytes: RawSpan, _ surroundings: Surroundings,
    _ outcome: inout SearchOutcome
  ) {
    // A word that must be near is looked for first: that is cheaper than the pattern.
    if run.count < 128, !hasWord(rule, run, in: bytes) { return }
    outcome.touched.append(run)
    var lowest = max(0, lastEnd[rule], run.lowerBound - engine.rules[rule].lookback)
    while lowest < run.upperBound,
      let sighted = sight(
        rule, startingIn: lowest...run.upperBound - 1, covering: run, in: bytes, surroundings,
        &outcome)
    {
      add(.rule(rule), at: sighted.secret, value: bytes.clamped(to: sighted.secret), &outcome)
      remember(rule, end: sighted.whole.upperBound)
      lowest = max(sighted.whole.upperBound, lowest + 1)
    }
  }

  /// Whether encoded text may start anywhere in a run of letters and digits.
  private static func mayHoldEncoded(_ run: Range<Int>, in bytes: RawSpan) -> Bool {
    (run.lowerBound...run.upperBound - shortestEncoded).contains { start in
      encoding(of: start..<run.upperBound, isHexadecimal: false, in: bytes) != nil
        || encoding(of: start..<run.upperBound, isHexadecimal: true, in: bytes) != nil
        || encoding(of: start..<start + shortestEncoded, isHexadecimal: false, in: bytes) != nil
    }
  }

  /// The digits of a run that a prefix says are hexadecimal: `0x4d61` in source, dumps of MySQL and
  /// descriptions of data, `\x4d61` of PostgreSQL.
  private static func withoutPrefix(_ run: RunFinder.Run, in bytes: RawSpan) -> RunFinder.Run {
    let start = run.range.lowerBound
    let first = bytes[at: start] == UInt8(ascii: "0") ? start + 1 : start
    guard !run.classes.contains(.hexadecimal), (bytes[at: first] ?? 0) | 0x20 == UInt8(ascii: "x"),
      run.range.upperBound - first > shortestEncoded,
      (first + 1..<run.range.upperBound).allSatisfy({ bytes[at: $0]?.hexadecimalValue != nil })
    else { return run }
    return RunFinder.Run(
      range: first + 1..<run.range.upperBound, classes: run.classes.union(.hexadecimal))
  }

  /// Digits that a hash or key is written in stand one in a line, too.
  private static let hashWidths: Set<Int> = [32, 40, 48, 56, 64, 96, 128]

  /// Whether the run is a line of digits that goes on in the next, as `xxd -p` prints a file: what it starts
  /// with may be anything.
  private static func isWrapped(_ run: Range<Int>, in bytes: RawSpan) -> Bool {
    guard run.count >= 44, run.count.isMultiple(of: 2), !hashWidths.contains(run.count),
      bytes[at: run.lowerBound - 1].map({ $0 <= 0x20 }) ?? true
    else { return false }
    var next = run.upperBound
    if bytes[at: next] == 0x0d { next += 1 }
    guard bytes[at: next] == 0x0a else { return false }
    let start = next + 1
    next = start
    while next - start < run.count, bytes[at: next]?.hexadecimalValue != nil { next += 1 }
    return next - start >= 2 && bytes[at: next].map { $0 <= 0x20 } ?? true
  }

  /// Whether the run is text or a file in base64 or hexadecimal, judged by its first bytes.
  static func encodedRun(_ run: RunFinder.Run, in bytes: RawSpan) -> EncodedRun? {
    if run.classes.contains(.hexadecimal), isWrapped(run.range, in: bytes) {
      return EncodedRun(encoding: .hex, range: run.range)
    }
    let isHexadecimal = run.classes.contains(.hexadecimal)
    return encoding(of: run.range, isHexadecimal: isHexadecimal, in: bytes).map {
      EncodedRun(encoding: $0, range: run.range)
    }
  }

  private static func encoding(
    of run: Range<Int>, isHexadecimal: Bool, in bytes: RawSpan
  ) -> EncodedRun.Encoding? {
    // The first bytes decide nearly always, and without memory of their own.
    let first = FirstBytes(at: run.lowerBound, isHexadecimal: isHexadecimal, in: bytes)
    guard first?.isPlausible == true else { return nil }
    let head = bytes.clamped(to: run.lowerBound..<run.lowerBound + 24)
    if isHexadecimal {
      guard run.count >= 24, let decoded = [UInt8](hexadecimal: head.repairedText()),
        EncodedContent.isPlausible(decoded)
      else { return nil }
      return .hex
    }
    let size = min(head.byteCount, run.count)
    let decoded = Base64.decode(head.extracting(0..<size / 4 * 4))
    return EncodedContent.isPlausible(decoded) ? .base64 : nil
  }
}

/// The first three bytes that a run stands for.
private struct FirstBytes {
  private let one: UInt8
  private let two: UInt8
  private let three: UInt8

  init?(at start: Int, isHexadecimal: Bool, in bytes: RawSpan) {
    if isHexadecimal {
      func byte(_ index: Int) -> UInt8? {
        guard let high = bytes[at: start + 2 * index]?.hexadecimalValue,
          let low = bytes[at: start + 2 * index + 1]?.hexadecimalValue
        else { return nil }
        return high << 4 | low
      }
      guard let one = byte(0), let two = byte(1), let three = byte(2) else { return nil }
      (self.one, self.two, self.three) = (one, two, three)
    } else {
      var bits: UInt32 = 0
      for offset in start..<start + 4 {
        guard let character = bytes[at: offset], let value = Base64.value(of: character) else {
          return nil
        }
        bits = bits << 6 | UInt32(value)
      }
      one = UInt8(truncatingIfNeeded: bits >> 16)
      two = UInt8(truncatingIfNeeded: bits >> 8)
      three = UInt8(truncatingIfNeeded: bits)
    }
  }

  var isPlausible: Bool { mayBeText || maySign }

  /// Whether they can start text: ASCII, UTF-16 or Chinese in UTF-8.
  private var mayBeText: Bool {
    func isText(_ byte: UInt8) -> Bool {
      byte >= 0x20 && byte < 0x7f || byte == 0x0a || byte == 0x0d || byte == 9
    }
    return isText(one) && (isText(two) || two == 0) && (isText(three) || two == 0)
      || (0xe3...0xe9).contains(one) && two >= 0x80 && three >= 0x80
  }

  /// Whether they can be the signature of a file.
  private var maySign: Bool {
    EncodedContent.maySign[Int(one)] && !(one == 0x30 && two != 0x82)
  }
}

/// What is looked into once it is decoded.
private enum EncodedContent {
  /// Signatures of files that are found inside encoded text.
  private static let signatures: [[UInt8]] = [
    [0x1f, 0x8b, 0x08], Array("PK\u{3}\u{4}".utf8), Array("bplist".utf8), Array("SQLite fo".utf8),
    [0x78, 0x9c], [0x78, 0xda], [0x78, 0x01], [0x28, 0xb5, 0x2f, 0xfd], Array("BZh".utf8),
    [0xfd, 0x37, 0x7a, 0x58, 0x5a], [0x04, 0x22, 0x4d, 0x18], Array("%PDF".utf8),
    [0x30, 0x82], [0xff, 0xfe], [0xfe, 0xff],
  ]

  /// Whether a signature starts with a byte.
  static let maySign: [Bool] = (0...255).map { byte in signatures.contains { $0[0] == byte } }

  static func isPlausible(_ bytes: [UInt8]) -> Bool {
    if bytes.starts(with: [0x1f, 0x8b, 0x08]) { return isGzip(bytes) }
    if signatures.contains(where: { bytes.starts(with: $0) }) { return true }
    guard bytes.count >= 9 else { return false }
    let isASCII = bytes.allSatisfy {
      $0 >= 0x20 && $0 < 0x7f || $0 == 0x0a || $0 == 0x0d || $0 == 9
    }
    if isASCII { return true }
    let wide = bytes.indices.allSatisfy { $0 % 2 == 0 ? bytes[$0] >= 0x20 : bytes[$0] == 0 }
    return wide || isMultibyteText(bytes)
  }

  /// Three bytes alone start one digest in some millions, and there are lists of those: the flags, what
  /// tells of the compressor and its system must be some that RFC 1952 (§2.3.1) has.
  private static func isGzip(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 10 else { return false }
    return bytes[3] & 0xe0 == 0 && [0, 2, 4].contains(bytes[8])
      && (bytes[9] <= 19 || bytes[9] == 255)
  }

  /// Text beyond ASCII in UTF-8: at least two whole characters of three bytes at the start.
  private static func isMultibyteText(_ bytes: [UInt8]) -> Bool {
    guard bytes[0] >= 0xe3, bytes[0] <= 0xe9 else { return false }
    var count = bytes.count
    while count > 6, String(validating: bytes.prefix(count), as: UTF8.self) == nil { count -= 1 }
    return bytes.count - count < 3
  }
}
