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
      let lines = EncodedLines(of: run, in: bytes, from: end)
      end = lines.range.upperBound
      if continues, bytes.byteCount - end <= 2 {
        return EncodedRun(encoding: run.encoding, range: lines.range)
      }
      let source = range(lines.range)
      decode(
        lines, of: bytes,
        at: Place(
          steps: [run.encoding.rawValue, String(source.offset)], origin: .decoded(from: source)))
    }
    return nil
  }

  /// Decodes runs found in a value that a reader lifted.
  func decode(_ runs: [EncodedRun], in bytes: RawSpan, at place: Place) {
    var end = 0
    for run in runs where run.range.lowerBound >= end {
      let lines = EncodedLines(of: run, in: bytes, from: end)
      end = lines.range.upperBound
      var inner = place
      inner.steps += [run.encoding.rawValue, String(lines.range.lowerBound)]
      if let source = place.origin.ranges(of: lines.range).first {
        inner.origin = .decoded(from: source)
      }
      decode(lines, of: bytes, at: inner)
    }
  }

  private func decode(_ lines: EncodedLines, of bytes: RawSpan, at place: Place) {
    let decoded = lines.decoded(from: bytes)
    // An escape, as `\/` in JSON, ends the run and not the text: its reader hands that on whole.
    if bytes[at: lines.range.upperBound] == UInt8(ascii: "\\") {
      task.ignoringDamage { scanNested(decoded, as: .run, at: place) }
    } else {
      scanNested(decoded, as: .run, at: place)
    }
  }

  /// Scans bytes that stand inside this source, within the bounds on depth and expansion.
  func scanNested(
    _ bytes: [UInt8], as way: SeenPlaces.Way, name: String = "", at place: Place
  ) {
    guard !bytes.isEmpty, enter(bytes.count, at: place) else { return }
    let inner = SourceScan(
      task: task, name: name, depth: depth + 1, steps: Locator.steps(steps, inside: place.steps),
      isResidue: isResidue || place.liveness != .live)
    task.fragments += 1
    task.viewing(way) { inner.scan(bytes, surroundings: Surroundings(of: place.context)) }
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
}
