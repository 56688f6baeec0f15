/// Encodes the few arm64 instructions that fixtures are made of (Arm ARM, C6.2).
package struct ARM64Assembler {
  package private(set) var words: [UInt32] = []

  package init() {}

  package var bytes: [UInt8] {
    words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (UInt32($0) * 8)) } }
  }

  package mutating func add(_ word: UInt32) { words.append(word) }

  /// MOVZ and MOVK as compilers make a constant of them.
  package mutating func move(_ value: UInt64, to register: UInt32) {
    var isFirst = true
    for part in 0..<UInt32(4) {
      let half = UInt32(truncatingIfNeeded: value >> UInt64(part * 16) & 0xFFFF)
      guard half != 0 || part == 3 && isFirst else { continue }
      words.append((isFirst ? 0xD280_0000 : 0xF280_0000) | part << 21 | half << 5 | register)
      isFirst = false
    }
  }

  /// ADRP and ADD, for code at `address`.
  package mutating func loadAddress(_ target: UInt64, to register: UInt32, at address: UInt64) {
    let here = address + UInt64(words.count) * 4
    let pages = UInt32(truncatingIfNeeded: (target >> 12) &- (here >> 12))
    words.append(0x9000_0000 | (pages & 3) << 29 | (pages >> 2 & 0x7FFFF) << 5 | register)
    words.append(0x9100_0000 | UInt32(target & 0xFFF) << 10 | register << 5 | register)
  }

  package mutating func call(_ target: UInt64, at address: UInt64) {
    let here = address + UInt64(words.count) * 4
    words.append(0x9400_0000 | UInt32(truncatingIfNeeded: (target &- here) >> 2) & 0x3FF_FFFF)
  }

  /// The two words of a Swift string of at most 15 bytes.
  package static func words(of text: String) -> (UInt64, UInt64) {
    let bytes = Array(text.utf8)
    precondition(bytes.count <= 15)
    var words: (UInt64, UInt64) = (0, 0)
    for (index, byte) in bytes.enumerated() {
      if index < 8 {
        words.0 |= UInt64(byte) << UInt64(index * 8)
      } else {
        words.1 |= UInt64(byte) << UInt64((index - 8) * 8)
      }
    }
    let kind: UInt64 = bytes.allSatisfy { $0 < 0x80 } ? 0xE0 : 0xA0
    words.1 |= (kind | UInt64(bytes.count)) << 56
    return words
  }

  /// A Swift string as two arguments.
  package mutating func pass(_ text: String, in register: UInt32 = 0) {
    let words = Self.words(of: text)
    move(words.0, to: register)
    move(words.1, to: register + 1)
  }
}
