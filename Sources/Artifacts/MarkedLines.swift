import Bytes
import Findings
import Formats

/// The lines of a text that the raw search wants looked at, each with its number.
struct MarkedLines {
  /// Bytes a line is handed on with; of longer ones the marked blocks and what is around them.
  private static let lineLimit = 1 << 16
  private static let margin = 4096

  let touched: TouchMap
  /// Offset of the text in the source.
  let base: Int

  func emit(
    _ bytes: [UInt8], in range: Range<Int>, firstLine: Int, into sink: inout some FragmentSink
  ) {
    let text = bytes.span.bytes
    var counted = range.lowerBound
    var number = firstLine
    var offset = range.lowerBound
    while let block = nextMarked(from: offset, to: range.upperBound) {
      let start = lineStart(of: text, before: block, from: range.lowerBound)
      let end = text.firstOffset(of: 0x0A, in: block..<range.upperBound) ?? range.upperBound
      number += text.count(of: 0x0A, in: counted..<max(start, counted))
      counted = max(start, counted)
      emit(text, start..<end, around: block, line: number, &sink)
      offset = end - start > Self.lineLimit ? min(block + Self.margin, end + 1) : end + 1
      if sink.isExhausted { return }
    }
  }

  private func emit(
    _ text: RawSpan, _ line: Range<Int>, around block: Int, line number: Int,
    _ sink: inout some FragmentSink
  ) {
    var range = line
    if range.count > Self.lineLimit {
      range =
        max(line.lowerBound, block - Self.margin)..<min(line.upperBound, block + 2 * Self.margin)
    }
    guard !range.isEmpty else { return }
    let piece = Piece(offset: 0, source: base + range.lowerBound, count: range.count)
    sink.fragment(
      text.clamped(to: range),
      at: Place(steps: ["line", String(number)], origin: .pieces([piece]), line: number))
  }

  /// The first offset from `offset` on in a marked block.
  private func nextMarked(from offset: Int, to end: Int) -> Int? {
    var offset = offset
    while offset < end {
      let source = base + offset
      if touched.isMarked(source..<source + 1) { return offset }
      offset += touched.blockSize - source % touched.blockSize
    }
    return nil
  }

  private func lineStart(of text: RawSpan, before offset: Int, from start: Int) -> Int {
    var offset = offset
    while offset > start, text[at: offset - 1] != 0x0A { offset -= 1 }
    return offset
  }
}
