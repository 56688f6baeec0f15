import Bytes
import Findings
import Formats

/// Apple's unified log files (`tracev3`): the text of messages lies in LZ4-compressed chunk sets
/// (FORMATS.md; libyal dtformats, "Apple Unified Logging and Activity Tracing formats").
///
///     offset  size  field
///          0     4  tag: 0x1000 header, 0x600B catalog, 0x600D chunk set
///          4     4  sub tag
///          8     8  size of the data, padded to 8 behind it
package struct TraceV3Reader: ArtifactReader {
  package let kind = "tracev3"
  package var isBinary: Bool { true }
  private static let headerTag: UInt32 = 0x1000
  private static let chunkSetTag: UInt32 = 0x600D
  private static let chunkHeaderSize = 16
  /// Largest chunk set; the system writes 64 KiB.
  private static let largestChunk = 16 << 20

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    guard (try? head.littleEndianInteger(at: 0, as: UInt32.self)) == Self.headerTag,
      (try? head.littleEndianInteger(at: 4, as: UInt32.self)) == 0x11,
      let size = try? head.littleEndianInteger(at: 8, as: UInt64.self)
    else { return false }
    return size >= 0x40 && size < 4096
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    var offset = 0
    var number = 0
    while offset <= input.source.byteCount - Self.chunkHeaderSize, !sink.isExhausted {
      guard let header = try? input.source.bytes(at: offset, count: Self.chunkHeaderSize) else {
        break
      }
      let start = offset + Self.chunkHeaderSize
      guard let tag = try? header.span.bytes.littleEndianInteger(at: 0, as: UInt32.self),
        let stated = try? header.span.bytes.littleEndianInteger(at: 8, as: UInt64.self),
        let size = Int(exactly: stated), size <= input.source.byteCount - start, tag != 0
      else {
        damaged("the tracev3 file is damaged at offset \(offset)", &sink)
        return
      }
      if tag == Self.chunkSetTag {
        number += 1
        chunkSet(input.source, start..<start + size, number, into: &sink)
      }
      offset = start + size + (8 - size % 8) % 8
    }
    if offset < input.source.byteCount {
      damaged("the tracev3 file is cut off at offset \(offset)", &sink)
    }
  }

  private func chunkSet(
    _ source: any ByteSource, _ range: Range<Int>, _ number: Int,
    into sink: inout some FragmentSink
  ) {
    let steps = ["chunkset", "\(number)"]
    guard range.count <= Self.largestChunk,
      let bytes = try? source.bytes(at: range.lowerBound, count: range.count)
    else {
      sink.diagnostic(
        .limitSize, "chunk set \(number) is too large to be one", remedy: Remedy.damaged,
        steps: steps)
      return
    }
    let decoded = AppleLZ4.decode(bytes.span.bytes, limit: Self.largestChunk)
    if !decoded.content.isEmpty {
      sink.fragment(decoded.content.span.bytes, at: Place(steps: steps, origin: .transformed))
    }
    if !decoded.isSound {
      sink.diagnostic(
        .formatDamaged,
        "chunk set \(number) is damaged after \(counted(decoded.content.count, "byte"))",
        remedy: Remedy.damaged, steps: steps)
    }
  }

  private func damaged(_ what: String, _ sink: inout some FragmentSink) {
    sink.diagnostic(.formatDamaged, what, remedy: Remedy.damaged, steps: [])
  }
}
