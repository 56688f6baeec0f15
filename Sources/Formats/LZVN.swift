import Bytes

/// LZVN, the byte-oriented half of Apple's LZFSE: an opcode says how many literals follow it and how long a
/// copy is, and how its distance is stored (Apple's reference source, lzvn_decode_base.c).
enum LZVN {
  /// Appends the content of one block to `content`, whose earlier bytes copies may reach, until `limit`
  /// bytes are there; says whether the block ended with its end mark.
  static func decode(_ block: RawSpan, into content: inout [UInt8], limit: Int) -> Bool {
    var input = ByteCursor(block)
    var distance = 0
    do throws(Truncated) {
      while true {
        guard let step = try step(&input, &distance) else { return false }
        if step.isEnd { return true }
        guard step.literals + step.match <= limit - content.count else { return false }
        if step.literals > 0 {
          let bytes = try input.next(count: step.literals)
          unsafe bytes.withUnsafeBytes { unsafe content.append(contentsOf: $0) }
        }
        guard content.appendCopy(of: step.match, from: distance) else { return false }
      }
    } catch {
      return false
    }
  }

  private struct Step {
    var literals = 0
    var match = 0
    var isEnd = false
  }

  /// One opcode; nothing where it is undefined. L, M and D are bits of the lengths and the distance.
  private static func step(
    _ input: inout ByteCursor, _ distance: inout Int
  ) throws(Truncated) -> Step? {
    let code = Int(try input.next(as: UInt8.self))
    switch code {
    case 0x06: return Step(isEnd: true)
    case 0x0E, 0x16: return Step()
    case 0x1E, 0x26, 0x2E, 0x36, 0x3E, 0x70...0x7F, 0xD0...0xDF: return nil
    case 0xE0: return Step(literals: Int(try input.next(as: UInt8.self)) + 16)
    case 0xE1...0xEF: return Step(literals: code & 15)
    case 0xF0: return Step(match: Int(try input.next(as: UInt8.self)) + 16)
    case 0xF1...0xFF: return Step(match: code & 15)
    case 0xA0...0xBF:
      // 101LLMMM DDDDDDMM DDDDDDDD
      let rest = Int(try input.nextLittleEndian(as: UInt16.self))
      distance = rest >> 2
      return Step(literals: code >> 3 & 3, match: ((code & 7) << 2 | rest & 3) + 3)
    default:
      // LLMMMDDD DDDDDDDD; 111 for a distance in two bytes, 110 for the last one again.
      switch code & 7 {
      case 6: break
      case 7: distance = Int(try input.nextLittleEndian(as: UInt16.self))
      default: distance = (code & 7) << 8 | Int(try input.next(as: UInt8.self))
      }
      return Step(literals: code >> 6, match: (code >> 3 & 7) + 3)
    }
  }
}

extension [UInt8] {
  /// Appends `count` bytes from `distance` back, which may overlap what is being written; false where that
  /// reaches before the start.
  mutating func appendCopy(of count: Int, from distance: Int) -> Bool {
    guard count > 0 else { return true }
    guard distance > 0, distance <= self.count else { return false }
    let end = self.count
    // Room first, then byte by byte: a slice of the array appended to itself would copy all of it.
    append(contentsOf: repeatElement(0, count: count))
    unsafe withUnsafeMutableBufferPointer { buffer in
      for index in end..<end + count { unsafe buffer[index] = unsafe buffer[index - distance] }
    }
    return true
  }
}
