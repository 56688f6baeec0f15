import Bytes
import Findings
import Formats

/// Configuration in lines: YAML, INI, `.env`, properties.
package struct KeyValueTextReader: ArtifactReader {
  package let kind = "config"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    KeyValueText.recognises(head, isWhole: head.byteCount >= byteCount)
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
    var near: [KeyValueText.Entry] = []
    var current = 0
    var isEnd = false
    while true {
      while !isEnd, near.count <= current + Self.reach {
        guard let entry = entries.next() else {
          isEnd = true
          break
        }
        near.append(entry)
      }
      guard current < near.count else { return }
      emit(near, current, of: text, at: windows.offset, touched: touched, into: &sink)
      if current == Self.reach { near.removeFirst() } else { current += 1 }
    }
  }

  private func emit(
    _ near: [KeyValueText.Entry], _ current: Int, of text: RawSpan, at base: Int,
    touched: TouchMap, into sink: inout some FragmentSink
  ) {
    let entry = near[current]
    let stored = base + entry.value.lowerBound..<base + entry.value.upperBound
    var decoded = KeyValueText.decode(entry, of: text)
    guard decoded != nil || touched.isMarked(stored) else { return }
    decoded?.moveSource(by: base)
    var context = Context()
    context.key = Self.name(entry.key, of: text)
    for (index, other) in near.enumerated() where index != current {
      for range in [other.key, other.value] where !range.isEmpty && range.count <= 64 {
        if context.neighbours.count < 8 { context.neighbours.append(Self.name(range, of: text)) }
      }
    }
    let steps = ["line", String(entry.line), "key"] + entry.path.map { Self.name($0, of: text) }
    let piece = Piece(offset: 0, source: stored.lowerBound, count: stored.count)
    var place = Place(steps: steps, context: context, origin: .pieces([piece]), line: entry.line)
    if let decoded {
      place.origin = .mapped(decoded.map)
      sink.fragment(decoded.bytes.span.bytes, at: place)
    } else {
      sink.fragment(text.clamped(to: entry.value), at: place)
    }
  }

  private static func name(_ range: Range<Int>, of text: RawSpan) -> String {
    text.clamped(to: range).repairedText()
  }
}
