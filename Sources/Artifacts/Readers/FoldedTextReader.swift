import Bytes
import Findings
import Formats

/// Contact cards, calendars and LDIF: values that folds divide, or that are written in base64 or
/// quoted-printable, are handed on as they are meant.
package struct FoldedTextReader: ArtifactReader {
  package static let card = FoldedTextReader(syntax: .card, kind: "vcard")
  package static let ldif = FoldedTextReader(syntax: .ldif, kind: "ldif")

  package let kind: String
  private let syntax: FoldedLine.Syntax
  /// A picture in base64 is one line.
  private static let windowSize = 8 << 20

  private init(syntax: FoldedLine.Syntax, kind: String) {
    self.syntax = syntax
    self.kind = kind
  }

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    if syntax == .card, TextDocument.mayBeWide(head) {
      var document = TextDocument(head.clamped(to: 0..<64).copied())
      document.becomeUTF8()
      return document.isTransformed && recognises(document.bytes.span.bytes)
    }
    return recognises(head)
  }

  private func recognises(_ head: RawSpan) -> Bool {
    var start = head.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    while let byte = head[at: start], byte == 0x0A || byte == 0x0D || byte == 0x20 { start += 1 }
    switch syntax {
    case .card: return Self.hasText("begin:v", in: head, at: start)
    case .ldif:
      // Comments and the version may stand before the first entry.
      while head[at: start] == UInt8(ascii: "#") || Self.hasText("version:", in: head, at: start)
        || head[at: start] == 0x0A || head[at: start] == 0x0D
      {
        guard let end = head.firstOffset(of: 0x0A, from: start) else { return false }
        start = end + 1
      }
      return Self.hasText("dn:", in: head, at: start)
    }
  }

  private static func hasText(_ text: StaticString, in head: RawSpan, at start: Int) -> Bool {
    guard head.byteCount - start >= text.utf8CodeUnitCount else { return false }
    let stored = head.clamped(to: start..<start + text.utf8CodeUnitCount).repairedText()
    return stored.lowercased() == "\(text)"
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    let head = (try? input.source.bytes(at: 0, count: 64)) ?? []
    if TextDocument.mayBeWide(head.span.bytes) { return readWide(input, into: &sink) }
    var windows = SourceWindows(input.source, size: Self.windowSize)
    var keepsBlank = false
    do throws(ReadFailure) {
      while let bytes = try windows.load(), !sink.isExhausted {
        let count = read(bytes, at: windows, touched: input.touched, &keepsBlank, into: &sink)
        windows.advance(past: count, of: bytes)
      }
    } catch {
      sink.reportFailure(error)
    }
  }

  /// Cards in 2- or 4-byte units: their text is read like a file of its own.
  private func readWide(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard var document = TextDocument(reading: input, as: kind, into: &sink) else { return }
    document.becomeUTF8()
    guard document.isTransformed else { return }
    sink.nested(
      document.bytes, name: input.name,
      at: Place(steps: ["text"], origin: document.mappedOrigin))
  }

  /// Hands on the whole lines of a piece and says how many bytes they have.
  private func read(
    _ bytes: [UInt8], at windows: SourceWindows, touched: TouchMap, _ keepsBlank: inout Bool,
    into sink: inout some FragmentSink
  ) -> Int {
    let text = bytes.span.bytes
    var offset = windows.offset == 0 && text.hasBytes([0xEF, 0xBB, 0xBF]) ? 3 : 0
    var number = windows.line
    while offset < bytes.count {
      let line = FoldedLine(parsing: text, at: offset, syntax: syntax)
      // The last line of a piece may go on in the next one, unless it fills the piece.
      if !windows.isLast, line.range.upperBound >= bytes.count, offset > 0 { return offset }
      let name = text.clamped(to: line.name).clamped(to: 0..<64).repairedText()
      if syntax == .card, name.lowercased() == "version" {
        keepsBlank = text.clamped(to: line.range).repairedText().contains("2.1")
      }
      if !name.isEmpty {
        var place = Place(
          steps: ["line", String(number), "property", name], origin: .transformed, line: number)
        place.context.key = name
        emit(
          line.decode(text, keepsBlank: keepsBlank), of: text, at: windows.offset, touched, place,
          into: &sink)
      }
      number += text.count(of: 0x0A, in: line.range)
      offset = line.range.upperBound
      if sink.isExhausted { break }
    }
    return bytes.count
  }

  private func emit(
    _ value: FoldedLine.Value, of text: RawSpan, at base: Int, _ touched: TouchMap, _ place: Place,
    into sink: inout some FragmentSink
  ) {
    var place = place
    switch value {
    case .text(var decoded):
      guard !decoded.bytes.isEmpty else { return }
      decoded.moveSource(by: base)
      place.origin = .mapped(decoded.map)
      sink.fragment(decoded.bytes.span.bytes, at: place)
    case .data(var decoded):
      guard !decoded.bytes.isEmpty else { return }
      decoded.moveSource(by: base)
      // The raw search decodes base64, too: both name all of it as the evidence.
      let whole = decoded.map.range(of: 0..<decoded.bytes.count)
      place.origin = whole.map { .decoded(from: $0) } ?? .transformed
      sink.nested(decoded.bytes, name: "", at: place)
    case .plain(let range):
      let stored = base + range.lowerBound..<base + range.upperBound
      guard !range.isEmpty, touched.isMarked(stored) || sink.isTelling(place.context.key ?? "")
      else { return }
      place.origin = .pieces([Piece(offset: 0, source: stored.lowerBound, count: range.count)])
      sink.fragment(text.clamped(to: range), at: place)
    }
  }
}
