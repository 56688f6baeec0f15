package import Bytes

/// A header of our own in front of a stretch of another source: how one member is shown to a library
/// that wants a whole archive.
package struct SplicedSource: ByteSource {
  let head: [UInt8]
  let source: any ByteSource
  let range: Range<Int>

  init(head: [UInt8], source: any ByteSource, range: Range<Int>) {
    self.head = head
    self.source = source
    self.range = range
  }

  /// A stretch of a source as a source of its own: a member that an archive stores as it is.
  package init(_ range: Range<Int>, of source: any ByteSource) {
    self.init(head: [], source: source, range: range)
  }

  package var byteCount: Int { head.count + range.count }

  package func read(
    at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ReadFailure) -> Int {
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
