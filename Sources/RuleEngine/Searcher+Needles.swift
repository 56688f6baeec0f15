import Bytes

extension Searcher {
  /// Decides whether a needle's form counts where it was seen.
  func judge(
    _ needle: Int, _ form: Int, at range: Range<Int>, in bytes: RawSpan,
    _ surroundings: Surroundings, _ outcome: inout SearchOutcome
  ) {
    let form = engine.forms[needle][form]
    guard Self.stands(range, in: bytes, within: form.boundary) else { return }
    if form.isWeak, !(surroundings.isWholeField && range == 0..<bytes.byteCount) {
      outcome.chance[ChanceHit(needle: needle, form: form.name), default: 0] += 1
      return
    }
    add(
      .needle(needle), form: form.name, at: range, value: bytes.clamped(to: range), &outcome)
  }

  /// Whether what stands on both sides lets the form count.
  static func stands(
    _ range: Range<Int>, in bytes: RawSpan, within boundary: NeedleForm.Boundary
  ) -> Bool {
    let before = bytes[at: range.lowerBound - 1]
    let after = bytes[at: range.upperBound]
    switch boundary {
    case .none:
      return true
    case .word:
      return !(before?.isASCIILetter ?? false) && !(after?.isASCIILetter ?? false)
    case .number:
      if before?.isASCIIAlphanumeric ?? false || after?.isASCIIAlphanumeric ?? false {
        return false
      }
      let point = UInt8(ascii: ".")
      if before == point, bytes[at: range.lowerBound - 2]?.isASCIIDigit ?? false { return false }
      if after == point, bytes[at: range.upperBound + 1]?.isASCIIDigit ?? false { return false }
      return true
    }
  }
}
