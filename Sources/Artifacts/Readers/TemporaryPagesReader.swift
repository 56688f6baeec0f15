import Bytes
import Findings
import SQLiteFormat

/// Pages of a database without a file header: what SQLite spills into `etilqs_…` files when a
/// temporary table or a VACUUM outgrows memory.
package struct TemporaryPagesReader: ArtifactReader {
  package let kind = "sqlite-pages"
  package var isBinary: Bool { true }

  package init() {}

  /// A temporary file often starts with a page that was never written: then its name has to say that
  /// the pages behind it are worth a look.
  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    if Self.probe(head, byteCount: byteCount) != nil { return true }
    guard byteCount % 512 == 0, byteCount > 512, head[at: 0] == 0, Self.isZero(head, 512) else {
      return false
    }
    return Self.hasLostStart(head, byteCount: byteCount)
      || (name.contains("etilqs_") || Self.isDatabase(name))
        && CipherStatistics.verdict(of: head) == .zero
  }

  private static func isZero(_ head: RawSpan, _ count: Int) -> Bool {
    (0..<min(count, head.byteCount)).allSatisfy { head[at: $0] == 0 }
  }

  /// Whether nothing is left of the first page of a database, and the next one is one.
  private static func hasLostStart(_ head: RawSpan, byteCount: Int) -> Bool {
    [512, 1024, 2048].contains { size in
      byteCount % size == 0 && isZero(head, size)
        && PageProbe(head.clamped(to: size..<max(size, head.byteCount)), pageSize: size) != nil
    }
  }

  private static func isDatabase(_ name: String) -> Bool {
    [".db", ".sqlite", ".sqlite3", ".sqlitedb", ".storedata"].contains { name.hasSuffix($0) }
  }

  /// The first page tells the page size: all its cells must hold records.
  private static func probe(_ head: RawSpan, byteCount: Int) -> PageProbe? {
    for size in [4096, 1024, 2048, 512] where byteCount % size == 0 && head.byteCount >= size {
      if let probe = PageProbe(head, pageSize: size) { return probe }
    }
    return nil
  }

  /// The first of the first pages that is one.
  private static func probe(_ source: any ByteSource) -> PageProbe? {
    guard let start = try? source.bytes(at: 0, count: 1 << 18) else { return nil }
    let bytes = start.span.bytes
    for size in [4096, 1024, 2048, 512] where source.byteCount % size == 0 {
      for page in 0..<start.count / size {
        let part = bytes.clamped(to: page * size..<(page + 1) * size)
        if let probe = PageProbe(part, pageSize: size) { return probe }
      }
    }
    return nil
  }

  private static func encoding(_ source: any ByteSource, _ probe: PageProbe) -> TextEncoding {
    let size = probe.geometry.pageSize
    guard let start = try? source.bytes(at: 0, count: 1 << 18) else { return .utf8 }
    for page in 0..<start.count / size {
      let part = start.span.bytes.clamped(to: page * size..<(page + 1) * size)
      if let probe = PageProbe(part, pageSize: size), probe.kind != .tableInterior {
        return probe.encoding(of: part)
      }
    }
    return .utf8
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    _ = readKeepingPlaces(input, into: &sink)
  }

  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    guard let probe = Self.probe(input.source) else { return nil }
    report(input, into: &sink)
    let database = LonePages.database(
      input.source, geometry: probe.geometry, encoding: Self.encoding(input.source, probe))
    var reader = ImageReader(database, pages: database.pages, touched: input.touched)
    for page in 1...max(1, database.map.pageCount) {
      if sink.isExhausted { break }
      _ = database.pages.withPage(page) { bytes in
        let kind = BTreePage(parsing: bytes, headerOffset: 0)?.kind
        guard let kind else { return }
        let start = database.geometry.offset(of: page)
        reader.read(bytes, image: LonePages.image(page, kind: kind, source: start), into: &sink)
      }
    }
    return LonePagesLocator(database)
  }
}

extension TemporaryPagesReader {
  private func report(_ input: ReaderInput, into sink: inout some FragmentSink) {
    let head = (try? input.source.bytes(at: 0, count: 512)) ?? []
    if Self.isZero(head.span.bytes, 512), !input.name.contains("etilqs_") {
      sink.diagnostic(
        .formatDamaged, "the first page of a database is empty: nothing names its tables",
        remedy: "restore the page from a backup; the other pages were read one by one", steps: [])
    } else {
      let whole = Piece(offset: 0, source: 0, count: input.source.byteCount)
      sink.observe(
        Observation(
          .temporaryPages, "pages of a temporary database lie here in the clear",
          at: Place(steps: [], origin: .pieces([whole]))))
    }
  }
}

/// Names the places of pages that no database holds together.
final class LonePagesLocator: PlaceLocator {
  private let database: Database

  init(_ database: Database) {
    self.database = database
  }

  func place(of range: Range<Int>) -> Place? {
    let size = database.geometry.pageSize
    guard range.lowerBound >= 0 else { return nil }
    let page = UInt32(clamping: range.lowerBound / size + 1)
    let start = database.geometry.offset(of: page)
    return database.pages.withPage(page) { bytes in
      let kind = BTreePage(parsing: bytes, headerOffset: 0)?.kind
      var image = LonePages.image(page, kind: kind ?? .tableLeaf, source: start)
      if kind == nil { image.role = .orphan }
      let locator = ImageLocator(image, in: bytes, database: database)
      return locator.place(of: range.lowerBound - start..<range.upperBound - start, in: bytes)
    }
  }
}
