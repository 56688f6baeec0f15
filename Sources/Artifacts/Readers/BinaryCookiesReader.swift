import Bytes
import Findings
import Formats

/// Cookies of Apple's networking: every value under its name, with its domain beside it.
package struct BinaryCookiesReader: ArtifactReader {
  package let kind = "binarycookies"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    byteCount >= 12 && BinaryCookies.recognises(head) && head[at: 5] == 0
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let document = TextDocument(reading: input, as: kind, into: &sink) else { return }
    let file = document.bytes.span.bytes
    let cookies = BinaryCookies(parsing: file)
    for (index, cookie) in cookies.cookies.enumerated() {
      if index & 0xFF == 0, sink.isExhausted { return }
      let place = place(of: cookie, number: index + 1)
      sink.state(
        Fact(
          .record, cookie.name,
          values: [
            "kind": ["cookie"], "domain": [cookie.domain],
            "secure": [ModelFacts.text(cookie.isSecure)],
            "http-only": [ModelFacts.text(cookie.isHTTPOnly)],
            "session": [ModelFacts.text(cookie.expires == 0)],
            "content": [cookie.value.isEmpty ? "empty" : "clear"],
          ], at: place))
      guard !cookie.value.isEmpty, input.touched.isMarked(cookie.range) else { continue }
      sink.fragment(file.clamped(to: cookie.value), at: place)
    }
    if let damage = cookies.damage {
      sink.diagnostic(
        .formatDamaged, "the cookies are damaged or cut off (at offset \(damage))",
        remedy: "what could be read was searched; compare with an undamaged copy",
        steps: ["offset", String(damage)])
    }
  }

  private func place(of cookie: BinaryCookies.Cookie, number: Int) -> Place {
    var context = Context()
    context.key = cookie.name
    context.neighbours = [cookie.domain, cookie.path]
    let value = cookie.value
    return Place(
      steps: ["cookie", String(number)], context: context,
      origin: .pieces([Piece(offset: 0, source: value.lowerBound, count: value.count)]))
  }
}
