import Bytes
import Findings
import Formats

/// Mail messages and mailboxes: the parts that are written in base64, in quoted-printable or in an
/// encoding of their own, each as a file of its own.
package struct MailReader: ArtifactReader {
  package let kind = "mail"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    MailMessage.recognises(head)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let document = TextDocument(reading: input, as: kind, into: &sink) else { return }
    let bytes = document.bytes
    let text = bytes.span.bytes
    for (index, part) in MailMessage(text).parts.enumerated() where !sink.isExhausted {
      guard let decoded = decoded(part, of: text) else { continue }
      // The raw search decodes base64, too: both name all of it as the evidence.
      let body = ByteRange(offset: part.body.lowerBound, length: part.body.count)
      let origin = part.encoding == .base64 ? Origin.decoded(from: body) : .mapped(decoded.map)
      var context = Context()
      context.member = part.name
      let name = part.name ?? ""
      let steps = ["part", String(index + 1)] + (name.isEmpty ? [] : [name])
      sink.nested(
        decoded.bytes, name: name,
        at: Place(steps: steps, context: context, origin: origin))
    }
  }

  /// What a part holds; nothing where its bytes say it themselves.
  private func decoded(_ part: MailMessage.Part, of text: RawSpan) -> DecodedBytes? {
    let body = text.clamped(to: part.body)
    var decoded: DecodedBytes
    switch part.encoding {
    case .base64: decoded = Base64Text.decode(body).decoded
    case .quotedPrintable:
      guard let plain = QuotedPrintable.decode(body) else { return nil }
      decoded = plain
    case .none:
      // Text in an encoding of its own: no message as a whole is in one.
      guard body.utf8Text() == nil else { return nil }
      decoded = DecodedBytes()
      decoded.copy(0..<body.byteCount, of: body)
    }
    guard !decoded.bytes.isEmpty else { return nil }
    decoded.moveSource(by: part.body.lowerBound)
    return decoded
  }
}
