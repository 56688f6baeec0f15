import Bytes
package import Findings
package import SQLiteFormat

/// One pass over the frames of a write-ahead log.
final class LogScan {
  let index: LogIndex
  let database: Database
  private let log: any ByteSource
  /// Where pages are read from: the log, or what it decrypts to.
  private let content: any ByteSource
  private let main: DatabaseFile?
  private let touched: TouchMap
  private let showsBytes: Bool
  private let prefix: [String]
  private var snapshot: (generation: Int, first: Int, last: Int, reader: ImageReader)?

  init(
    log: any ByteSource, content: any ByteSource, index: LogIndex, main: DatabaseFile?,
    header: DatabaseHeader, touched: TouchMap, showsBytes: Bool = true, prefix: [String] = []
  ) {
    self.log = log
    self.content = content
    self.index = index
    self.main = main
    self.touched = touched
    self.showsBytes = showsBytes
    self.prefix = prefix
    let generation = index.currentGeneration ?? 0
    let view = LogView(
      log: content, index: index, generation: generation, last: index.lastCommit ?? -1,
      pageCount: index.committedSize, database: main, geometry: header.geometry)
    database = Database(view, header: header)
    // Only a page of a chain can be what no tree and no free list names.
    if index.frames.contains(where: { database.role(of: $0.page) == .orphan }) {
      database.claimChains()
    }
    CoreDataStore.name(database)
  }

  func run(into sink: inout some FragmentSink) {
    let step = max(1, (1 << 20) / index.frameSize)
    var frame = 0
    while frame < index.frames.count, !sink.isExhausted {
      let count = min(step, index.frames.count - frame)
      let start = LogHeader.byteCount + frame * index.frameSize
      guard let bytes = try? content.bytes(at: start, count: count * index.frameSize),
        bytes.count >= index.frameSize
      else { break }
      let span = bytes.span.bytes
      for position in 0..<bytes.count / index.frameSize {
        let offset = position * index.frameSize + FrameHeader.byteCount
        let page = span.clamped(to: offset..<offset + index.pageSize)
        read(frame + position, page, into: &sink)
      }
      frame += bytes.count / index.frameSize
    }
    if sink.isExhausted {
      sink.diagnostic(
        .limitTime, "the frames of the log were not read to the end", remedy: "raise --max-time",
        steps: prefix)
    }
  }

  private func read(_ frame: Int, _ bytes: RawSpan, into sink: inout some FragmentSink) {
    var reader = reader(for: frame)
    reader.read(bytes, image: image(of: frame, bytes), into: &sink)
  }

  /// Overflow pages are read as they were when the frame's transaction ended.
  private func reader(for frame: Int) -> ImageReader {
    let generation = Int(index.frames[frame].generation)
    if let snapshot, snapshot.generation == generation, frame >= snapshot.first,
      frame <= snapshot.last, index.frames[frame].state != .live
    {
      return snapshot.reader
    }
    let last: Int
    if index.frames[frame].state == .live {
      last = index.lastCommit ?? frame
    } else {
      last = index.transactionEnd(of: frame)
    }
    if let snapshot, snapshot.generation == generation, snapshot.last == last {
      return snapshot.reader
    }
    let view = LogView(
      log: content, index: index, generation: generation, last: last, pageCount: 0,
      database: main, geometry: database.geometry)
    let shown: any PageStore = showsBytes ? view : HiddenStore(view)
    let reader = ImageReader(database, pages: PageCache(shown), touched: touched)
    snapshot = (generation, frame, last, reader)
    return reader
  }

  func image(of frame: Int, _ bytes: RawSpan) -> PageImage {
    let stored = index.frames[frame]
    return PageImage(
      page: stored.page, bytes: bytes, of: database,
      steps: prefix + ["frame", String(frame + 1), "page", String(stored.page)],
      source: showsBytes ? index.pageOffset(ofFrame: frame) : nil,
      liveness: Liveness(stored.state), frame: frame + 1, isCurrent: stored.state == .live)
  }

  func bytes(ofFrame frame: Int) -> [UInt8]? {
    let bytes = try? content.bytes(at: index.pageOffset(ofFrame: frame), count: index.pageSize)
    return bytes?.count == index.pageSize ? bytes : nil
  }
}

/// Pages whose bytes show in no source: they were decrypted.
struct HiddenStore: PageStore {
  private let base: any PageStore

  init(_ base: any PageStore) {
    self.base = base
  }

  var geometry: PageGeometry { base.geometry }
  var pageCount: UInt32 { base.pageCount }

  func read(from page: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    base.read(from: page, into: buffer)
  }

  func sourceOffset(of page: UInt32) -> Int? { nil }
}

extension Liveness {
  package init(_ state: FrameState) {
    switch state {
    case .live: self = .live
    case .superseded: self = .superseded
    // Frames of an open transaction are rewritten in place; their checksums are mended at its commit.
    case .uncommitted, .torn: self = .uncommitted
    case .stale: self = .stale
    }
  }
}

/// Names the places of a write-ahead log.
final class LogLocator: PlaceLocator {
  private let scan: LogScan
  private let byteCount: Int
  private var last: (frame: Int, bytes: [UInt8], locator: ImageLocator)?

  init(_ scan: LogScan, byteCount: Int) {
    self.scan = scan
    self.byteCount = byteCount
  }

  func place(of range: Range<Int>) -> Place? {
    guard range.lowerBound >= 0, range.upperBound <= byteCount else { return nil }
    let pieces = [Piece(offset: 0, source: range.lowerBound, count: range.count)]
    guard range.lowerBound >= LogHeader.byteCount else {
      return Place(steps: ["header"], origin: .pieces(pieces))
    }
    let index = scan.index
    let frame = (range.lowerBound - LogHeader.byteCount) / index.frameSize
    guard frame < index.frames.count else {
      return Place(steps: ["trailing"], liveness: .slack, origin: .pieces(pieces))
    }
    let start = index.pageOffset(ofFrame: frame)
    guard range.lowerBound >= start else {
      var context = Context()
      context.frame = frame + 1
      context.page = Int(index.frames[frame].page)
      return Place(
        steps: ["frame", String(frame + 1), "header"],
        liveness: Liveness(index.frames[frame].state), context: context, origin: .pieces(pieces))
    }
    if let place = overflowPlace(of: range, frame: frame, pieces: pieces) { return place }
    if last?.frame != frame {
      guard let bytes = scan.bytes(ofFrame: frame) else { return nil }
      let span = bytes.span.bytes
      let image = scan.image(of: frame, span)
      last = (frame, bytes, ImageLocator(image, in: span, database: scan.database))
    }
    guard let last else { return nil }
    let within = range.lowerBound - start..<min(range.upperBound - start, index.pageSize)
    return last.locator.place(of: within, in: last.bytes.span.bytes)
  }

  /// The value that a current overflow page holds a part of, named by its own frame: its cell may lie
  /// in another one, or in the database file.
  private func overflowPlace(of range: Range<Int>, frame: Int, pieces: [Piece]) -> Place? {
    let stored = scan.index.frames[frame]
    guard stored.state == .live, scan.database.role(of: stored.page) == .overflow,
      let bytes = scan.bytes(ofFrame: frame)
    else { return nil }
    let start = scan.index.pageOffset(ofFrame: frame)
    let within = range.lowerBound - start..<min(range.upperBound - start, scan.index.pageSize)
    let image = scan.image(of: frame, bytes.span.bytes)
    guard image.role == .overflow,
      var place = scan.database.overflowPlace(
        of: within, page: stored.page, pieces: pieces, image: { _ in image })
    else { return nil }
    place.steps = image.steps
    return place
  }
}
