import Bytes
import Findings
import Formats

/// The content of a page of a PDF file: text that is shown in pieces is handed on whole.
package struct PDFContentReader: ArtifactReader {
  package let kind = "pdf-content"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    PDFShownText.recognises(head)
      && head.firstOffset(of: "BT", in: 0..<head.byteCount) != nil
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let document = TextDocument(reading: input, as: kind, into: &sink) else { return }
    PDFShownText.divided(in: document.bytes.span.bytes) { text in
      guard !sink.isExhausted else { return }
      let start = text.map.range(of: 0..<1)?.offset ?? 0
      sink.fragment(
        text.bytes.span.bytes,
        at: Place(steps: ["text", String(start)], origin: .mapped(text.map)))
    }
  }
}
