import Bytes

extension Searcher {
  /// Decides whether a needle's form counts where it was seen.
  func judge(
    _ needle: Int, _ form: Int, at range: Range<Int>, in bytes: RawSpan,
    _ surroundings: Surroundings, _ outcome: inout SearchOutcome
  ) {
    let form = engine.forms[needle][form]
    if form.name.hasPrefix("utf16"), Self.isShifted(range, in: bytes) { return }
    guard Self.stands(range, in: bytes, as: form) else { return }
    if form.isWeak, !(surroundings.isWholeField && range == 0..<bytes.byteCount) {
      outcome.chance.append((ChanceHit(needle: needle, form: form.name), range.lowerBound))
      return
    }
    add(
      .needle(needle), form: form.name, at: range, value: bytes.clamped(to: range), &outcome)
  }

  /// Whether what stands on both sides lets the form count.
  static func stands(_ range: Range<Int>, in bytes: RawSpan, as form: NeedleForm) -> Bool {
    guard form.boundary != .none else { return true }
    // The zeros of a character in UTF-16 or UTF-32 stand between it and the next.
    let zeros = form.bytes.count { $0 == 0 }
    let padding = zeros / max(1, form.bytes.count - zeros)
    var (lower, upper) = (range.lowerBound - 1, range.upperBound)
    for _ in 0..<padding {
      if bytes[at: lower] == 0 { lower -= 1 }
      if bytes[at: upper] == 0 { upper += 1 }
    }
    // A bracket sets a form off by itself: `1(202) 555-0143`.
    let isSetOff = form.bytes.first == UInt8(ascii: "(")
    let before = isSetOff ? nil : bytes[at: lower]
    let after = bytes[at: upper]
    switch form.boundary {
    case .none:
      return true
    case .word:
      return !(before?.isASCIILetter ?? false) && !(after?.isASCIILetter ?? false)
    case .number:
      // ISO 8601 sets the time of a day off by a letter.
      let isDayOfInstant =
        form.name.hasPrefix("date-") && after.map { $0 | 0x20 } == UInt8(ascii: "t")
        && bytes[at: upper + 1 + padding]?.isASCIIDigit ?? false
      if before?.isASCIIDigit ?? false || after?.isASCIIDigit ?? false { return false }
      // In a database a value stands right beside the next one. So many digits that chance does not
      // show them are no part of a word.
      let isLong = form.bits >= NeedleForm.weakBelow
      if !isLong, before?.isASCIILetter ?? false || after?.isASCIILetter ?? false && !isDayOfInstant
      {
        return false
      }
      if isInUUID(range, in: bytes) { return false }
      let point = UInt8(ascii: ".")
      if before == point, bytes[at: lower - 1]?.isASCIIDigit ?? false { return false }
      if after == point { return isWholeNumber(before: upper, in: bytes, step: 1 + padding) }
      return true
    }
  }

  /// Whether only zeros follow the point at `point`: what databases make of a whole REAL as text.
  private static func isWholeNumber(before point: Int, in bytes: RawSpan, step: Int) -> Bool {
    var offset = point + step
    guard bytes[at: offset]?.isASCIIDigit ?? false else { return true }
    while bytes[at: offset] == UInt8(ascii: "0"), offset - point < 16 * step { offset += step }
    guard let next = bytes[at: offset] else { return true }
    return !next.isASCIIAlphanumeric && next != UInt8(ascii: ".")
  }

  /// Whether the range is a group of a UUID: 8, 4, 4, 4 and 12 hexadecimal digits with dashes between.
  private static func isInUUID(_ range: Range<Int>, in bytes: RawSpan) -> Bool {
    let dash = UInt8(ascii: "-")
    guard bytes[at: range.lowerBound - 1] == dash || bytes[at: range.upperBound] == dash else {
      return false
    }
    func belongs(_ offset: Int) -> Bool {
      bytes[at: offset].map { $0 == dash || $0.hexadecimalValue != nil } ?? false
    }
    var (start, end) = (range.lowerBound, range.upperBound)
    while range.lowerBound - start < 37, belongs(start - 1) { start -= 1 }
    while end - start < 37, belongs(end) { end += 1 }
    return end - start == 36
      && (0..<36).allSatisfy { (bytes[at: start + $0] == dash) == [8, 13, 18, 23].contains($0) }
  }
}
