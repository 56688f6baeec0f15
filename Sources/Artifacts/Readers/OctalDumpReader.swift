import Bytes
import Findings
import Formats

/// Files as `od` prints them, in octal, decimal or as characters: read as the file that was printed.
package struct OctalDumpReader: ArtifactReader {
  package let kind = "octal-dump"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    OctalDump.isLikely(head)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let document = TextDocument(reading: input, as: kind, into: &sink),
      let dump = OctalDump(parsing: document.bytes.span.bytes)
    else { return }
    let name = ContentName.inside(input.name)
    sink.nested(
      dump.decoded.bytes, name: name,
      at: Place(steps: ["content"], origin: .mapped(dump.decoded.map)))
  }
}
