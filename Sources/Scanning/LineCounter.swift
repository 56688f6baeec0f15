import Artifacts
import Bytes
import Findings
import Formats

/// Counts line ends, to name lines of text.
enum LineCounter {
  /// How many line feeds stand in `bytes`.
  static func lineEnds(in bytes: RawSpan) -> Int {
    bytes.count(of: 0x0a, in: 0..<bytes.byteCount)
  }
}

extension SourceScan {
  /// Gives line numbers to what was seen in text that is held whole.
  func addLines(from source: MemorySource) {
    guard !sights.isEmpty, isText else { return }
    let order = sights.indices.sorted { start(of: $0) < start(of: $1) }
    var (line, offset) = (1, 0)
    for index in order {
      guard let place = sights[index].ranges.first?.offset, place <= source.byteCount else {
        continue
      }
      line += LineCounter.lineEnds(in: source.bytes.span.bytes.clamped(to: offset..<place))
      offset = place
      if sights[index].line == nil { sights[index].line = line }
    }
  }

  private func start(of sight: Int) -> Int { sights[sight].ranges.first?.offset ?? Int.max }
}
