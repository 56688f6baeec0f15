import Bytes
import Findings
import Formats

/// HTML and XML, and so the parts of documents of word processors: text that tags divide is handed on whole.
package struct MarkupReader: ArtifactReader {
  package let kind = "markup"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    var start = head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let byte = head[at: start], byte <= 0x20, byte != 0 { start += 1 }
    guard head[at: start] == UInt8(ascii: "<"), let next = head[at: start + 1],
      next.isASCIILetter || next == UInt8(ascii: "!") || next == UInt8(ascii: "?"),
      head.firstOffset(of: UInt8(ascii: ">"), from: start) != nil
    else { return false }
    return TextSignature(judging: head)?.encoding == .utf8
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    var windows = SourceWindows(input.source)
    do throws(ReadFailure) {
      while let bytes = try windows.load(), !sink.isExhausted {
        let count = DividedText.paragraphs(of: bytes.span.bytes, isLast: windows.isLast) { text in
          var text = text
          text.moveSource(by: windows.offset)
          let start = text.map.range(of: 0..<1)?.offset ?? windows.offset
          sink.fragment(
            text.bytes.span.bytes,
            at: Place(steps: ["text", String(start)], origin: .mapped(text.map)))
        }
        windows.advance(past: count, of: bytes)
      }
    } catch {
      sink.reportFailure(error)
    }
  }
}
