import Bytes

/// A header of our own in front of a stretch of another source: how one member is shown to a library
/// that wants a whole archive.
struct SplicedSource: ByteSource {
  let head: [UInt8]
  let source: any ByteSource
  let range: Range<Int>

  var byteCount: Int { head.count + range.count }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(ReadFailure) -> Int {
    guard offset >= 0, offset < byteCount, !buffer.isEmpty else { return 0 }
    if offset < head.count {
      let count = min(buffer.count, head.count - offset)
      buffer.copyBytes(from: head[offset..<offset + count])
      return count
    }
    let start = range.lowerBound + offset - head.count
    let count = min(buffer.count, range.upperBound - start)
    return try source.read(
      at: start, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
  }
}
