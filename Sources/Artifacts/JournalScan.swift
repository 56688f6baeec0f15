import Bytes
import Findings
import SQLiteFormat

/// A database as it was before the transaction of a journal: pages from the journal where it has
/// them, from the database file where it does not.
struct JournalView: PageStore {
  let geometry: PageGeometry
  let pageCount: UInt32
  private let journal: any ByteSource
  private let offsets: [UInt32: Int]
  private let database: DatabaseFile?

  init(
    _ journal: any ByteSource, records: [RollbackJournal.PageRecord], database: DatabaseFile?,
    geometry: PageGeometry, pageCount: UInt32? = nil
  ) {
    self.journal = journal
    self.database = database
    self.geometry = geometry
    // The first record of a page holds the original; statement journals may hold it again.
    offsets = Dictionary(records.map { ($0.page, $0.offset) }, uniquingKeysWith: { one, _ in one })
    let highest = records.map(\.page).max() ?? 0
    let most = max(database?.pageCount ?? 0, min(highest, 1 << 20))
    self.pageCount = min(pageCount ?? most, most)
  }

  func sourceOffset(of page: UInt32) -> Int? { offsets[page] }

  func read(from page: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let part = UnsafeMutableRawBufferPointer(
      rebasing: buffer[..<min(buffer.count, geometry.pageSize)])
    guard let offset = offsets[page] else { return database?.read(from: page, into: part) ?? 0 }
    return (try? journal.read(at: offset, into: part)) ?? 0
  }
}

/// Reads the records of a rollback journal and names their places.
final class JournalScan: PlaceLocator {
  private let journal: RollbackJournal
  private let source: any ByteSource
  private let database: Database
  private let touched: TouchMap
  private let showsBytes: Bool
  private let prefix: [String]
  private var last: (record: Int, bytes: [UInt8], locator: ImageLocator)?

  init(
    _ journal: RollbackJournal, source: any ByteSource, main: DatabaseFile?,
    header: DatabaseHeader, touched: TouchMap, showsBytes: Bool = true, prefix: [String] = []
  ) {
    self.journal = journal
    self.source = source
    self.touched = touched
    self.showsBytes = showsBytes
    self.prefix = prefix
    let view = JournalView(
      source, records: journal.records, database: main, geometry: header.geometry)
    let shown: any PageStore = showsBytes ? view : HiddenStore(view)
    database = Database(shown, header: header)
    if journal.records.contains(where: { database.role(of: $0.page) == .orphan }) {
      database.claimChains()
    }
    CoreDataStore.name(database)
  }

  /// The pages that will be rolled back are the current content; those of a journal that was done with
  /// are left over, and so are records behind the end of a rollback.
  private func liveness(of record: RollbackJournal.PageRecord) -> Liveness {
    record.isApplied ? .live : .stale
  }

  func run(into sink: inout some FragmentSink) {
    var reader = ImageReader(database, pages: database.pages, touched: touched)
    for index in journal.records.indices {
      if sink.isExhausted {
        sink.diagnostic(
          .limitTime, "the records of the journal were not read to the end",
          remedy: "raise --max-time", steps: [])
        return
      }
      guard let bytes = bytes(of: index) else { continue }
      let span = bytes.span.bytes
      reader.read(span, image: image(of: index, span), into: &sink)
    }
  }

  private func bytes(of index: Int) -> [UInt8]? {
    let bytes = try? source.bytes(at: journal.records[index].offset, count: journal.pageSize)
    return bytes?.count == journal.pageSize ? bytes : nil
  }

  private func image(of index: Int, _ bytes: RawSpan) -> PageImage {
    let record = journal.records[index]
    return PageImage(
      page: record.page, bytes: bytes, of: database,
      steps: prefix + ["record", String(index + 1), "page", String(record.page)],
      source: showsBytes ? record.offset : nil,
      liveness: liveness(of: record), frame: index + 1, isCurrent: true)
  }

  func place(of range: Range<Int>) -> Place? {
    let pieces = [Piece(offset: 0, source: range.lowerBound, count: range.count)]
    let records = journal.records
    var lower = 0
    var upper = records.count
    while lower < upper {
      let middle = (lower + upper) / 2
      if records[middle].offset <= range.lowerBound { lower = middle + 1 } else { upper = middle }
    }
    guard lower > 0, range.lowerBound < records[lower - 1].offset + journal.pageSize else {
      let isTail = lower == records.count && lower > 0
      return Place(
        steps: [isTail ? "trailing" : "header"],
        liveness: isTail ? .slack : journal.state == .hot ? .live : .stale,
        origin: .pieces(pieces))
    }
    let index = lower - 1
    if last?.record != index {
      guard let bytes = bytes(of: index) else { return nil }
      let span = bytes.span.bytes
      last = (
        index, bytes, ImageLocator(image(of: index, span), in: span, database: database)
      )
    }
    guard let last else { return nil }
    let start = records[index].offset
    let within = range.lowerBound - start..<min(range.upperBound - start, journal.pageSize)
    let image = last.locator.image
    if image.role == .overflow,
      var place = database.overflowPlace(
        of: within, page: image.page, pieces: pieces, image: { _ in image })
    {
      place.steps = image.steps
      return place
    }
    return last.locator.place(of: within, in: last.bytes.span.bytes)
  }
}
