import Bytes
import Findings
import SQLiteFormat

/// Reads one stored image of a page, whatever it lies in, the same way a page of a file is read.
struct ImageReader {
  let database: Database
  let rows: RowReader
  private var interesting: [Int] = []

  init(_ database: Database, pages: PageCache, touched: TouchMap) {
    self.database = database
    rows = RowReader(database: database, pages: pages, touched: touched)
  }

  mutating func read(
    _ bytes: RawSpan, image: PageImage, into sink: inout some FragmentSink
  ) {
    switch image.role {
    case .pointerMap, .lock, .overflow: return
    case .orphan, .beyondEnd, .freelistTrunk, .freelistLeaf:
      // Ciphertext holds no records, only bytes that look like some by chance.
      guard database.hasResidue(bytes, in: 0..<bytes.byteCount),
        CipherStatistics.verdict(of: bytes) != .encrypted
      else { return }
      let records = database.records(
        in: bytes, page: image.page, role: image.role, tree: image.tree)
      for found in records { rows.emit(found, in: bytes, image: image, into: &sink) }
      LooseStreams(database: database, image: image).emit(
        inFreedPage: bytes, besides: records, into: &sink)
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior:
      readTreePage(bytes, image: image, into: &sink)
    }
  }

  private mutating func readTreePage(
    _ bytes: RawSpan, image: PageImage, into sink: inout some FragmentSink
  ) {
    let start = database.geometry.headerOffset(of: image.page)
    guard let header = BTreePage(parsing: bytes, headerOffset: start) else { return }
    let isTouched = image.sourceRange(0..<bytes.byteCount).map(rows.touched.isMarked) ?? true
    let all =
      isTouched || database.encoding != .utf8 || rows.telling.isIn(tree: image.tree, sink)
    interesting.removeAll(keepingCapacity: true)
    if !all, header.kind != .tableInterior {
      _ = database.survey(bytes, header: header, into: &interesting)
    }
    let count = all ? min(header.cellCount, bytes.byteCount / 2) : interesting.count
    for position in 0..<count {
      let index = all ? position : interesting[position]
      guard
        var found = database.liveRecord(
          index, in: bytes, header: header, tree: image.tree, pages: rows.pages)
      else { continue }
      if image.tree == 0 { database.guessTree(of: &found, kind: header.kind) }
      rows.emit(found, in: bytes, image: image, into: &sink)
    }
    let records = database.residue(
      in: bytes, header: header, tree: image.tree, isMarked: { _ in all })
    for found in records { rows.emit(found, in: bytes, image: image, into: &sink) }
    guard LooseStreams.standIn(freePartsOf: bytes, header: header, of: database) else { return }
    LooseStreams(database: database, image: image).emit(
      inFreeParts: bytes, header: header, besides: records, into: &sink)
  }
}

extension PageImage {
  /// The image of a page in a log or journal. What the page is now counts where the image is the
  /// current one; an older image is judged by its own bytes, since pages change their use.
  init(
    page: UInt32, bytes: RawSpan, of database: Database, steps: [String], source: Int?,
    liveness: Liveness, frame: Int?, isCurrent: Bool
  ) {
    self.page = page
    self.steps = steps
    self.source = source
    self.liveness = liveness
    self.frame = frame
    role = database.role(of: page)
    tree = database.tree(of: page)
    let header = BTreePage(
      parsing: bytes, headerOffset: database.geometry.headerOffset(of: page))
    if let header, !isCurrent || !role.isTree,
      header.isPlausible(geometry: database.geometry), role != .overflow || header.cellCount > 0
    {
      let found = PageRole(header.kind)
      let isSameKind =
        header.kind.isTable == (role == .tableLeaf || role == .tableInterior) && role.isTree
      if !isCurrent || role == .orphan || role == .beyondEnd {
        if !isSameKind { tree = 0 }
        role = found
      }
    }
  }
}
