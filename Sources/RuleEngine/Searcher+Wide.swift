import Bytes

extension Searcher {
  /// How many UTF-16 units around an anchor are looked at.
  private static let unitsBefore = 320
  private static let fewUnitsAfter = 160
  private static let unitsAfter = 4_096

  /// Runs a rule on the UTF-16 text around an anchor, as UTF-8.
  func judgeWide(
    _ rule: Int, _ encoding: Engine.Encoding, anchor: Range<Int>, in bytes: RawSpan,
    _ surroundings: Surroundings, _ outcome: inout SearchOutcome
  ) {
    guard anchor.lowerBound >= lastEnd[rule] else { return }
    guard !Self.isShifted(anchor, in: bytes) else { return }
    var text = WideText(
      around: anchor, in: bytes, isBigEndian: encoding == .utf16BigEndian,
      unitsBefore: Self.unitsBefore, unitsAfter: Self.fewUnitsAfter)
    var sighted = sight(rule, in: text, surroundings, &outcome)
    if text.isCut, sighted.map({ $0.whole.upperBound + 8 > text.utf8.count }) ?? true {
      // What is looked for may go on: most matches are short, a private key is not.
      text = WideText(
        around: anchor, in: bytes, isBigEndian: encoding == .utf16BigEndian,
        unitsBefore: Self.unitsBefore, unitsAfter: Self.unitsAfter)
      sighted = sight(rule, in: text, surroundings, &outcome)
    }
    guard let sighted else { return }
    let range = text.source(of: sighted.secret)
    guard range.lowerBound >= lastEnd[rule] else { return }
    let value = text.utf8.span.bytes.clamped(to: sighted.secret)
    add(.rule(rule), at: range, value: value, &outcome)
    remember(rule, end: range.upperBound)
  }

  private func sight(
    _ rule: Int, in text: WideText, _ surroundings: Surroundings, _ outcome: inout SearchOutcome
  ) -> Match? {
    let narrow = text.utf8.span.bytes
    let lowest = max(0, text.anchor.lowerBound - engine.lookbacks[rule])
    forgetValue()
    defer { forgetValue() }
    return sight(
      rule, startingIn: lowest...text.anchor.lowerBound, covering: text.anchor, in: narrow,
      surroundings, &outcome)
  }
}

extension Searcher {
  /// Looks at runs of one alphabet in UTF-16: rules that have no literal see none of its bytes.
  func searchWideRuns(
    _ bytes: RawSpan, accepted: Range<Int>, _ surroundings: Surroundings,
    _ outcome: inout SearchOutcome
  ) {
    RunFinder.wideRuns(in: bytes, atLeast: Self.shortestEncoded) { found in
      // Units start at even offsets: zeros before the characters of odd ones belong to them, and the
      // last one has none behind it.
      let isBigEndian = found.lowerBound % 2 == 1 && bytes[at: found.lowerBound - 1] == 0
      let run = isBigEndian ? found.lowerBound - 1..<found.upperBound + 1 : found
      let first = isBigEndian ? 1 : 0
      let narrow = stride(from: run.lowerBound + first, to: run.upperBound, by: 2)
        .map { bytes[at: $0] ?? 0 }
      var seen = SearchOutcome()
      swap(&seen, &namedOutcome)
      defer {
        seen.removeAll()
        swap(&seen, &namedOutcome)
      }
      searchPlain(narrow.span.bytes, accepted: 0..<narrow.count, surroundings, &seen)
      for var sighting in seen.sightings {
        sighting.range =
          run.lowerBound + 2 * sighting.range.lowerBound..<run.lowerBound + 2
          * sighting.range.upperBound
        guard case .rule = sighting.subject, accepted.contains(sighting.range.lowerBound),
          !outcome.sightings.contains(where: { Self.isSame($0, sighting) })
        else { continue }
        outcome.sightings.append(sighting)
        outcome.touched.append(sighting.range)
      }
      outcome.abandoned += seen.abandoned
    }
  }

  /// ASCII characters in UTF-16 read the same in both byte orders, one byte apart: whether what was
  /// seen at an odd offset can be read from the even one beside it, where units of text start.
  static func isShifted(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    guard range.lowerBound % 2 == 1 else { return false }
    let startsWithZero = bytes[at: range.lowerBound] == 0
    let beside = startsWithZero ? range.upperBound : range.lowerBound - 1
    let zeros = startsWithZero ? range.lowerBound : range.lowerBound + 1
    return bytes[at: beside] == 0
      && stride(from: zeros, to: range.upperBound, by: 2).allSatisfy { bytes[at: $0] == 0 }
  }
}

/// The UTF-16 text around a place, as UTF-8 with the way back.
struct WideText {
  private(set) var utf8: [UInt8] = []
  /// The place, in the UTF-8 text.
  private(set) var anchor = 0..<0
  /// Source offset of every UTF-8 byte.
  private var offsets: [Int] = []
  private var end = 0
  /// Whether the text goes on behind what was taken.
  private(set) var isCut = false

  init(
    around place: Range<Int>, in bytes: RawSpan, isBigEndian: Bool, unitsBefore: Int,
    unitsAfter: Int
  ) {
    func unit(at offset: Int) -> UInt16? {
      guard let first = bytes[at: offset], let second = bytes[at: offset + 1] else { return nil }
      let value =
        isBigEndian
        ? UInt16(first) << 8 | UInt16(second) : UInt16(second) << 8 | UInt16(first)
      return value == 0 || value == 0xfffe || value == 0xffff ? nil : value
    }
    var start = place.lowerBound
    for _ in 0..<unitsBefore {
      guard unit(at: start - 2) != nil else { break }
      start -= 2
    }
    var offset = start
    let limit = place.upperBound + unitsAfter * 2
    while offset < limit, let value = unit(at: offset) {
      var scalar = UInt32(value)
      var size = 2
      if value & 0xfc00 == 0xd800, let low = unit(at: offset + 2), low & 0xfc00 == 0xdc00 {
        scalar = 0x10000 + (UInt32(value & 0x3ff) << 10 | UInt32(low & 0x3ff))
        size = 4
      }
      if offset == place.lowerBound { anchor = utf8.count..<utf8.count }
      let character = Unicode.Scalar(scalar) ?? "\u{fffd}"
      for byte in UTF8.encode(character) ?? UTF8.encodedReplacementCharacter {
        utf8.append(byte)
        offsets.append(offset)
      }
      offset += size
      if offset == place.upperBound { anchor = anchor.lowerBound..<utf8.count }
    }
    end = offset
    isCut = offset >= limit
  }

  /// Where a part of the UTF-8 text lies in the source.
  func source(of range: Range<Int>) -> Range<Int> {
    let lower = range.lowerBound < offsets.count ? offsets[range.lowerBound] : end
    let upper = range.upperBound < offsets.count ? offsets[range.upperBound] : end
    return lower..<max(lower, upper)
  }
}
