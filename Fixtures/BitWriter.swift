/// Bits in the order in which RAR stores them: the highest of each byte first.
struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var free = 0

  mutating func add(_ value: UInt64, bits: Int) {
    for bit in (0..<bits).reversed() {
      if free == 0 {
        bytes.append(0)
        free = 8
      }
      free -= 1
      bytes[bytes.count - 1] |= UInt8(value >> UInt64(bit) & 1) << UInt8(free)
    }
  }
}
