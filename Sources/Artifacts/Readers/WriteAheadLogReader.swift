import Bytes
import Findings
import SQLiteFormat

/// Write-ahead logs of SQLite: every frame, whether it is current, superseded, never committed or
/// left from before the log was started over.
package struct WriteAheadLogReader: ArtifactReader {
  package let kind = "sqlite-wal"
  package var isBinary: Bool { true }

  package init() {}

  package func recognises(_ head: RawSpan, byteCount: Int, name: String) -> Bool {
    guard byteCount >= LogHeader.byteCount, LogHeader.isMagic(head.word(at: 0)) else {
      return name.hasSuffix("-wal") && Self.hasFrames(head, byteCount: byteCount)
    }
    return PageGeometry(pageSize: Int(head.word(at: 8)), reserved: 0) != nil
  }

  /// Whether whole frames follow a header that is damaged, and the first of them holds a page.
  private static func hasFrames(_ head: RawSpan, byteCount: Int) -> Bool {
    let start = LogHeader.byteCount + FrameHeader.byteCount
    let page = head.clamped(to: min(start, head.byteCount)..<head.byteCount)
    return LogHeader.pageSizes.contains { size in
      guard let geometry = PageGeometry(pageSize: size, reserved: 0),
        (byteCount - LogHeader.byteCount) % (size + FrameHeader.byteCount) == 0
      else { return false }
      return page.hasBytes(DatabaseHeader.magic)
        || BTreePage(parsing: page, headerOffset: 0)?.isPlausible(geometry: geometry) == true
    }
  }

  package func read(_ input: ReaderInput, into sink: inout some FragmentSink) {
    _ = readKeepingPlaces(input, into: &sink)
  }

  package func readKeepingPlaces(
    _ input: ReaderInput, into sink: inout some FragmentSink
  ) -> (any PlaceLocator)? {
    guard let log = OpenLog(input.source) else {
      sink.diagnostic(
        .formatDamaged, "the header of the write-ahead log cannot be read",
        remedy: "its bytes were searched as they lie", steps: [])
      return nil
    }
    let main = input.main(droppingSuffix: "-wal")
    let head = main.flatMap { try? $0.bytes(at: 0, count: DatabaseHeader.byteCount) } ?? []
    let mainHeader = try? DatabaseHeader(parsing: head.span.bytes)
    log.report(mainHeader: mainHeader, hasMain: main != nil, into: &sink)
    sink.describe(StorageLayout(of: log.index))
    compareIndex(log, input, into: &sink)
    if let main, mainHeader == nil && !isEmpty(main) || CipherReader.hasPlainHeader(main) {
      return EncryptedSidecar(input: input, main: main).read(log, into: &sink)
    }
    let fits = mainHeader?.geometry.pageSize == log.index.pageSize
    guard let header = log.databaseHeader(main: fits ? mainHeader : nil) else { return nil }
    let file = fits ? main.map { DatabaseFile(source: $0, geometry: header.geometry) } : nil
    let scan = LogScan(
      log: input.source, content: input.source, index: log.index, main: file, header: header,
      touched: input.touched)
    let ownership = ForeignLog(
      index: log.index, content: input.source, database: scan.database)
    if let file, let mainHeader, ownership.isForeign(to: Database(file, header: mainHeader)) {
      sink.observe(
        Observation(
          .foreignLog, "the log and the database beside it have no table in common"))
      sink.diagnostic(
        .formatDamaged, "the log does not belong to the database beside it: no table is in both",
        remedy:
          "find the database it belongs to; pages missing in the log were taken from this one",
        steps: [])
    }
    scan.run(into: &sink)
    stateSchema(scan, file: file, header: mainHeader, into: &sink)
    return LogLocator(scan, byteCount: input.source.byteCount)
  }

  /// A first page of zeros is no ciphertext: the log alone says what the database holds.
  private func isEmpty(_ main: any ByteSource) -> Bool {
    let head = (try? main.bytes(at: 0, count: 512)) ?? []
    return !head.contains { $0 != 0 }
  }

  /// Tables that only the log knows, or knows otherwise: what it does not hold the database's own scan
  /// states.
  private func stateSchema(
    _ scan: LogScan, file: DatabaseFile?, header: DatabaseHeader?,
    into sink: inout some FragmentSink
  ) {
    guard scan.index.frames.contains(where: { $0.page == 1 && $0.state == .live }) else { return }
    if let file, let header {
      let known = Set(Database(file, header: header).schema.entries.map(\.sql))
      guard scan.database.schema.entries.contains(where: { !known.contains($0.sql) }) else {
        return
      }
    }
    SchemaFacts(database: scan.database, store: CoreDataStore(scan.database)).state(into: &sink)
  }

  private func compareIndex(
    _ log: OpenLog, _ input: ReaderInput, into sink: inout some FragmentSink
  ) {
    guard let shared = input.main(droppingSuffix: "-wal", adding: "-shm"),
      let bytes = try? shared.bytes(at: 0, count: 136)
    else { return }
    guard let index = SharedMemoryIndex(parsing: bytes.span.bytes) else { return }
    for problem in index.disagreements(with: log.index, header: log.header) {
      sink.diagnostic(
        .formatDamaged, "the -shm file does not fit the log: \(problem)",
        remedy: "the log was read by its own checksums; the -shm file is older or from elsewhere",
        steps: [])
    }
  }
}

