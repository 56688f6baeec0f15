import Bytes
import Findings
import Formats
import SQLiteFormat

/// Rollback journals of SQLite: pages as they were before a transaction.
package struct JournalReader: ArtifactReader {
  package let kind = "sqlite-journal"
  package var isBinary: Bool { true }

  package init() {}

  /// A whole header is recognised by its magic. A zeroed one needs a page where the first record
  /// would be; the name only decides which of several readings of such a file is meant.
  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    if JournalHeader(parsing: head) != nil { return true }
    guard byteCount > 1024, head.byteCount >= 512, head[at: 0] == 0 else { return false }
    return RollbackJournal.zeroedLayout(
      head, byteCount: byteCount, stated: nil, mayBeEncrypted: Self.isJournal(name)) != nil
  }

  /// Whether SQLite gives journals such a name. (A search of bytes: that of strings is slow.)
  private static func isJournal(_ name: String) -> Bool {
    var name = name
    return name.withUTF8 { letters in
      letters.span.bytes.firstOffset(of: "-journal", in: 0..<letters.count) != nil
    }
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    _ = readKeepingPlaces(input, into: &sink)
  }

  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    let main = input.main(droppingSuffix: "-journal")
    if let main, CipherReader.hasPlainHeader(main) || CipherReader.isCiphertext(main),
      let place = EncryptedSidecar(input: input, main: main).readJournal(into: &sink)
    {
      return place
    }
    let head = main.flatMap { try? $0.bytes(at: 0, count: DatabaseHeader.byteCount) } ?? []
    let mainHeader = try? DatabaseHeader(parsing: head.span.bytes)
    let size = mainHeader?.geometry.pageSize
    guard
      let stored = RollbackJournal(
        parsing: input.source, pageSize: size, mayBeEncrypted: input.name.contains("-journal"))
    else { return nil }
    let base = input.name.split(separator: "/").last.map(String.init) ?? input.name
    let journal = input.settled(stored, of: String(base.dropLast("-journal".count)))
    report(journal, hasMain: main != nil, mainIsReadable: mainHeader != nil, into: &sink)
    guard let header = databaseHeader(journal, input.source, main: mainHeader) else { return nil }
    let fits = mainHeader?.geometry.pageSize == journal.pageSize
    let file = fits ? main.map { DatabaseFile(source: $0, geometry: header.geometry) } : nil
    let scan = JournalScan(
      journal, source: input.source, main: file, header: header, touched: input.touched)
    scan.run(into: &sink)
    return scan
  }

  func databaseHeader(
    _ journal: RollbackJournal, _ source: any ByteSource, main: DatabaseHeader?
  ) -> DatabaseHeader? {
    if let first = journal.records.first(where: { $0.page == 1 }),
      let bytes = try? source.bytes(at: first.offset, count: DatabaseHeader.byteCount),
      let header = try? DatabaseHeader(parsing: bytes.span.bytes),
      header.geometry.pageSize == journal.pageSize
    {
      return header
    }
    if let main, main.geometry.pageSize == journal.pageSize { return main }
    return PageGeometry(pageSize: journal.pageSize, reserved: 0).map { DatabaseHeader(of: $0) }
  }

  func report(
    _ journal: RollbackJournal, hasMain: Bool, mainIsReadable: Bool,
    into sink: inout some FragmentSink
  ) {
    if !journal.records.isEmpty { sink.describe(StorageLayout(of: journal)) }
    switch journal.state {
    case .hot:
      sink.observe(
        Observation(
          .hotJournal,
          "the next one to open the database rolls this journal back"
            + (journal.superJournal.map { ", together with those of \($0)" } ?? ""),
          at: Self.place(of: journal, .live)))
    case .persisted, .unsynced:
      sink.observe(
        Observation(
          .persistedJournal,
          counted(journal.records.count, "page is", "pages are")
            + " left in a journal that is done with",
          at: Self.place(of: journal, .stale)))
    case .empty: break
    }
    let damaged = journal.damagedCount
    if damaged > 0 {
      sink.diagnostic(
        .formatDamaged,
        counted(
          damaged, "record of the journal does not fit its checksum",
          "records of the journal do not fit their checksum"),
        remedy: "they were read all the same", steps: [])
    }
    if hasMain, !mainIsReadable, !journal.records.isEmpty {
      sink.observe(
        Observation(
          .plaintextBeside, "a journal lies beside a database that is encrypted or no database",
          at: Self.place(of: journal, .live)))
    }
  }

  /// The bytes of its records.
  private static func place(of journal: RollbackJournal, _ liveness: Liveness) -> Place {
    guard let first = journal.records.first, let last = journal.records.last,
      last.offset >= first.offset
    else { return Place(steps: [], liveness: liveness, origin: .transformed) }
    var context = Context()
    context.page = Int(first.page)
    context.frame = 1
    let piece = Piece(
      offset: 0, source: first.offset, count: last.offset + journal.pageSize - first.offset)
    return Place(
      steps: ["record", "1"], liveness: liveness, context: context, origin: .pieces([piece]))
  }
}
