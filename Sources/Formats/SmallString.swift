/// A Swift string of at most 15 bytes of UTF-8 as the compiler puts it into two registers: the text in
/// their bytes, and in the last byte its count and whether it is ASCII (swift `StringObject.swift`,
/// "Small strings"). Such literals stand nowhere in the file as text.
package enum SmallString {
  /// Shorter ones say nothing, and chance makes them.
  package static let shortest = 3

  /// A 64-bit value that code puts into a register.
  package struct Constant: Equatable, Sendable {
    /// Where the instruction that completes it lies.
    package var position: Int
    package var register: Int
    package var value: UInt64

    package init(position: Int, register: Int, value: UInt64) {
      self.position = position
      self.register = register
      self.value = value
    }
  }

  /// A text put together from two constants.
  package struct Rebuilt: Equatable, Sendable {
    package var text: [UInt8]
    /// Where the constant that holds the count lies.
    package var position: Int
    /// From the earlier of its constants to the later.
    package var span: ClosedRange<Int>
  }

  /// The count of a string whose second word this may be.
  package static func count(inSecondWord word: UInt64) -> Int? {
    let discriminator = word >> 56
    guard discriminator >> 4 == 0xE || discriminator >> 4 == 0xA else { return nil }
    let count = Int(discriminator & 0x0F)
    guard count >= shortest else { return nil }
    // Unused bytes are zero.
    let used = UInt64(max(count - 8, 0)) * 8
    return (word & 0xFF_FFFF_FFFF_FFFF) >> used == 0 ? count : nil
  }

  /// The text of two words, where they are one.
  package static func text(_ first: UInt64, _ second: UInt64) -> [UInt8]? {
    guard let count = count(inSecondWord: second) else { return nil }
    if count < 8, first >> UInt64(count * 8) != 0 { return nil }
    var text: [UInt8] = []
    for index in 0..<count {
      let word = index < 8 ? first : second
      text.append(UInt8(truncatingIfNeeded: word >> UInt64(index % 8 * 8)))
    }
    let isASCII = text.allSatisfy { $0 < 0x80 }
    guard isASCII == (second >> 60 == 0xE), isReadable(text) else { return nil }
    return text
  }

  private static func isReadable(_ text: [UInt8]) -> Bool {
    guard let decoded = String(validating: text, as: UTF8.self) else { return false }
    return decoded.unicodeScalars.allSatisfy { scalar in
      scalar.value >= 0x20 && scalar.value != 0x7F && !(0x80..<0xA0).contains(scalar.value)
        || scalar == "\n" || scalar == "\t"
    }
  }

  /// How far a second word without text in it may lie: it is the same for all short texts of its count,
  /// so that code keeps it in a register.
  static let sharedReach = 4_096

  /// The texts that constants near each other make up. `constants` are in the order of their places;
  /// the two words of a text are at most `reach` apart, most often in registers that follow each other.
  package static func rebuilt(from constants: [Constant], reach: Int) -> [Rebuilt] {
    var texts: [Rebuilt] = []
    var used: Set<Int> = []
    for (index, second) in constants.enumerated() where count(inSecondWord: second.value) != nil {
      guard let first = firstWord(for: index, in: constants, reach: reach) else { continue }
      used.insert(first)
      texts.append(rebuilt(constants[first], second))
    }
    var shared: [UInt64: [Int]] = [:]
    for constant in constants where constant.value << 8 == 0 {
      shared[constant.value, default: []].append(constant.position)
    }
    for (index, first) in constants.enumerated() where !used.contains(index) {
      guard let second = sharedWord(for: first, among: shared) else { continue }
      texts.append(rebuilt(first, Constant(position: first.position, register: -1, value: second)))
    }
    return texts.sorted { ($0.position, $0.span.lowerBound) < ($1.position, $1.span.lowerBound) }
  }

  private static func rebuilt(_ first: Constant, _ second: Constant) -> Rebuilt {
    let span =
      min(first.position, second.position)...max(first.position, second.position)
    return Rebuilt(
      text: text(first.value, second.value) ?? [], position: second.position, span: span)
  }

  /// The constant that most likely is the first word of the text whose second word stands at `index`.
  private static func firstWord(for index: Int, in constants: [Constant], reach: Int) -> Int? {
    let second = constants[index]
    var best: (index: Int, cost: Int)?
    for step in [-1, 1] {
      var other = index + step
      while constants.indices.contains(other) {
        let first = constants[other]
        let distance = abs(first.position - second.position)
        guard distance <= reach else { break }
        if first.register != second.register, text(first.value, second.value) != nil {
          let cost = distance + (first.register + 1 == second.register ? 0 : reach)
          if best.map({ cost < $0.cost }) ?? true { best = (other, cost) }
        }
        other += step
      }
    }
    return best?.index
  }

  /// The second word of a text of up to eight ASCII bytes, if code nearby holds it; `shared` has the
  /// places of such words, in order.
  private static func sharedWord(for first: Constant, among shared: [UInt64: [Int]]) -> UInt64? {
    let count = 8 - first.value.leadingZeroBitCount / 8
    let second = UInt64(0xE0 | count) << 56
    guard count >= shortest, let places = shared[second], text(first.value, second) != nil else {
      return nil
    }
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < first.position - sharedReach { low = middle + 1 } else { high = middle }
    }
    return low < places.count && places[low] <= first.position + sharedReach ? second : nil
  }
}
