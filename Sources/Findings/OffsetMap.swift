/// Where each byte of a decoded text came from: runs of characters that take the same number of bytes
/// on both sides, so that a long text with few escapes needs few runs.
package struct OffsetMap: Equatable, Sendable {
  /// Characters that follow one another on both sides. A run with a `unit` of 0 is opaque: all that is
  /// known is that its bytes came from somewhere in its stretch of the source.
  private struct Run: Equatable {
    var decoded: UInt32
    var source: UInt32
    var unit: UInt16
    var sourceUnit: UInt16
    /// From one character to the next in the source: more than its size where something stands between.
    var stride: UInt16
  }

  /// Runs kept before the map gets coarse; an exact map of hostile input must not outgrow it.
  private static let runLimit = 1 << 16
  /// Decoded bytes an opaque run covers.
  private static let opaqueSize = 4096

  /// Where the source of the first byte is counted from.
  private var base: Int
  private var runs: [Run] = []
  /// Size of the decoded text.
  package private(set) var decodedCount = 0
  private var sourceEnd = 0

  package init(base: Int = 0) {
    self.base = base
  }

  /// Adds `count` characters, each `unit` decoded bytes from `sourceUnit` bytes at `source` on.
  package mutating func append(count: Int = 1, unit: Int, source: Int, sourceUnit: Int) {
    guard count > 0, unit > 0 else { return }
    let start = source - base
    let isKnown = unit <= UInt16.max && sourceUnit <= UInt16.max && runs.count < Self.runLimit
    if !extendsLastRun(count, unit: isKnown ? unit : 0, start: start, sourceUnit: sourceUnit) {
      let size = isKnown ? UInt16(sourceUnit) : 0
      runs.append(
        Run(
          decoded: UInt32(clamping: decodedCount), source: UInt32(clamping: start),
          unit: isKnown ? UInt16(unit) : 0, sourceUnit: size, stride: size))
    }
    decodedCount += count * unit
    sourceEnd = start + count * sourceUnit
  }

  /// Adds bytes that were copied as they lie.
  package mutating func appendVerbatim(_ range: Range<Int>) {
    append(count: range.count, unit: 1, source: range.lowerBound, sourceUnit: 1)
  }

  private mutating func extendsLastRun(
    _ count: Int, unit: Int, start: Int, sourceUnit: Int
  ) -> Bool {
    guard let last = runs.last, Int(last.unit) == unit else { return false }
    if unit == 0 { return decodedCount - Int(last.decoded) < Self.opaqueSize }
    guard Int(last.sourceUnit) == sourceUnit else { return false }
    let held = (decodedCount - Int(last.decoded)) / unit
    let distance = start - Int(last.source)
    // One character before and one more say how far apart all of them stand.
    if held == 1, count == 1, distance > sourceUnit, distance <= UInt16.max {
      runs[runs.count - 1].stride = UInt16(distance)
      return true
    }
    let stride = Int(last.stride)
    return distance == held * stride && (count == 1 || stride == sourceUnit)
  }

  /// The same map for a source that starts `offset` bytes earlier.
  package func shifted(by offset: Int) -> OffsetMap {
    var map = self
    map.base += offset
    return map
  }

  /// The stretch of the source that `range` of the decoded text came from.
  package func range(of range: Range<Int>) -> ByteRange? {
    let lower = max(range.lowerBound, 0)
    let upper = min(range.upperBound, decodedCount)
    guard lower < upper else { return nil }
    let first = run(holding: lower)
    let start = Int(runs[first].source) + characters(of: first, to: lower) * stride(of: first)
    let last = run(holding: upper - 1)
    let end =
      runs[last].unit == 0
      ? (last + 1 < runs.count ? Int(runs[last + 1].source) : sourceEnd)
      : Int(runs[last].source) + characters(of: last, to: upper - 1) * stride(of: last)
        + Int(runs[last].sourceUnit)
    return ByteRange(offset: base + start, length: max(end - start, 0))
  }

  private func characters(of index: Int, to decoded: Int) -> Int {
    let run = runs[index]
    return run.unit == 0 ? 0 : (decoded - Int(run.decoded)) / Int(run.unit)
  }

  private func stride(of index: Int) -> Int { Int(runs[index].stride) }

  /// The last run that starts at or before `decoded`.
  private func run(holding decoded: Int) -> Int {
    var low = 0
    var high = runs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if Int(runs[middle].decoded) <= decoded { low = middle } else { high = middle }
    }
    return low
  }
}
