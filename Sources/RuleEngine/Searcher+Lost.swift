import Bytes

extension Searcher {
  /// How many bits of a form must be seen for it to count: as many as a form needs that may stand
  /// anywhere.
  private static let fewestBits = 40.0

  /// Looks for needles of which a part was written over: a form counts where all of it that is left
  /// stands where it should, and where that is too much for chance.
  ///
  /// - Parameter lost: The stretches of `bytes` whose content is gone.
  package func searchAcross(
    _ lost: [Range<Int>], of bytes: RawSpan, into outcome: inout SearchOutcome
  ) {
    for needle in engine.needles.indices {
      for form in engine.forms[needle] where form.boundary == .none {
        for gap in lost where gap.count < form.bytes.count {
          search(form, of: needle, across: gap, lost, bytes, &outcome)
        }
      }
    }
  }

  private func search(
    _ form: NeedleForm, of needle: Int, across gap: Range<Int>, _ lost: [Range<Int>],
    _ bytes: RawSpan, _ outcome: inout SearchOutcome
  ) {
    let count = form.bytes.count
    let first = max(0, gap.lowerBound - count + 1)
    let last = min(gap.upperBound - 1, bytes.byteCount - count)
    guard first <= last else { return }
    for start in first...last {
      var seen = 0
      for index in 0..<count {
        let place = start + index
        if lost.contains(where: { $0.contains(place) }) { continue }
        guard let byte = bytes[at: place], Self.equal(byte, form.bytes[index], form) else {
          seen = -1
          break
        }
        seen += 1
      }
      guard seen > 0, form.bits * Double(seen) / Double(count) >= Self.fewestBits else { continue }
      add(
        .needle(needle), form: "\(form.name), \(seen) of \(count) bytes", at: start..<start + count,
        value: bytes.clamped(to: start..<start + count), &outcome)
    }
  }

  private static func equal(_ one: UInt8, _ other: UInt8, _ form: NeedleForm) -> Bool {
    if one == other { return true }
    return form.ignoresCase && one.isASCIILetter && one | 0x20 == other | 0x20
  }
}
