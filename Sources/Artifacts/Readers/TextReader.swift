import Bytes
import Findings
import Formats

/// Plain text: lines of logs with their numbers; text in encodings other than UTF-8 as UTF-8.
package struct TextReader: ArtifactReader {
  package let kind = "text"

  /// Stored bytes decoded at a time, and decoded bytes that two pieces share.
  private static let windowSize = 1 << 18
  private static let overlap = 4096

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    TextSignature(judging: head) != nil
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    do throws(ReadFailure) {
      let head = try input.source.bytes(at: 0, count: 4096)
      guard let signature = TextSignature(judging: head.span.bytes) else { return }
      if signature.encoding == .utf8 {
        try readLines(of: input, into: &sink)
      } else if signature.encoding.isAvailable {
        try transcode(input, from: signature, into: &sink)
      } else {
        sink.diagnostic(
          .formatUnsupported, "text in \(signature.encoding.rawValue) is not decoded",
          remedy: "install the C library's gconv modules and scan again", steps: [])
      }
    } catch {
      sink.reportFailure(error)
    }
  }

  private func readLines(
    of input: ReaderInput, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    var windows = SourceWindows(input.source)
    while input.touched.isMarked(windows.offset..<max(input.source.byteCount, windows.offset)),
      let bytes = try windows.load()
    {
      let count = windows.wholeLines(of: bytes)
      MarkedLines(touched: input.touched, base: windows.offset)
        .emit(bytes, in: 0..<count, firstLine: windows.line, into: &sink)
      windows.advance(past: count, of: bytes)
      if sink.isExhausted { return }
    }
  }

  private func transcode(
    _ input: ReaderInput, from signature: TextSignature, into sink: inout some FragmentSink
  ) throws(ReadFailure) {
    var offset = signature.markSize
    var line = 1
    while offset < input.source.byteCount, !sink.isExhausted {
      let stored = try input.source.bytes(at: offset, count: Self.windowSize)
      let isLast = offset + stored.count >= input.source.byteCount
      var (text, consumed) = signature.encoding.decode(stored.span.bytes, isLast: isLast)
      guard consumed > 0 else { return }
      let restart = isLast ? consumed : restart(in: text, consumed: consumed)
      text.moveSource(by: offset)
      sink.fragment(
        text.bytes.span.bytes,
        at: Place(steps: ["line", String(line)], origin: .mapped(text.map), line: line))
      if isLast { return }
      line += newlines(in: text, before: offset + restart)
      offset += restart
    }
  }

  /// Where the next piece starts: so far back that a match across the border is whole in one of them.
  private func restart(in text: DecodedBytes, consumed: Int) -> Int {
    let tail = text.bytes.count - Self.overlap
    guard tail > Self.overlap, let range = text.map.range(of: tail..<tail + 1) else {
      return consumed
    }
    return range.offset > 0 ? range.offset : consumed
  }

  private func newlines(in text: DecodedBytes, before source: Int) -> Int {
    let tail = max(text.bytes.count - Self.overlap - 4, 0)
    let start = text.bytes.indices.first { index in
      index >= tail && (text.map.range(of: index..<index + 1)?.offset ?? 0) >= source
    }
    return text.bytes.span.bytes.count(of: 0x0A, in: 0..<(start ?? text.bytes.count))
  }
}
