import Bytes
import Findings
import Formats

/// Tables in text: CSV, TSV and their kin, each field under its column's name.
package struct DelimitedTextReader: ArtifactReader {
  package let kind = "csv"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    head.firstOffset(of: 0) == nil
      && DelimitedText.shape(of: head, isWhole: head.byteCount >= byteCount) != nil
      && TextSignature(judging: head)?.encoding == .utf8
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    do throws(ReadFailure) {
      let head = try input.source.bytes(at: 0, count: 4096)
      let isWhole = head.count >= input.source.byteCount
      guard let shape = DelimitedText.shape(of: head.span.bytes, isWhole: isWhole) else { return }
      try read(input, as: shape, into: &sink)
    } catch {
      sink.reportFailure(error)
    }
  }

  private func read(
    _ input: ReaderInput, as shape: DelimitedText.Shape, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    var windows = SourceWindows(input.source)
    var table = DelimitedRecords(shape: shape, touched: input.touched)
    while let bytes = try windows.load(), !sink.isExhausted {
      let count = table.read(bytes, at: windows, into: &sink)
      windows.advance(past: count, of: bytes)
    }
  }
}

/// The records of one table on their way to fragments.
struct DelimitedRecords {
  let shape: DelimitedText.Shape
  let touched: TouchMap
  private var columns: [String] = []
  /// Columns whose name tells what stands in them.
  private var telling: Set<Int> = []
  private var isFirst = true
  private var fields: [DelimitedText.Field] = []

  init(shape: DelimitedText.Shape, touched: TouchMap) {
    self.shape = shape
    self.touched = touched
  }

  /// Hands on the whole records of a piece and says how many bytes they have.
  mutating func read(
    _ bytes: [UInt8], at windows: SourceWindows, into sink: inout some FragmentSink
  ) -> Int {
    let text = bytes.span.bytes
    var records = DelimitedText(text, delimiter: shape.delimiter, at: markSize(of: text, windows))
    var line = windows.line
    var start = records.offset
    while records.next(into: &fields) {
      // The last record of a piece may go on in the next one, unless it fills the piece.
      if !windows.isLast, records.offset >= bytes.count, start > 0 { return start }
      if isFirst, shape.hasHeader {
        columns = fields.map { text.clamped(to: $0.range).clamped(to: 0..<64).repairedText() }
        telling = Set(columns.indices.filter { sink.isTelling(columns[$0]) })
      } else if !telling.isEmpty || wants(start..<records.offset, at: windows.offset, in: text) {
        emit(text, at: windows.offset, line: line, into: &sink)
      }
      isFirst = false
      line += text.count(of: 0x0A, in: start..<records.offset)
      start = records.offset
    }
    return bytes.count
  }

  private func markSize(of text: RawSpan, _ windows: SourceWindows) -> Int {
    windows.offset == 0 && text.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  private func wants(_ record: Range<Int>, at base: Int, in text: RawSpan) -> Bool {
    touched.isMarked(base + record.lowerBound..<base + record.upperBound)
      || fields.contains { $0.hasDoubledQuotes }
  }

  private func emit(
    _ text: RawSpan, at base: Int, line: Int, into sink: inout some FragmentSink
  ) {
    for (column, field) in fields.enumerated() where !field.range.isEmpty {
      let stored = base + field.range.lowerBound..<base + field.range.upperBound
      guard field.hasDoubledQuotes || telling.contains(column) || touched.isMarked(stored) else {
        continue
      }
      var context = Context()
      context.key = columns.indices.contains(column) ? columns[column] : nil
      context.neighbours = neighbours(of: column, in: text)
      var place = Place(
        steps: ["line", String(line), "column", context.key ?? String(column + 1)],
        context: context,
        origin: .pieces([Piece(offset: 0, source: stored.lowerBound, count: stored.count)]),
        line: line)
      if var decoded = DelimitedText.decode(field, of: text) {
        decoded.moveSource(by: base)
        place.origin = .mapped(decoded.map)
        sink.fragment(decoded.bytes.span.bytes, at: place)
      } else {
        sink.fragment(text.clamped(to: field.range), at: place)
      }
    }
  }

  /// Short fields of the same record, nearest first.
  private func neighbours(of column: Int, in text: RawSpan) -> [String] {
    var texts: [String] = []
    for distance in 1...8 {
      for other in [column - distance, column + distance] where fields.indices.contains(other) {
        let range = fields[other].range
        guard texts.count < 8, !range.isEmpty, range.count <= 64 else { continue }
        texts.append(text.clamped(to: range).repairedText())
      }
    }
    return texts
  }
}
