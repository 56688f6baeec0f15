import Bytes

/// A chain of LZ4 blocks as Apple's compression library writes it: `bv41` compressed, `bv4-` stored,
/// `bv4$` the end (FORMATS.md, tracev3).
///
///     offset  size  field
///          0     4  bv41 or bv4-
///          4     4  size of the content
///          8     4  size of the block (bv41 only)
///                   the block
package enum AppleLZ4 {
  /// Largest content of one block; Apple's library writes 64 KiB.
  private static let largestBlock = 16 << 20

  /// The content of the blocks from the start of `bytes`, whether they were sound up to the end mark,
  /// and how many bytes they took. `limit` bounds the content.
  package static func decode(
    _ bytes: RawSpan, limit: Int
  ) -> (content: [UInt8], isSound: Bool, consumed: Int) {
    var content: [UInt8] = []
    var input = ByteCursor(bytes)
    do throws(Truncated) {
      while true {
        let mark = try input.next(count: 4)
        if mark.hasBytes("bv4$") { return (content, true, input.offset) }
        let size = Int(try input.nextLittleEndian(as: UInt32.self))
        guard size <= largestBlock, size <= limit - content.count else { break }
        if mark.hasBytes("bv4-") {
          content += try input.next(count: size).copied()
        } else if mark.hasBytes("bv41") {
          let stored = Int(try input.nextLittleEndian(as: UInt32.self))
          let block = LZ4Block.decode(try input.next(count: stored), limit: size)
          content += block.content
          guard block.isSound, block.content.count == size else { break }
        } else {
          break
        }
      }
    } catch {
      return (content, false, input.offset)
    }
    return (content, false, input.offset)
  }
}
