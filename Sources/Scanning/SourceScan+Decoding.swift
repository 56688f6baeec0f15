import Bytes
import Findings
import Formats
import RuleEngine

extension SourceScan {
  /// Decodes runs of base64 and hexadecimal found in the bytes of the source from `first` on.
  ///
  /// - Parameter continues: whether the source goes on behind the bytes.
  /// - Returns: the run that does so, too, which is not decoded.
  func decode(
    _ runs: [EncodedRun], from first: Int, in bytes: RawSpan, continues: Bool,
    _ range: (Range<Int>) -> ByteRange
  ) -> EncodedRun? {
    var end = first
    for run in runs where run.range.lowerBound >= end {
      let whole = Self.wholeRange(of: run, in: bytes, from: end)
      end = whole.upperBound
      if continues, bytes.byteCount - end <= 2 {
        return EncodedRun(encoding: run.encoding, range: whole)
      }
      let source = range(whole)
      decode(
        run, bytes.extracting(whole),
        at: Place(
          steps: [run.encoding.rawValue, String(source.offset)], origin: .decoded(from: source)))
    }
    return nil
  }

  /// Decodes runs found in a value that a reader lifted.
  func decode(_ runs: [EncodedRun], in bytes: RawSpan, at place: Place) {
    var end = 0
    for run in runs where run.range.lowerBound >= end {
      let whole = Self.wholeRange(of: run, in: bytes, from: end)
      end = whole.upperBound
      var inner = place
      inner.steps += [run.encoding.rawValue, String(whole.lowerBound)]
      if let source = place.origin.ranges(of: whole).first { inner.origin = .decoded(from: source) }
      decode(run, bytes.extracting(whole), at: inner)
    }
  }

  private func decode(_ run: EncodedRun, _ text: RawSpan, at place: Place) {
    let decoded: [UInt8]
    switch run.encoding {
    case .base64: decoded = Base64.decode(text)
    case .hex: decoded = HexadecimalText.decode(text).bytes
    }
    scanNested(decoded, name: "", at: place)
  }

  /// Scans bytes that stand inside this source, within the bounds on depth and expansion.
  func scanNested(_ bytes: [UInt8], name: String, at place: Place) {
    guard !bytes.isEmpty, enter(bytes.count, at: place) else { return }
    let inner = SourceScan(
      task: task, name: name, depth: depth + 1, steps: Locator.steps(steps, inside: place.steps),
      isResidue: isResidue || place.liveness != .live)
    task.fragments += 1
    inner.scan(bytes, surroundings: Surroundings(of: place.context))
    adopt(inner, at: place)
  }

  /// Counts bytes that came out of decoding against the bounds; false, and a diagnostic, where one is
  /// reached.
  func enter(_ count: Int, at place: Place) -> Bool {
    guard depth < task.limits.depth else {
      report(
        .limitDepth, "nested deeper than \(task.limits.depth) levels: not looked into",
        remedy: "scan with a greater --max-depth", steps: place.steps)
      return false
    }
    return spend(count, steps: place.steps)
  }

  /// Takes bytes from what may still come out of the outer file.
  func spend(_ count: Int, steps inner: [String]) -> Bool {
    task.expanded += count
    if task.expanded > task.limits.expansion {
      task.reportOnce(
        .limitExpansion,
        "more than \(task.limits.expansion) bytes came out of this file: the rest was not looked at",
        remedy: "scan with a greater --max-expansion", steps: Locator.steps(steps, inside: inner))
      return false
    }
    return !isExhausted(steps: inner)
  }

  /// Whether the time for the outer file is used up.
  func isExhausted(steps inner: [String]) -> Bool {
    guard task.isLate else { return false }
    task.reportOnce(
      .limitTime,
      "reading this file took more than \(Int(task.limits.seconds)) seconds: the rest"
        + " was not looked at",
      remedy: "scan with a greater --max-time", steps: Locator.steps(steps, inside: inner))
    return true
  }

  /// A run with the lines that go on with it: text in base64 is wrapped every 64 or 76 characters, digits
  /// of hexadecimal every 60 (`xxd -p`) or 64.
  ///
  /// - Parameter first: lines before this offset were decoded already.
  static func wholeRange(of run: EncodedRun, in bytes: RawSpan, from first: Int = 0) -> Range<Int> {
    var end = run.range.upperBound
    let width = run.range.count
    let isPart = run.encoding == .hex ? isHexadecimal : isBase64
    guard width >= (run.encoding == .hex ? 32 : 40) else { return run.range }
    while true {
      var next = end
      while let byte = bytes[at: next], byte == 0x0d || byte == 0x0a || byte == 0x20 || byte == 9 {
        next += 1
        if next - end > 16 { break }
      }
      guard next > end, next - end <= 16, hasLineEnd(bytes, end..<next) else { break }
      let start = next
      while let byte = bytes[at: next], isPart(byte) { next += 1 }
      guard next > start, next - start <= width else { break }
      // A line of words is none of digits, however it starts.
      if run.encoding == .hex, bytes[at: next].map({ $0 > 0x20 }) ?? false { break }
      end = next
      // A shorter line is the last one.
      if next - start < width { break }
    }
    guard run.encoding == .hex else { return run.range.lowerBound..<end }
    return linesBefore(run.range, in: bytes, from: first)..<end
  }

  /// Where the lines of digits start that a run goes on with: of a file only those lines look like text that
  /// hold some.
  private static func linesBefore(_ run: Range<Int>, in bytes: RawSpan, from first: Int) -> Int {
    var lower = run.lowerBound
    while true {
      var end = lower
      while end > first, lower - end < 2, let byte = bytes[at: end - 1],
        byte == 0x0a || byte == 0x0d
      {
        end -= 1
      }
      let start = end - run.count
      guard end < lower, start >= first,
        (start..<end).allSatisfy({ isHexadecimal(bytes[at: $0] ?? 0) }),
        start == 0 || bytes[at: start - 1].map({ $0 <= 0x20 }) ?? true
      else { return lower }
      lower = start
    }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool { byte.hexadecimalValue != nil }

  private static func hasLineEnd(_ bytes: RawSpan, _ range: Range<Int>) -> Bool {
    range.contains { bytes[at: $0] == 0x0a }
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    byte.isASCIIAlphanumeric || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
      || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "=")
  }
}
