import Bytes
import Findings
import Formats

/// Configuration in lines: YAML, INI, `.env`, properties.
package struct KeyValueTextReader: ArtifactReader {
  package let kind = "config"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    head.firstOffset(of: 0) == nil
      && KeyValueText.recognises(head, isWhole: head.byteCount >= byteCount)
      && TextSignature(judging: head)?.encoding == .utf8
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    var windows = SourceWindows(input.source, size: 4 << 20)
    do throws(ReadFailure) {
      while let bytes = try windows.load(), !sink.isExhausted {
        let count = windows.wholeLines(of: bytes)
        read(bytes, count: count, at: windows, touched: input.touched, into: &sink)
        windows.advance(past: count, of: bytes)
      }
    } catch {
      sink.reportFailure(error)
    }
  }

  /// Entries before and after the one handed on that may say what it is.
  private static let reach = 3

  private func read(
    _ bytes: [UInt8], count: Int, at windows: SourceWindows, touched: TouchMap,
    into sink: inout some FragmentSink
  ) {
    let text = bytes.span.bytes.clamped(to: 0..<count)
    let start = windows.offset == 0 && text.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    var entries = KeyValueText(text, at: start, line: windows.line)
    var before: [KeyValueText.Entry] = []
    while let entry = entries.next() {
      let stored = windows.offset + entry.value.lowerBound..<windows.offset + entry.value.upperBound
      let decoded = KeyValueText.decode(entry, of: text)
      if decoded != nil || touched.isMarked(stored) {
        var place = Place(
          steps: ["line", String(entry.line), "key"]
            + entries.path.map { Self.name($0, of: text) },
          origin: .pieces([Piece(offset: 0, source: stored.lowerBound, count: stored.count)]),
          line: entry.line)
        place.context.key = Self.name(entry.key, of: text)
        place.context.neighbours = Self.neighbours(before, entries, of: text)
        emit(decoded, entry.value, of: text, at: windows.offset, place, into: &sink)
      }
      before.append(entry)
      if before.count > Self.reach { before.removeFirst() }
    }
  }

  private func emit(
    _ decoded: DecodedBytes?, _ value: Range<Int>, of text: RawSpan, at base: Int, _ place: Place,
    into sink: inout some FragmentSink
  ) {
    guard var decoded else { return sink.fragment(text.clamped(to: value), at: place) }
    var place = place
    decoded.moveSource(by: base)
    place.origin = .mapped(decoded.map)
    sink.fragment(decoded.bytes.span.bytes, at: place)
  }

  /// Names and short values of the entries around the one read last.
  private static func neighbours(
    _ before: [KeyValueText.Entry], _ entries: borrowing KeyValueText, of text: RawSpan
  ) -> [String] {
    var ahead = copy entries
    var near = Array(before.reversed())
    while near.count < before.count + reach, let entry = ahead.next() { near.append(entry) }
    var texts: [String] = []
    for entry in near {
      for range in [entry.key, entry.value] where !range.isEmpty && range.count <= 64 {
        if texts.count < 8 { texts.append(name(range, of: text)) }
      }
    }
    return texts
  }

  private static func name(_ range: Range<Int>, of text: RawSpan) -> String {
    text.clamped(to: range).repairedText()
  }
}
