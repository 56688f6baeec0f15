import Bytes
import Findings

/// A file whose bytes lie in pieces of another source; what no piece holds reads as zeros.
struct PiecesSource: ByteSource {
  let byteCount: Int
  private let source: any ByteSource
  /// In order, none over another.
  private let pieces: [Piece]

  /// Nothing where pieces overlap or lead out of one of both.
  init?(_ pieces: [Piece], of source: any ByteSource, byteCount: Int) {
    let sorted = pieces.sorted { $0.offset < $1.offset }
    var end = 0
    for piece in sorted {
      guard piece.count > 0, piece.offset >= end, piece.source >= 0,
        piece.count <= byteCount - piece.offset, piece.source <= source.byteCount,
        piece.count <= source.byteCount - piece.source
      else { return nil }
      end = piece.offset + piece.count
    }
    self.pieces = sorted
    self.source = source
    self.byteCount = byteCount
  }

  func storedRange(from offset: Int) -> Range<Int> {
    let index = firstPiece(endingBehind: offset)
    guard index < pieces.count else { return byteCount..<byteCount }
    let start = max(offset, pieces[index].offset)
    var end = pieces[index].offset + pieces[index].count
    for next in pieces[(index + 1)...] {
      guard next.offset == end else { break }
      end += next.count
    }
    return start..<end
  }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadFailure) -> Int {
    guard offset >= 0, offset < byteCount else { return 0 }
    let end = offset + min(buffer.count, byteCount - offset)
    var next = offset
    var index = firstPiece(endingBehind: offset)
    while next < end {
      let piece = index < pieces.count ? pieces[index] : nil
      let start = min(piece?.offset ?? end, end)
      if next < start {
        fill(buffer[next - offset..<start - offset])
        next = start
        continue
      }
      guard let piece else { break }
      let stop = min(piece.offset + piece.count, end)
      let count = try source.read(
        at: piece.source + next - piece.offset,
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[next - offset..<stop - offset]))
      guard count == stop - next else { return next - offset + count }
      next = stop
      index += 1
    }
    return next - offset
  }

  private func fill(_ part: Slice<UnsafeMutableRawBufferPointer>) {
    UnsafeMutableRawBufferPointer(rebasing: part).initializeMemory(as: UInt8.self, repeating: 0)
  }

  private func firstPiece(endingBehind offset: Int) -> Int {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].offset + pieces[middle].count <= offset {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}
