import Bytes

/// Bytes that a program printed in hexadecimal: `xxd`, `hexdump`, `od -t x1`, tcpdump, Wireshark, debuggers,
/// the description of NSData, arrays of C. The bytes of lines that follow one another are one text.
package struct HexDump {
  /// What was printed, and where each byte stands.
  package private(set) var decoded = DecodedBytes()
  /// Where the first byte stands, and where the last line ends.
  package private(set) var range: Range<Int>

  /// The shortest stretch of digits and blanks that is looked at: eight bytes in groups of two.
  private static let shortestRun = 19
  /// Fewer bytes say nothing that the search for spaced digits does not.
  private static let fewestBytes = 8
  /// Bytes that `*` for repeated lines may stand for, in all dumps of a text.
  private static let mostRepeated = 4 << 20

  /// Calls `body` with every dump of which the first line starts in `accepted`.
  package static func forEach(
    in text: RawSpan, from accepted: Range<Int>, _ body: (HexDump) -> Void
  ) {
    var end = accepted.lowerBound
    var budget = mostRepeated
    RunFinder.runs(in: text, of: .dump, atLeast: shortestRun) { run in
      guard run.range.lowerBound >= end, accepted.contains(run.range.lowerBound),
        hasDigits(run.range, of: text), let dump = HexDump(parsing: text, run: run.range, &budget)
      else { return }
      end = dump.range.upperBound
      if dump.decoded.bytes.count >= fewestBytes { body(dump) }
    }
  }

  /// Whether the stretch has the digits of some bytes: most stretches are indentation.
  private static func hasDigits(_ run: Range<Int>, of text: RawSpan) -> Bool {
    var count = 0
    for offset in run where text.known(offset) > 0x2C {
      count += 1
      if count >= 2 * fewestBytes { return true }
    }
    return false
  }

  private init?(parsing text: RawSpan, run: Range<Int>, _ budget: inout Int) {
    let start = Self.lineStart(of: text, before: run.lowerBound)
    var line = HexDumpLine()
    // What stands before the dump in its first line stands before it in the others.
    var indent = 0
    if !line.read(text, Self.line(of: text, from: start)) || !line.isSure
      || (line.offsets.last ?? 0) < run.lowerBound
    {
      indent = run.lowerBound - start
      guard line.read(text, Self.line(of: text, from: run.lowerBound)), line.isSure else {
        return nil
      }
    }
    guard let first = line.offsets.first else { return nil }
    range = first..<first
    var last = line
    var repeats = false
    add(line, in: text)
    while let next = nextLine(in: text) {
      if Self.isStar(text, next) {
        repeats = true
        range = range.lowerBound..<next.upperBound
        continue
      }
      let isNext = continues(&line, at: next, indent, after: last, in: text, repeats, &budget)
      guard isNext || continues(&line, behindPageBreakIn: text, indent, after: last, &budget) else {
        return
      }
      repeats = false
      add(line, in: text)
      last = line
    }
  }

  /// Whether a line is the next one of the dump.
  private mutating func continues(
    _ line: inout HexDumpLine, at place: Range<Int>, _ indent: Int, after last: HexDumpLine,
    in text: RawSpan, _ isRepeated: Bool, _ budget: inout Int
  ) -> Bool {
    line = last
    return line.read(
      text, place.lowerBound + min(indent, place.count)..<place.upperBound, like: last.shape)
      && line.shape == last.shape && addGap(from: last, to: line, isRepeated: isRepeated, &budget)
  }

  /// Whether the dump goes on behind the foot of a page, a form feed and the head of the next, as in
  /// documents of the IETF.
  private mutating func continues(
    _ line: inout HexDumpLine, behindPageBreakIn text: RawSpan, _ indent: Int,
    after last: HexDumpLine, _ budget: inout Int
  ) -> Bool {
    let reach = range.upperBound..<min(range.upperBound + Self.longestBreak, text.byteCount)
    guard let feed = text.firstOffset(of: 0x0C, in: reach) else { return false }
    var start = range.upperBound
    // One line before the feed and one behind it may be no line of the dump.
    var (foots, heads) = (0, 0)
    while let end = text.firstOffset(of: 0x0A, in: start..<reach.upperBound) {
      let isBehind = end >= feed
      let place = (isBehind ? max(start, min(feed + 1, end)) : start)..<end
      start = end + 1
      guard !Self.isBlank(text, place) else { continue }
      guard isBehind else {
        foots += 1
        if foots > 1 { return false }
        continue
      }
      if continues(&line, at: place, indent, after: last, in: text, false, &budget),
        line.values.count >= 4
      {
        return true
      }
      heads += 1
      if heads > 1 { return false }
    }
    return false
  }

  /// What stands between two lines of a dump where a page ends between them is shorter.
  private static let longestBreak = 1_024

  private static func isBlank(_ text: RawSpan, _ line: Range<Int>) -> Bool {
    line.allSatisfy { Formats.isBlank(text.known($0)) || text.known($0) == 0x0C }
  }

  private mutating func add(_ line: HexDumpLine, in text: RawSpan) {
    for (value, offset) in zip(line.values, line.offsets) {
      decoded.append(value, from: offset..<offset + 2)
    }
    range = range.lowerBound..<line.end
  }

  /// Whether a line follows the one before it by its address, with what a `*` stands for between them.
  private mutating func addGap(
    from last: HexDumpLine, to next: HexDumpLine, isRepeated: Bool, _ budget: inout Int
  ) -> Bool {
    guard let one = last.address, let other = next.address else { return !isRepeated }
    let count = UInt64(last.values.count)
    let distances = zip(one.readings, other.readings).compactMap { one, other -> UInt64? in
      guard let one, let other, other > one else { return nil }
      return other - one
    }
    if !isRepeated { return distances.contains(count) }
    // The lines left out are whole ones, which an address in the wrong base seldom fits.
    guard count > 0,
      let distance = distances.first(where: { $0 > count && $0.isMultiple(of: count) }),
      distance - count <= UInt64(max(0, budget))
    else { return false }
    budget -= Int(distance - count)
    let source = range.upperBound
    for index in 0..<Int(distance - count) {
      decoded.append(last.values[index % last.values.count], from: source - 1..<source)
    }
    return true
  }

  private func nextLine(in text: RawSpan) -> Range<Int>? {
    guard let end = text.firstOffset(of: 0x0A, from: range.upperBound), end + 1 < text.byteCount
    else { return nil }
    return Self.line(of: text, from: end + 1)
  }

  private static func isStar(_ text: RawSpan, _ line: Range<Int>) -> Bool {
    line.count <= 2 && text[at: line.lowerBound] == UInt8(ascii: "*")
  }

  /// Lines longer than this are no dump's; what stands behind that is not read.
  private static let longestLine = 1 << 16
  /// What a log may write before a dump in each line.
  private static let longestPrefix = 512

  private static func line(of text: RawSpan, from start: Int) -> Range<Int> {
    let most = min(text.byteCount, start + longestLine)
    return start..<(text.firstOffset(of: 0x0A, in: start..<most) ?? most)
  }

  private static func lineStart(of text: RawSpan, before offset: Int) -> Int {
    var start = offset
    while start > 0, offset - start < longestPrefix, text.known(start - 1) != 0x0A { start -= 1 }
    return start
  }
}
