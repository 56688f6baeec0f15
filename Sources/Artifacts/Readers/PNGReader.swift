import Bytes
import Findings
import Formats

/// The texts in a PNG picture: `tEXt`, `zTXt` and `iTXt` chunks, and what follows the last chunk
/// (PNG specification, §5 and §11.3).
package struct PNGReader: ArtifactReader {
  package let kind = "png"
  package var isBinary: Bool { true }
  private static let largestText = 16 << 20

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    head.hasBytes([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    let source = input.source
    var offset = 8
    while offset <= source.byteCount - 8, !sink.isExhausted {
      guard let header = try? source.bytes(at: offset, count: 8),
        let length = try? header.span.bytes.integer(at: 0, as: UInt32.self)
      else { return }
      let type = String(decoding: header[4...], as: UTF8.self)
      let start = offset + 8
      // Each chunk ends in four bytes of CRC.
      guard Int(length) <= source.byteCount - start - 4 else { break }
      if ["tEXt", "zTXt", "iTXt"].contains(type), length <= Self.largestText {
        text(type, source, start..<start + Int(length), into: &sink)
      }
      offset = start + Int(length) + 4
      if type == "IEND" {
        if offset < source.byteCount { source.giveTrailing(from: offset, into: &sink) }
        return
      }
    }
    sink.diagnostic(
      .formatDamaged, "the PNG picture is cut off at offset \(offset)", remedy: Remedy.damaged,
      steps: [])
  }

  private func text(
    _ type: String, _ source: any ByteSource, _ range: Range<Int>,
    into sink: inout some FragmentSink
  ) {
    guard let chunk = try? source.bytes(at: range.lowerBound, count: range.count),
      let keywordEnd = chunk.firstIndex(of: 0)
    else { return }
    var context = Context()
    context.key = MemberName.text(Array(chunk[..<keywordEnd]))
    var start = keywordEnd + 1
    var isCompressed = type == "zTXt"
    if type == "zTXt" { start += 1 }
    if type == "iTXt" {
      guard chunk.count - start > 2 else { return }
      isCompressed = chunk[start] == 1
      start += 2
      // Language tag and translated keyword, each ended by a zero.
      for _ in 0..<2 {
        guard start <= chunk.count, let end = chunk[start...].firstIndex(of: 0) else { return }
        start = end + 1
      }
    }
    guard start <= chunk.count else { return }
    let steps = [type, MemberName.steps(context.key ?? "").joined()]
    if isCompressed {
      compressed(Array(chunk[start...]), steps, context, into: &sink)
    } else {
      let piece = Piece(offset: 0, source: range.lowerBound + start, count: chunk.count - start)
      sink.fragment(
        chunk.span.bytes.clamped(to: start..<chunk.count),
        at: Place(steps: steps, context: context, origin: .pieces([piece])))
    }
  }

  private func compressed(
    _ data: [UInt8], _ steps: [String], _ context: Context, into sink: inout some FragmentSink
  ) {
    guard let content = inflated(data, .zlib, limit: Self.largestText)?.content else {
      sink.diagnostic(
        .formatDamaged, "a compressed text of the PNG picture is damaged or too large",
        remedy: Remedy.damaged, steps: steps)
      return
    }
    sink.fragment(
      content.span.bytes, at: Place(steps: steps, context: context, origin: .transformed))
  }
}
