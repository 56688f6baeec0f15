import Bytes
import Findings
import Formats
import RuleEngine

extension SourceScan {
  /// Joins the bytes of hex dumps in a text and scans them like a file of their own.
  ///
  /// - Parameter place: where the text lies; nothing for the source itself.
  func searchDumps(in text: RawSpan, base: Int, accepted: Range<Int>, at place: Place? = nil) {
    guard !Searcher.isBinary(text) else { return }
    HexDump.forEach(in: text, from: accepted) { dump in
      var inner = place ?? Place(steps: [], origin: .transformed)
      inner.steps += ["hex-dump", String(dump.range.lowerBound + base)]
      var decoded = dump.decoded
      if let place {
        let ranges = place.origin.ranges(of: dump.range)
        inner.origin = ranges.first.map { .decoded(from: $0) } ?? .transformed
      } else {
        decoded.moveSource(by: base)
        inner.origin = .mapped(decoded.map)
      }
      task.ignoringDamage { scanNested(decoded.bytes, as: .dump, at: inner) }
    }
  }
}
