package import Bytes
import Findings
import SQLiteFormat

/// Statement journals of SQLite: pages as they were before a statement that may fail halfway, in an
/// `etilqs_…` file of its own (`subjournalPage` in pager.c).
///
///     offset     size  field
///          0        4  page number
///          4  page size  the page
package struct StatementJournalReader: ArtifactReader {
  package let kind = "sqlite-statement-journal"
  package var isBinary: Bool { true }

  package init() {}

  /// There is neither a header nor a checksum: the first record must hold a page all of whose cells
  /// are sound, and its size must divide the file.
  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    Self.sizes(of: byteCount).contains { size in
      Self.isPageNumber(head.word(at: 0)) && Self.probe(head, at: 0, size) != nil
    }
  }

  /// The head of a source does not hold a whole page of 4096 bytes and a page number.
  package func recognisesElsewhere(in source: any ByteSource) -> Bool {
    !Self.sizes(of: source.byteCount).isEmpty && Self.look(into: source) != nil
  }

  /// Records that are looked at for one that holds a page of a tree.
  private static let mostProbes = 64

  /// Page sizes that records of this file may have.
  private static func sizes(of byteCount: Int) -> [Int] {
    [4096, 1024, 512, 2048, 8192, 16_384, 32_768, 65_536].filter {
      byteCount >= $0 + 4 && byteCount % ($0 + 4) == 0
    }
  }

  private static func isPageNumber(_ number: UInt32) -> Bool { number >= 1 && number < 1 << 28 }

  private static func probe(_ bytes: RawSpan, at offset: Int, _ size: Int) -> PageProbe? {
    let isFirst = bytes.word(at: offset) == 1
    let page = bytes.clamped(to: offset + 4..<offset + 4 + size)
    guard page.byteCount == size else { return nil }
    return PageProbe(page, pageSize: size, hasFileHeader: isFirst)
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    _ = readKeepingPlaces(input, into: &sink)
  }

  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    guard let (probe, encoding) = Self.look(into: input.source) else { return nil }
    let size = probe.geometry.pageSize
    let journal = RollbackJournal(statement: input.source, pageSize: size)
    let whole = Piece(offset: 0, source: 0, count: input.source.byteCount)
    sink.observe(
      Observation(
        .temporaryPages,
        counted(
          journal.records.count, "page that a statement changed lies here in the clear",
          "pages that a statement changed lie here in the clear"),
        at: Place(steps: [], liveness: .stale, origin: .pieces([whole]))))
    sink.describe(StorageLayout(of: journal))
    var geometry = probe.geometry
    geometry.hasFileHeader = true
    let scan = JournalScan(
      journal, source: input.source, main: nil,
      header: DatabaseHeader(of: geometry, encoding: encoding), touched: input.touched)
    scan.run(into: &sink)
    return scan
  }

  /// The first record that holds a page of a tree, and how its texts are encoded.
  private static func look(
    into source: any ByteSource
  ) -> (probe: PageProbe, encoding: TextEncoding)? {
    for size in sizes(of: source.byteCount) {
      for index in 0..<min(source.byteCount / (size + 4), mostProbes) {
        let offset = index * (size + 4)
        guard let record = try? source.bytes(at: offset, count: size + 4) else { break }
        let bytes = record.span.bytes
        guard let probe = probe(bytes, at: 0, size) else { continue }
        return (probe, probe.encoding(of: bytes.clamped(to: 4..<size + 4)))
      }
    }
    return nil
  }
}
