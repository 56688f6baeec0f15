import Artifacts
package import Bytes
import Findings
package import SQLiteFormat

/// A file to inspect, and what is at hand to look into it.
package struct InspectedFile {
  package var path: String
  /// Its own name, without folders.
  package var name: String
  package var source: any ByteSource
  /// Reads a file beside it.
  package var sibling: (String) -> (any ByteSource)?
  /// Database keys to try.
  package var keys: [DatabaseKey] = []
  /// Tries to open a sealed value under each key that was given; nothing where no key could be one.
  package var unseal: (([UInt8]) -> SealedVerdict)?
  /// Seconds that reading may take.
  package var seconds = 300.0
  package var clock: () -> Double

  package init(
    path: String, name: String, source: any ByteSource, clock: @escaping () -> Double,
    sibling: @escaping (String) -> (any ByteSource)? = { _ in nil }
  ) {
    self.path = path
    self.name = name
    self.source = source
    self.clock = clock
    self.sibling = sibling
  }

  /// What became of a value that should be sealed.
  package enum SealedVerdict: Equatable, Sendable {
    case opened
    /// Too short to be one.
    case truncated(count: Int)
    /// Changed, cut off, or sealed under another key.
    case notAuthentic
  }
}

extension InspectedFile {
  /// Looks at the file from end to end.
  package func inspect() throws(ReadFailure) -> Inspection {
    let head = try source.bytes(at: 0, count: 4096)
    let first = Readers.builtIn.first {
      $0.recognises(head.span.bytes, byteCount: source.byteCount, name: name)
    }
    // A page and its number are longer than the head: some formats are known only further in.
    let reader = first ?? Readers.builtIn.first { $0.recognisesElsewhere(in: source) }
    var inspection = Inspection(path: path, kind: try kind(reader), byteCount: source.byteCount)
    inspection.sha256 = try digest()
    var sink = InspectionSink(path: path, seconds: seconds, clock: clock)
    if let reader {
      var input = ReaderInput(source: source, name: name, touched: .everything, sibling: sibling)
      input.keys = keys
      reader.read(input, into: &sink)
    }
    inspection.diagnostics = sink.diagnostics
    inspection.sections = sections(kind: inspection.kind, reader: reader?.kind, sink)
      .filter { !$0.isEmpty }
    return inspection
  }

  private func kind(_ reader: (any ArtifactReader)?) throws(ReadFailure) -> String {
    // Ciphertext starts with any bytes, those of a short signature too.
    if let reader, reader is CipherReader { return reader.kind }
    let known = try Identify.kind(of: source).kind
    return known == "data" ? reader?.kind ?? known : known
  }

  private func digest() throws(ReadFailure) -> String? {
    let hash = SHA256()
    var offset = 0
    while offset < source.byteCount {
      let bytes = try source.bytes(at: offset, count: 1 << 20)
      guard !bytes.isEmpty else { return nil }
      hash.update(bytes.span.bytes)
      offset += bytes.count
    }
    return hash.finish().hexadecimal
  }

  private func sections(
    kind: String, reader: String?, _ sink: InspectionSink
  ) -> [Inspection.Section] {
    var sections: [Inspection.Section] = []
    switch reader {
    case "sqlite": sections = databaseSections(sink)
    case "sqlite-wal": sections = logSections(of: source, main: sibling(main("-wal"))) + [shared()]
    case "sqlite-journal": sections = journalSections(of: source, main: sibling(main("-journal")))
    case "sqlcipher": sections = cipherSections(hasPlainHeader: false)
    case "plist": sections = propertyListSections()
    case "zip": sections = [zipSection()] + [memberSection(sink)].filter { !$0.isDetail }
    default: break
    }
    switch kind {
    case "mach-o": sections += machOSections() + binarySections(kind)
    case "elf", "core": sections += binarySections(kind)
    default: break
    }
    if reader != "zip" { sections.append(memberSection(sink)) }
    sections.append(pageSection(sink, besides: sections))
    sections += leftoverSections(sink)
    sections.append(observationSection(sink))
    return sections
  }

  /// The pages as the reader met them, where nothing else shows them: statement journals, pages of
  /// temporary databases.
  private func pageSection(
    _ sink: InspectionSink, besides sections: [Inspection.Section]
  ) -> Inspection.Section {
    var section = Inspection.Section("layout", "Pages as they lie")
    guard let layout = sink.layout, !sections.contains(where: { $0.layout != nil }) else {
      return section
    }
    let count = layout.runs.reduce(0) { $0 + $1.count }
    section.add("pageSize", "bytes a page", .number(layout.pageSize))
    section.add(layout.unit.rawValue + "s", layout.unit.rawValue + "s", .number(count))
    section.add("bytes", "size", .size(source.byteCount))
    section.layout = layout
    return section
  }

  /// Name of the database that a log or journal stands beside.
  private func main(_ suffix: String) -> String {
    name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : ""
  }

  /// What the reader says of the file as a whole.
  private func observationSection(_ sink: InspectionSink) -> Inspection.Section {
    var section = Inspection.Section("observations", "What stands out")
    var table = Inspection.Table(.init("kind", "kind"), .init("place", "place"), .init("what", ""))
    for observation in sink.observations {
      let place = observation.place.steps.joined(separator: "/")
      table.rows.append([
        .word(observation.kind.rawValue), place.isEmpty ? .missing : .text(place),
        .word(observation.message),
      ])
    }
    table.shown = 16
    table.isProse = true
    if !table.rows.isEmpty { section.table = table }
    return section
  }
}
