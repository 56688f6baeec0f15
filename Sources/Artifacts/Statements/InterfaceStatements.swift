import Bytes
package import Findings
import Formats

/// Text fields of Interface Builder documents (xib, storyboard) and how the keyboard treats what is typed
/// into them: the attributes of their `textInputTraits`.
package struct InterfaceStatements: StatementReader {
  package let subjects: [Fact.Subject] = [.property]
  private static let largestCount = 10_000

  package init() {}

  package func mayState(name: String, head: RawSpan) -> Bool {
    (name.hasSuffix(".xib") || name.hasSuffix(".storyboard"))
      && head.firstOffset(of: "<document", in: 0..<head.byteCount) != nil
  }

  package func state(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard let bytes = content(of: input) else { return }
    let text = bytes.span.bytes
    for element: StaticString in ["<textField", "<textView", "<searchBar"] {
      var from = 0
      var count = 0
      while count < Self.largestCount,
        let start = text.firstOffset(of: element, in: from..<text.byteCount)
      {
        count += 1
        from = state(element.description, at: start, in: text, into: &sink)
      }
    }
  }

  /// States one element and returns where to go on.
  private func state(
    _ element: String, at start: Int, in text: RawSpan, into sink: inout some FragmentSink
  ) -> Int {
    let name = String(element.dropFirst())
    let tagEnd = text.firstOffset(of: 0x3E, from: start) ?? text.byteCount
    let next = start + element.utf8.count
    // `<textFieldCell` is another element.
    guard let byte = text[at: next], byte == 0x20 || byte == 0x3E || byte == 0x0A else {
      return next
    }
    var values: [String: [String]] = ["from": ["interface"], "element": [name]]
    for (key, value) in Self.attributes(in: text.clamped(to: next..<tagEnd))
    where ["id", "placeholder", "userLabel", "customClass"].contains(key) {
      values[key] = [value]
    }
    let isEmpty = text[at: tagEnd - 1] == 0x2F
    let end = isEmpty ? tagEnd : Self.end(of: name, from: tagEnd, in: text)
    if let traits = text.firstOffset(of: "<textInputTraits", in: tagEnd..<end) {
      let close = text.firstOffset(of: 0x3E, from: traits) ?? end
      for (key, value) in Self.attributes(in: text.clamped(to: traits + 16..<close))
      where key != "key" {
        values[key] = [value]
      }
    }
    let line = 1 + text.count(of: 0x0A, in: 0..<start)
    sink.state(
      Fact(
        .property, "textInputTraits", values: values,
        at: Place(
          steps: ["line", String(line)],
          origin: .pieces([Piece(offset: 0, source: start, count: max(end - start, 1))]),
          line: line)))
    return max(end, next)
  }

  private static func end(of name: String, from start: Int, in text: RawSpan) -> Int {
    let mark = Array("</\(name)>".utf8)
    var from = start
    while let hit = text.firstOffset(of: "</", in: from..<text.byteCount) {
      if text.hasBytes(mark, at: hit) { return hit + mark.count }
      from = hit + 2
    }
    return text.byteCount
  }

  /// `name="value"` pairs of a tag; entities are decoded.
  static func attributes(in tag: RawSpan) -> [(String, String)] {
    var pairs: [(String, String)] = []
    var offset = 0
    while pairs.count < 64, let equals = tag.firstOffset(of: 0x3D, from: offset),
      tag[at: equals + 1] == 0x22,
      let close = tag.firstOffset(of: 0x22, from: equals + 2)
    {
      var start = equals
      while start > offset, let byte = tag[at: start - 1], byte > 0x20 { start -= 1 }
      let value = MarkupText.decode(tag.clamped(to: equals + 2..<close)).bytes
      pairs.append(
        (
          tag.clamped(to: start..<equals).repairedText(),
          String(decoding: value.prefix(256), as: UTF8.self)
        ))
      offset = close + 1
    }
    return pairs
  }
}
