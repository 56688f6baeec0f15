import Bytes

/// A block in the LZ4 block format: sequences of literals and copies from what was already decoded
/// (lz4_Block_format.md).
package enum LZ4Block {
  /// The content, at most `limit` bytes of it, and whether the block was sound to its end.
  package static func decode(_ block: RawSpan, limit: Int) -> (content: [UInt8], isSound: Bool) {
    var content: [UInt8] = []
    content.reserveCapacity(min(limit, block.byteCount * 4))
    var input = ByteCursor(block)
    do throws(Truncated) {
      while input.remaining > 0 {
        let token = Int(try input.next(as: UInt8.self))
        let literals = try length(token >> 4, &input)
        guard literals <= limit - content.count else { return (content, false) }
        let bytes = try input.next(count: literals)
        unsafe bytes.withUnsafeBytes { unsafe content.append(contentsOf: $0) }
        // The last sequence has literals only.
        if input.remaining == 0 { return (content, true) }
        let distance = Int(try input.nextLittleEndian(as: UInt16.self))
        let count = try length(token & 15, &input) + 4
        guard count <= limit - content.count, content.appendCopy(of: count, from: distance) else {
          return (content, false)
        }
      }
      return (content, true)
    } catch {
      return (content, false)
    }
  }

  /// A length of 15 goes on in bytes that are added up until one is not 255.
  private static func length(_ first: Int, _ input: inout ByteCursor) throws(Truncated) -> Int {
    guard first == 15 else { return first }
    var length = first
    while true {
      let byte = Int(try input.next(as: UInt8.self))
      length += byte
      if byte != 255 { return length }
    }
  }
}
