import Bytes
import Findings
import Formats

/// Apple's `.ips` reports: one line of JSON about the report, then its body, JSON or (before iOS 15)
/// text ("Interpreting the JSON format of a crash report", Apple Developer Documentation).
package struct CrashReportReader: ArtifactReader {
  package let kind = "ips"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    guard head[at: 0] == 0x7B, let end = head.firstOffset(of: 0x0A),
      head.firstOffset(of: "\"bug_type\"", in: 0..<end) != nil
    else { return false }
    var walk = JSONWalk(head.clamped(to: 0..<end))
    while walk.next() != nil {}
    return walk.depth == 0 && walk.documents == 1 && walk.firstDamage == nil
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let document = TextDocument(reading: input, as: kind, into: &sink) else { return }
    let bytes = document.bytes
    let header = bytes.span.bytes.firstOffset(of: 0x0A) ?? bytes.count
    var values = JSONValues(document: document, touched: input.touched)
    values.readLine(0..<header, number: 1, into: &sink)
    guard header < bytes.count else { return }
    if JSONWalk.recognises(bytes.span.bytes.clamped(to: header..<min(header + 4096, bytes.count))) {
      values.read(into: &sink, from: header + 1)
    } else {
      MarkedLines(touched: input.touched, base: 0)
        .emit(bytes, in: header + 1..<bytes.count, firstLine: 2, into: &sink)
    }
  }
}
