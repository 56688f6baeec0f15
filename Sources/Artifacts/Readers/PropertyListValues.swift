import Bytes
import Findings
import Formats

/// Turns the values of a property list into fragments: those that a raw search could not see in this
/// form, and those it wants looked at.
struct PropertyListValues {
  let document: TextDocument
  let touched: TouchMap

  func emit(
    _ visit: PropertyListWalk.Visit, of walk: PropertyListWalk, into sink: inout some FragmentSink
  ) {
    let node = walk.list.nodes[visit.node]
    switch (node.kind, visit.rendering) {
    case (.string, _): emitString(node, visit, walk, &sink)
    case (.data, .uuid): emitText(Self.uuid(document.bytes[node.content]), node, visit, walk, &sink)
    case (.data, _): emitData(node, visit, walk, &sink)
    case (.real, .date), (.date, _):
      if node.storage == .written { return emitStored(node.range, visit, walk, &sink) }
      emitText(ReferenceDate(seconds: node.real).text, node, visit, walk, &sink)
    case (.integer, _):
      if node.storage == .written { return emitStored(node.range, visit, walk, &sink) }
      emitText(Self.digits(of: node), node, visit, walk, &sink)
    case (.real, _):
      if node.storage == .written { return emitStored(node.range, visit, walk, &sink) }
      emitText(Self.digits(of: node.real), node, visit, walk, &sink)
    case (.null, _), (.boolean, _), (.uid, _), (.array, _), (.set, _), (.dictionary, _): break
    }
  }

  private func emitString(
    _ node: PropertyList.Node, _ visit: PropertyListWalk.Visit, _ walk: PropertyListWalk,
    _ sink: inout some FragmentSink
  ) {
    guard !node.content.isEmpty else { return }
    let file = document.bytes.span.bytes
    guard let decoded = walk.list.decoded(visit.node, in: file) else {
      let text = file.clamped(to: node.content)
      if EmbeddedDocument.isLikely(text) {
        let place = place(of: visit, walk, origin: document.origin(of: node.content), node.content)
        sink.nested(text.copied(), name: place.context.key ?? "", at: place)
      } else {
        emitStored(node.content, visit, walk, &sink)
      }
      return
    }
    guard !decoded.bytes.isEmpty else { return }
    let origin = document.origin(of: decoded, in: node.content)
    let place = place(of: visit, walk, origin: origin, node.content)
    if EmbeddedDocument.isLikely(decoded.bytes.span.bytes) {
      sink.nested(decoded.bytes, name: place.context.key ?? "", at: place)
    } else {
      sink.fragment(decoded.bytes.span.bytes, at: place)
    }
  }

  /// A value whose bytes were searched as they lie: only what that marked needs its place.
  private func emitStored(
    _ range: Range<Int>, _ visit: PropertyListWalk.Visit, _ walk: PropertyListWalk,
    _ sink: inout some FragmentSink
  ) {
    guard !range.isEmpty,
      document.isTransformed || touched.isMarked(document.sourceRange(of: range))
        || walk.key(in: document.bytes.span.bytes).map(sink.isTelling) == true
    else { return }
    let place = place(of: visit, walk, origin: document.origin(of: range), range)
    sink.fragment(document.bytes.span.bytes.clamped(to: range), at: place)
  }

  private func emitData(
    _ node: PropertyList.Node, _ visit: PropertyListWalk.Visit, _ walk: PropertyListWalk,
    _ sink: inout some FragmentSink
  ) {
    let file = document.bytes.span.bytes
    let decoded = walk.list.decoded(visit.node, in: file)
    let bytes = decoded?.bytes ?? file.clamped(to: node.content).copied()
    guard !bytes.isEmpty else { return }
    let origin =
      decoded.map { document.origin(of: $0, in: node.content) }
      ?? document.origin(of: node.content)
    let place = place(of: visit, walk, origin: origin, node.content)
    if visit.rendering == .text {
      sink.fragment(bytes.span.bytes, at: place)
    } else {
      sink.nested(bytes, name: place.context.key ?? "", at: place)
    }
  }

  private func emitText(
    _ text: String?, _ node: PropertyList.Node, _ visit: PropertyListWalk.Visit,
    _ walk: PropertyListWalk, _ sink: inout some FragmentSink
  ) {
    guard let text else { return }
    let bytes = Array(text.utf8)
    let place = place(of: visit, walk, origin: document.origin(ofText: node.range), node.range)
    sink.fragment(bytes.span.bytes, at: place)
  }

  private func place(
    of visit: PropertyListWalk.Visit, _ walk: PropertyListWalk, origin: Origin, _ range: Range<Int>
  ) -> Place {
    let file = document.bytes.span.bytes
    var context = Context()
    context.key = walk.key(in: file)
    context.neighbours = walk.neighbours(in: file)
    return Place(
      steps: walk.steps(in: file), liveness: visit.isReachable ? .live : .slack, context: context,
      origin: origin)
  }

  /// An integer in decimal, from six digits on: fewer say nothing without the value's own form.
  private static func digits(of node: PropertyList.Node) -> String? {
    // Only 16-byte objects hold unsigned numbers of 64 bits.
    if node.range.count == 17 { return String(UInt64(bitPattern: node.integer)) }
    return node.integer.magnitude >= 100_000 ? String(node.integer) : nil
  }

  private static func digits(of real: Double) -> String? {
    guard real.isFinite, real != 0 else { return nil }
    if let whole = Int64(exactly: real) { return whole.magnitude >= 100_000 ? String(whole) : nil }
    return String(real)
  }

  private static func uuid(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.count == 16 else { return nil }
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      text += [byte].hexadecimal.uppercased()
    }
    return text
  }
}

/// A string value that is a document of its own: JSON or a property list kept as text.
enum EmbeddedDocument {
  static func isLikely(_ text: RawSpan) -> Bool {
    guard text.byteCount >= 16 else { return false }
    switch text[at: 0] {
    case 0x42: return text.hasBytes("BEGIN:V")
    case 0x7B where text.hasBytes("{\\rtf"): return true
    case 0x7B, 0x5B: return JSONWalk.recognises(text.clamped(to: 0..<512))
    case 0x3C: return XMLPropertyList.recognises(text.clamped(to: 0..<512))
    default: return false
    }
  }
}