extension ReaderInput {
  /// The database that this file stands beside, by its name: `store.db` for `store.db-wal`.
  func main(droppingSuffix suffix: String, adding other: String = "") -> (any ByteSource)? {
    let base = name.split(separator: "/").last.map(String.init) ?? name
    guard base.hasSuffix(suffix), base.count > suffix.count else { return nil }
    let main = sibling(String(base.dropLast(suffix.count)) + other)
    return other.isEmpty ? main.map { MendedSource.mending($0) } : main
  }
}

/// A log whose frames are classed.
struct OpenLog {
  let header: LogHeader
  let index: LogIndex
  let source: any ByteSource

  init?(_ source: any ByteSource) {
    guard let header = LogHeader(of: source),
      let index = try? LogIndex(source, header: header, pageSize: header.pageSize)
    else { return nil }
    self.header = header
    self.index = index
    self.source = source
  }

  /// The header of the database: that of the newest first page in the log, of the database file, or
  /// one made up from the page size.
  func databaseHeader(main: DatabaseHeader?) -> DatabaseHeader? {
    let newest =
      index.frames.lastIndex { $0.page == 1 && $0.state == .live }
      ?? (main == nil ? index.frames.lastIndex { $0.page == 1 } : nil)
    if let newest,
      let bytes = try? source.bytes(
        at: index.pageOffset(ofFrame: newest), count: DatabaseHeader.byteCount),
      let header = try? DatabaseHeader(parsing: bytes.span.bytes),
      header.geometry.pageSize == index.pageSize
    {
      return header
    }
    if let main { return main }
    return PageGeometry(pageSize: index.pageSize, reserved: 0).map { DatabaseHeader(of: $0) }
  }

  func report(mainHeader: DatabaseHeader?, hasMain: Bool, into sink: inout some FragmentSink) {
    if !header.isSound {
      sink.diagnostic(
        .formatDamaged, "the checksum of the log's header does not fit",
        remedy: "SQLite would ignore this log; its frames were read all the same", steps: [])
    }
    if let mainHeader {
      if mainHeader.geometry.pageSize != index.pageSize {
        sink.observe(
          Observation(
            .foreignLog,
            "the log has pages of \(index.pageSize) bytes, the database beside it of "
              + "\(mainHeader.geometry.pageSize)"))
        sink.diagnostic(
          .formatDamaged, "the log does not belong to the database beside it: page sizes differ",
          remedy: "find the database it belongs to; its frames were read on their own", steps: [])
      } else if !mainHeader.usesWriteAheadLog, index.frames.contains(where: { $0.state == .live }) {
        sink.observe(
          Observation(.foreignLog, "the database beside the log does not use a write-ahead log"))
      }
    }
    if header.isSound, let frame = index.firstBreak {
      sink.diagnostic(
        .formatDamaged, "frame \(frame + 1) of the log does not follow from those before it",
        remedy: "SQLite would read the log up to there; what follows was read all the same",
        steps: ["frame", String(frame + 1)])
    }
    for generation in index.generations where !generation.isCurrent {
      sink.observe(
        Observation(
          .staleGeneration,
          "frames \(generation.first) to \(generation.last) are left from before the log was "
            + "started over",
          at: place(ofFrames: generation.first...max(generation.first, generation.last), .stale)))
    }
    let open = index.frames.indices.filter { index.frames[$0].state == .uncommitted }
    if let first = open.first, let last = open.last {
      sink.observe(
        Observation(
          .uncommittedFrames,
          "no commit follows \(counted(open.count, "frame")) at the end of the log",
          at: place(ofFrames: first + 1...last + 1, .uncommitted)))
    }
    if index.trailing > 0 {
      sink.diagnostic(
        .formatDamaged,
        "the log ends with \(counted(index.trailing, "byte")) of a frame that is cut off",
        remedy: "the bytes were searched as they lie", steps: [])
    }
    if index.isCutOff {
      sink.diagnostic(
        .limitCount, "only the first \(LogIndex.mostFrames) frames were classed",
        remedy: "the rest was searched as it lies", steps: [])
    }
  }

  /// The bytes of frames that follow one another, numbered from 1.
  private func place(ofFrames frames: ClosedRange<Int>, _ liveness: Liveness) -> Place {
    var context = Context()
    context.frame = frames.lowerBound
    let start = LogHeader.byteCount + (frames.lowerBound - 1) * index.frameSize
    return Place(
      steps: ["frame", String(frames.lowerBound)], liveness: liveness, context: context,
      origin: .pieces([Piece(offset: 0, source: start, count: frames.count * index.frameSize)]))
  }
}
