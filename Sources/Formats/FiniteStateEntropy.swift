/// Tables of a finite-state entropy decoder as LZFSE uses it: each state says which symbol it stands for,
/// how many bits to read and what to add to them for the next state (Apple's reference source, lzfse_fse.c).
struct EntropyTable {
  struct State {
    var symbol = 0
    var bits = 0
    var base = 0
  }

  private(set) var states: [State]

  /// Spreads `count` states (a power of two) over the symbols by their frequencies; nothing where these ask
  /// for more.
  init?(frequencies: ArraySlice<Int>, count: Int) {
    guard frequencies.reduce(0, +) <= count else { return nil }
    states = []
    states.reserveCapacity(count)
    for (symbol, frequency) in frequencies.enumerated() where frequency > 0 {
      let bits = frequency.leadingZeroBitCount - count.leadingZeroBitCount
      let longer = (2 * count) >> bits - frequency
      for index in 0..<frequency {
        states.append(
          index < longer
            ? State(symbol: symbol, bits: bits, base: (frequency + index) << bits - count)
            : State(symbol: symbol, bits: bits - 1, base: (index - longer) << (bits - 1)))
      }
    }
  }

  /// The symbol of a state, and the state that follows it.
  func next(_ state: inout Int, _ bits: inout BackwardBits) -> Int? {
    guard states.indices.contains(state) else { return nil }
    let entry = states[state]
    guard let read = bits.take(entry.bits) else { return nil }
    state = entry.base + read
    return entry.symbol
  }
}

/// Bits read from the end of a stretch towards its start, highest first.
struct BackwardBits {
  private let bytes: [UInt8]
  private var position: Int
  private var held: UInt64 = 0
  private var count: Int

  /// Starts before `end`; `padding` (-7 to 0) says how many bits of the last byte are unused.
  init?(_ bytes: [UInt8], end: Int, padding: Int) {
    guard (-7...0).contains(padding), end <= bytes.count, end >= 8 else { return nil }
    self.bytes = bytes
    position = end
    count = 0
    load(padding == 0 ? 7 : 8)
    count += padding
    guard held >> UInt64(count) == 0 else { return nil }
  }

  private mutating func load(_ number: Int) {
    position -= number
    var word: UInt64 = 0
    for index in 0..<number { word |= UInt64(bytes[position + index]) << UInt64(8 * index) }
    held = number == 8 ? word : held << UInt64(8 * number) | word
    count += 8 * number
  }

  /// Fills up to at least 56 bits; false at the start of the bytes.
  mutating func fill() -> Bool {
    let number = (63 - count) / 8
    guard number <= position else { return false }
    if number > 0 { load(number) }
    return true
  }

  /// The next `number` bits, at most 32 of them; nothing where there are fewer.
  mutating func take(_ number: Int) -> Int? {
    guard number >= 0, number <= 32, number <= count else { return nil }
    count -= number
    let value = held >> UInt64(count)
    held &= (1 << UInt64(count)) - 1
    return Int(value)
  }
}
