import Bytes
import Findings
import Formats

/// Documents in RTF: the text as a person reads it, what is beside the body (title, author, notes), and the
/// pictures and objects inside.
package struct RTFReader: ArtifactReader {
  package let kind = "rtf"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    var start = head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let byte = head[at: start], byte == 0x0A || byte == 0x0D || byte == 0x20 { start += 1 }
    return head.hasBytes("{\\rtf", at: start)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let document = TextDocument(reading: input, as: kind, into: &sink) else { return }
    var numbers: [String: Int] = [:]
    var parts: [RTFText.Part] = []
    RTFText.forEachPart(of: document.bytes) { parts.append($0) }
    for part in parts where !sink.isExhausted {
      switch part {
      case .text(let text):
        let start = text.map.range(of: 0..<1)?.offset ?? 0
        sink.fragment(
          text.bytes.span.bytes,
          at: Place(steps: ["text", String(start)], origin: .mapped(text.map)))
      case .data(let bytes, let name, let range):
        let number = numbers[name, default: 0] + 1
        numbers[name] = number
        let origin = Origin.decoded(from: ByteRange(offset: range.lowerBound, length: range.count))
        sink.nested(bytes, name: "", at: Place(steps: [name, String(number)], origin: origin))
      }
    }
  }
}
