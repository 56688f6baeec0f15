import Bytes
import Findings

extension ByteSource {
  /// Gives what lies behind the end of an archive or stream to the sink as a file of its own: people
  /// append data there, and a tool that stops at the end never sees what kind of file it is.
  func giveTrailing(from start: Int, into sink: inout some FragmentSink) {
    let piece = Piece(offset: 0, source: start, count: byteCount - start)
    let place = Place(steps: ["#trailing"], liveness: .slack, origin: .pieces([piece]))
    guard sink.beginMember("#trailing", at: place) else { return }
    var offset = start
    while offset < byteCount, !sink.isExhausted {
      guard let block = try? bytes(at: offset, count: 256 << 10), !block.isEmpty,
        sink.append(block.span.bytes)
      else { break }
      offset += block.count
    }
    sink.endMember()
  }
}
