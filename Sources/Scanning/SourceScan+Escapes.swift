import Bytes
import Findings
import Formats
import RuleEngine

extension SourceScan {
  private static let deepestEscapes = 6

  /// Decodes escaped stretches of text and searches what they spell, again and again where that holds
  /// escapes of its own.
  ///
  /// - Parameter place: where the text lies; nothing for the source itself.
  func searchEscapes(
    in text: RawSpan, base: Int, accepted: Range<Int>, at place: Place? = nil, nesting: Int = 0
  ) {
    guard !Searcher.isBinary(text) else { return }
    for kind in EscapedText.allCases {
      kind.stretches(in: text, from: accepted) { stretch in
        // The kinds may stand inside each other in any order: the bound is low, because what they can
        // spell doubles with every level.
        guard nesting < Self.deepestEscapes, depth + nesting < task.limits.depth else {
          task.reportOnce(
            .limitDepth, "escaped more than \(nesting) times over: not looked into",
            remedy: "decode it and scan the result", steps: steps)
          return
        }
        guard var decoded = kind.decode(text.extracting(stretch)) else { return }
        let offset = stretch.lowerBound + base
        guard spend(decoded.bytes.count, steps: [kind.rawValue, String(offset)]) else { return }
        var inner = place ?? Place(steps: [], origin: .transformed)
        inner.steps += [kind.rawValue, String(offset)]
        if let place {
          let ranges = place.origin.ranges(of: stretch)
          inner.origin = ranges.first.map { .decoded(from: $0) } ?? .transformed
        } else {
          decoded.moveSource(by: offset)
          inner.origin = .mapped(decoded.map)
        }
        search(escaped: decoded.bytes, as: kind, at: inner, nesting: nesting)
      }
    }
  }

  private func search(
    escaped bytes: [UInt8], as kind: EscapedText, at place: Place, nesting: Int
  ) {
    let search = {
      self.task.viewing(SeenPlaces.Way(kind)) {
        self.searchFragment(bytes.span.bytes, at: place, isWholeField: false)
        self.searchEscapes(
          in: bytes.span.bytes, base: 0, accepted: 0..<bytes.count, at: place, nesting: nesting + 1)
      }
    }
    // The end of a line in base64 looks like a soft line break.
    if kind == .quotedPrintable { task.ignoringDamage(search) } else { search() }
  }
}
