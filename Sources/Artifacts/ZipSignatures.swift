import Bytes
import Formats

/// A search for the signatures of zip records that reads every stretch of the source once, however many
/// there are in it.
struct ZipSignatures {
  private static let window = 256 << 10

  let source: any ByteSource
  private var block: [UInt8] = []
  private var start = 0

  init(source: any ByteSource) {
    self.source = source
  }

  /// Offset of the next local header signature.
  mutating func nextHeader(in range: Range<Int>) throws(ReadFailure) -> Int? {
    var position = range.lowerBound
    while let found = try next(in: position..<range.upperBound) {
      if block[found - start + 2] == 3 { return found }
      position = found + 2
    }
    return nil
  }

  /// Offset of the next "PK" that is followed by two numbers in order, as in every record.
  mutating func next(in range: Range<Int>) throws(ReadFailure) -> Int? {
    var position = range.lowerBound
    while position < range.upperBound - 3 {
      if position < start || position >= start + block.count - 3 {
        block = try source.bytes(at: position, count: Self.window)
        start = position
        guard block.count > 3 else { return nil }
      }
      let end = min(block.count, range.upperBound - start)
      if let found = signature(from: position - start, to: end) { return start + found }
      position = start + end - 3
    }
    return nil
  }

  private func signature(from first: Int, to end: Int) -> Int? {
    guard first < end - 3 else { return nil }
    let bytes = block.span
    for index in first..<end - 3 where bytes[index] == 0x50 && bytes[index + 1] == 0x4B {
      let kind = bytes[index + 2]
      if kind < 9, bytes[index + 3] == kind + 1 { return index }
    }
    return nil
  }
}
