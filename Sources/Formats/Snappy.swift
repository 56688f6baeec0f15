import Bytes

/// A block in the Snappy format: its length, then literals and copies from what was already decoded
/// (google/snappy, format_description.txt).
package enum Snappy {
  /// The content, at most `limit` bytes of it, and whether the block was sound to its end.
  package static func decode(_ block: RawSpan, limit: Int) -> (content: [UInt8], isSound: Bool) {
    var content: [UInt8] = []
    var input = ByteCursor(block)
    do throws(Truncated) {
      let length = try input.nextBase128()
      guard length <= limit else { return (content, false) }
      content.reserveCapacity(min(Int(length), block.byteCount * 8))
      while input.remaining > 0 {
        let tag = Int(try input.next(as: UInt8.self))
        if tag & 3 == 0 {
          let count = try literalLength(tag >> 2, &input)
          guard count <= Int(length) - content.count else { return (content, false) }
          let bytes = try input.next(count: count)
          unsafe bytes.withUnsafeBytes { unsafe content.append(contentsOf: $0) }
        } else {
          let copy = try copy(tag, &input)
          guard copy.count <= Int(length) - content.count,
            content.appendCopy(of: copy.count, from: copy.distance)
          else { return (content, false) }
        }
      }
      return (content, content.count == Int(length))
    } catch {
      return (content, false)
    }
  }

  /// A length of 60 to 63 stands in the next one to four bytes.
  private static func literalLength(
    _ first: Int, _ input: inout ByteCursor
  ) throws(Truncated) -> Int {
    guard first >= 60 else { return first + 1 }
    var length = 0
    for index in 0..<first - 59 {
      length |= Int(try input.next(as: UInt8.self)) << (index * 8)
    }
    return length + 1
  }

  private static func copy(
    _ tag: Int, _ input: inout ByteCursor
  ) throws(Truncated) -> (count: Int, distance: Int) {
    switch tag & 3 {
    case 1:
      let low = Int(try input.next(as: UInt8.self))
      return (tag >> 2 & 7 + 4, (tag >> 5) << 8 | low)
    case 2:
      return (tag >> 2 + 1, Int(try input.nextLittleEndian(as: UInt16.self)))
    default:
      return (tag >> 2 + 1, Int(try input.nextLittleEndian(as: UInt32.self)))
    }
  }
}

extension ByteCursor {
  /// A number of seven bits a byte, the lowest first; the last byte is below 128.
  mutating func nextBase128() throws(Truncated) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: 0, to: 63, by: 7) {
      let byte = try next(as: UInt8.self)
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 { break }
    }
    return value
  }
}
