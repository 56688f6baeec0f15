package import Bytes
import Findings
package import Formats

/// Property lists in binary, XML and OpenStep form; keyed archives are resolved to the values they hold.
package struct PropertyListReader: ArtifactReader {
  package let kind = "plist"

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    if head.hasBytes("bplist") { return true }
    guard TextDocument.mayBeWide(head) else {
      return XMLPropertyList.recognises(head) || OpenStepPropertyList.recognises(head)
    }
    var document = TextDocument(head.copied())
    document.becomeUTF8()
    let text = document.bytes.span.bytes
    return XMLPropertyList.recognises(text) || OpenStepPropertyList.recognises(text)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    guard var document = TextDocument(reading: input, as: kind, into: &sink) else { return }
    if !document.bytes.span.bytes.hasBytes("bplist") { document.becomeUTF8() }
    do throws(PropertyListError) {
      let list = try Self.list(parsing: document.bytes.span.bytes)
      report(list, of: document, name: input.name, into: &sink)
      stateModel(list, of: document, name: input.name, into: &sink)
      stateSettings(list, of: document, name: input.name, into: &sink)
      emit(list, of: document, touched: input.touched, into: &sink)
    } catch {
      report(error, into: &sink)
    }
  }

  /// The list of a source and the bytes that its nodes point into, UTF-8 where it is text; nothing
  /// where it cannot be read.
  package static func list(of source: any ByteSource) -> (list: PropertyList, bytes: [UInt8])? {
    guard source.byteCount <= PropertyList.sizeLimit,
      let bytes = try? source.bytes(at: 0, count: source.byteCount)
    else { return nil }
    var document = TextDocument(bytes)
    if !bytes.span.bytes.hasBytes("bplist") { document.becomeUTF8() }
    guard let list = try? list(parsing: document.bytes.span.bytes) else { return nil }
    return (list, document.bytes)
  }

  static func list(parsing text: RawSpan) throws(PropertyListError) -> PropertyList {
    if text.hasBytes("bplist") { return try BinaryPropertyList(parsing: text).list }
    if XMLPropertyList.recognises(text) { return try XMLPropertyList(parsing: text).list }
    return try OpenStepPropertyList(parsing: text).list
  }

  private func emit(
    _ list: PropertyList, of document: TextDocument, touched: TouchMap,
    into sink: inout some FragmentSink
  ) {
    let file = document.bytes.span.bytes
    var walk = PropertyListWalk(list, in: file)
    let values = PropertyListValues(document: document, touched: touched)
    var visited = 0
    while let visit = walk.next(in: file) {
      visited += 1
      if visited & 0x3FF == 0, sink.isExhausted { return }
      values.emit(visit, of: walk, into: &sink)
    }
    if walk.isDeep {
      sink.diagnostic(
        .limitDepth, "containers are nested deeper than key paths are followed",
        remedy: "values below were read under their offset instead of their path", steps: [])
    }
    if walk.isBounded {
      sink.diagnostic(
        .limitCount, "values are shared by more containers than are followed",
        remedy: "inspect the file by hand: it was not written by an ordinary encoder", steps: [])
    }
  }

  /// Keys with a value that could be a secret, of lists that are no archive: what apps keep as settings.
  private func stateSettings(
    _ list: PropertyList, of document: TextDocument, name: String,
    into sink: inout some FragmentSink
  ) {
    let file = document.bytes.span.bytes
    guard name.hasSuffix(".plist"), sink.wants(.record), KeyedArchive(list, in: file) == nil else {
      return
    }
    var walk = PropertyListWalk(list, in: file)
    var left = Self.mostSettings
    while left > 0, let visit = walk.next(in: file) {
      let node = list.nodes[visit.node]
      guard !visit.isKey, [.string, .data, .date, .integer, .real].contains(node.kind) else {
        continue
      }
      let steps = walk.steps(in: file)
      guard steps.first == "key", let key = walk.key(in: file) else { continue }
      left -= 1
      var context = Context()
      context.key = key
      let bytes =
        list.decoded(visit.node, in: file)?.bytes ?? file.clamped(to: node.content).copied()
      let isText = node.kind == .string || node.kind == .data
      sink.state(
        Fact(
          .record, key,
          values: [
            "kind": ["setting"], "type": ["\(node.kind)"],
            "content": [
              !isText ? "clear" : bytes.isEmpty ? "empty" : ColumnContent.word(ofValue: bytes)
            ],
          ],
          at: Place(steps: steps, context: context, origin: document.origin(of: node.range))))
    }
  }

  private static let mostSettings = 5_000

  /// A compiled data model is a keyed archive like any other, and more than its strings.
  private func stateModel(
    _ list: PropertyList, of document: TextDocument, name: String,
    into sink: inout some FragmentSink
  ) {
    let file = document.bytes.span.bytes
    // What a store keeps of its model was stated with the store's tables and columns.
    guard file.hasBytes("bplist"), name != ContentName.unnamed, sink.wants(.attribute),
      file.firstOffset(of: "NSManagedObjectModel", in: 0..<file.byteCount) != nil,
      let model = DataModel(list, in: file)
    else { return }
    ModelFacts(
      source: "compiled",
      place: { Place(steps: ["offset", String($0.lowerBound)], origin: document.origin(of: $0)) }
    ).state(model, into: &sink)
  }

  private func report(
    _ list: PropertyList, of document: TextDocument, name: String,
    into sink: inout some FragmentSink
  ) {
    var kinds: [PropertyList.Damage.Kind] = []
    // Nix and other languages write `{ key = "value"; }` as well; what follows is their own.
    let file = document.bytes.span.bytes
    if !file.hasBytes("bplist"), !XMLPropertyList.recognises(file), !Self.isListName(name) {
      kinds.append(.unexpected)
    }
    for damage in list.damage where !kinds.contains(damage.kind) {
      kinds.append(damage.kind)
      sink.diagnostic(
        damage.kind == .tooMany ? .limitCount : .formatDamaged,
        "property list \(damage.kind.rawValue) (at offset \(damage.offset))",
        remedy: "what could be read was searched; compare with an undamaged copy",
        steps: ["offset", String(damage.offset)])
    }
  }

  private static func isListName(_ name: String) -> Bool {
    [".plist", ".strings", ".pbxproj", ".gorm"].contains { name.hasSuffix($0) }
  }

  private func report(_ error: PropertyListError, into sink: inout some FragmentSink) {
    switch error {
    case .unsupported(let version):
      sink.diagnostic(
        .formatUnsupported, "binary property list of version \(version) is not read",
        remedy: "convert it with plutil -convert binary1; its bytes were searched as they lie",
        steps: [])
    case .foreign:
      sink.diagnostic(
        .formatDamaged, "starts as a property list and is none",
        remedy: "its bytes were searched as they lie", steps: [])
    case .tooLarge:
      sink.diagnostic(
        .limitSize, "larger than the 32 MiB a property list is read to",
        remedy: "split it into smaller files; its bytes were searched as they lie", steps: [])
    }
  }
}
