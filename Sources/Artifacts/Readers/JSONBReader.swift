import Bytes
import Findings
import Formats

/// JSON in the form in which SQLite keeps it in blobs: its values under their names, as in a text of JSON.
package struct JSONBReader: ArtifactReader {
  package let kind = "jsonb"
  package var isBinary: Bool { true }

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    JSONBText.isLikely(head, byteCount: byteCount)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let stored = TextDocument(reading: input, as: kind, into: &sink) else { return }
    let text = JSONBText.text(of: stored.bytes.span.bytes)
    var values = JSONValues(document: TextDocument(text), touched: input.touched)
    values.read(into: &sink)
  }
}
