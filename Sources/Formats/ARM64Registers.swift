/// What is known of the general registers while arm64 code is read straight on: constants and addresses
/// that instructions put there. Anything not understood makes its register unknown; nothing is
/// executed (Arm ARM, C4.1 "A64 instruction set encoding").
package struct ARM64Registers: Sendable {
  private var values = [UInt64](repeating: 0, count: 32)
  /// One bit a register: whether its value is known.
  private var known: UInt32 = 0

  /// What an instruction did that a reader of code may want to know.
  package enum Step: Equatable, Sendable {
    case other
    /// A constant came to be, or one more part of it.
    case constant(register: Int, isContinued: Bool)
    case call(target: UInt64)
  }

  package init() {}

  package subscript(register: Int) -> UInt64? {
    known & 1 << UInt32(register) != 0 ? values[register] : nil
  }

  private mutating func set(_ register: UInt32, _ value: UInt64, is64Bit: Bool = true) {
    guard register != 31 else { return }
    values[Int(register)] = is64Bit ? value : value & 0xFFFF_FFFF
    known |= 1 << register
  }

  private mutating func forget(_ register: UInt32) {
    known &= ~(1 << register)
  }

  package mutating func step(_ word: UInt32, at address: UInt64) -> Step {
    switch word >> 25 & 0xF {
    case 8, 9: return immediate(word, at: address)
    case 10, 11: return branch(word, at: address)
    case 4, 6, 12, 14: load(word)
    case 5, 13: register(word)
    case 7, 15: vector(word)
    default: break
    }
    return .other
  }

  /// Data processing with an immediate.
  private mutating func immediate(_ word: UInt32, at address: UInt64) -> Step {
    let destination = word & 31
    let is64Bit = word >> 31 == 1
    switch word >> 23 & 0x3F {
    case 0b100000...0b100001:  // ADR, ADRP
      let offset =
        Int64(Int32(bitPattern: (word >> 5 & 0x7FFFF) << 13) >> 11)
        | Int64(word >> 29 & 3)
      let target =
        is64Bit
        ? (address & ~0xFFF) &+ UInt64(bitPattern: offset << 12)
        : address &+ UInt64(bitPattern: offset)
      set(destination, target)
    case 0b100010:  // ADD, SUB
      let amount = UInt64(word >> 10 & 0xFFF) << (word >> 22 & 1 == 1 ? 12 : 0)
      guard let base = self[Int(word >> 5 & 31)], word >> 5 & 31 != 31, word >> 29 & 1 == 0 else {
        forget(destination)
        return .other
      }
      set(destination, word >> 30 & 1 == 1 ? base &- amount : base &+ amount, is64Bit: is64Bit)
    case 0b100100:  // logical
      guard word >> 29 & 3 == 1, word >> 5 & 31 == 31, let mask = Self.mask(word) else {
        forget(destination)
        return .other
      }
      set(destination, mask, is64Bit: is64Bit)
      return .constant(register: Int(destination), isContinued: false)
    case 0b100101:  // MOVN, MOVZ, MOVK
      return move(word, is64Bit: is64Bit)
    default: forget(destination)
    }
    return .other
  }

  private mutating func move(_ word: UInt32, is64Bit: Bool) -> Step {
    let destination = word & 31
    let shift = UInt64(word >> 21 & 3) * 16
    let part = UInt64(word >> 5 & 0xFFFF) << shift
    switch word >> 29 & 3 {
    case 0: set(destination, ~part, is64Bit: is64Bit)
    case 2: set(destination, part, is64Bit: is64Bit)
    case 3:
      guard let value = self[Int(destination)] else { return .other }
      set(destination, value & ~(0xFFFF << shift) | part, is64Bit: is64Bit)
      return .constant(register: Int(destination), isContinued: true)
    default:
      forget(destination)
      return .other
    }
    return .constant(register: Int(destination), isContinued: false)
  }

  /// DecodeBitMasks: a run of ones, rotated, repeated over elements of 2 to 64 bits.
  private static func mask(_ word: UInt32) -> UInt64? {
    let (n, rotation, size) = (word >> 22 & 1, word >> 16 & 0x3F, word >> 10 & 0x3F)
    let length = 31 - Int((n << 6 | ~size & 0x3F).leadingZeroBitCount)
    guard length >= 1 else { return nil }
    let width = UInt64(1) << UInt64(length)
    let (ones, turn) = (UInt64(size) & (width - 1), UInt64(rotation) & (width - 1))
    guard ones != width - 1 else { return nil }
    let run = UInt64(1) << (ones + 1) - 1
    let full = width == 64 ? UInt64.max : UInt64(1) << width - 1
    var element = turn == 0 ? run : (run >> turn | run << (width - turn)) & full
    var filled = width
    while filled < 64 {
      element |= element << filled
      filled *= 2
    }
    return element
  }

  /// Branches, exceptions, system.
  private mutating func branch(_ word: UInt32, at address: UInt64) -> Step {
    switch word >> 26 {
    case 0b100101:  // BL
      let offset = Int64(Int32(bitPattern: word << 6) >> 4)
      return .call(target: address &+ UInt64(bitPattern: offset))
    case 0b000101: known = 0  // B
    default:
      guard word >> 25 == 0b1101011 else { break }
      // BLR and its authenticated forms come back; BR and RET do not.
      if word >> 21 & 7 == 1 { forgetAfterCall() } else { known = 0 }
    }
    return .other
  }

  /// A called function may change x0 to x18.
  package mutating func forgetAfterCall() {
    known &= ~0x7FFFF
  }

  private mutating func load(_ word: UInt32) {
    let target = word & 31
    let isVector = word >> 26 & 1 == 1
    switch word >> 27 & 7 {
    case 5:  // pairs
      if word >> 22 & 1 == 1, !isVector {
        forget(target)
        forget(word >> 10 & 31)
      }
      if word >> 23 & 1 == 1 { forget(word >> 5 & 31) }
    case 7:
      if word >> 22 & 3 != 0, !isVector { forget(target) }
      // Before or after the access the base moves on.
      if word >> 24 & 1 == 0, word >> 21 & 1 == 0, word >> 10 & 1 == 1 { forget(word >> 5 & 31) }
      // Atomic memory operations read into their target.
      if word >> 24 & 1 == 0, word >> 21 & 1 == 1, word >> 10 & 3 == 0 { forget(target) }
    case 3: if !isVector { forget(target) }
    default:
      forget(target)
      forget(word >> 16 & 31)
    }
  }

  /// Data processing with registers: a plain move copies, everything else makes its target unknown.
  private mutating func register(_ word: UInt32) {
    let destination = word & 31
    if word & 0x7FE0_FFE0 == 0x2A00_03E0 {
      let source = word >> 16 & 31
      if source == 31 {
        set(destination, 0)
      } else if let value = self[Int(source)] {
        set(destination, value, is64Bit: word >> 31 == 1)
      } else {
        forget(destination)
      }
    } else {
      forget(destination)
    }
  }

  /// Vector code seldom writes a general register: moves and conversions out of a vector.
  private mutating func vector(_ word: UInt32) {
    let isConversion = word & 0x7F20_FC00 == 0x1E20_0000
    let isElementMove = word & 0xBFE0_DC00 == 0x0E00_1C00
    if isConversion || isElementMove { forget(word & 31) }
  }
}
