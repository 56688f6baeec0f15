import Bytes
import Findings
import SQLiteFormat

/// What has to wait until all pages were read, and what only another file explains.
extension DatabaseScan {
  /// What nothing has claimed yet may still turn out to be a part of a chain: pages that nothing points
  /// to of a live one, free pages without the header of a b-tree page of a deleted one.
  func isDeferred(_ page: UInt32, _ bytes: RawSpan) -> Bool {
    if current?.standing(of: page, in: database) == .other { return false }
    switch database.role(of: page) {
    case .orphan: return true
    case .freelistLeaf:
      let start = geometry.headerOffset(of: page)
      let header = BTreePage(parsing: bytes, headerOffset: start)
      return header?.isPlausible(geometry: geometry) != true
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior, .overflow, .freelistTrunk,
      .pointerMap, .lock, .beyondEnd:
      return false
    }
  }

  /// A deleted record, now or once all pages were read.
  func emitFreed(
    _ found: FoundRecord, in bytes: RawSpan, image: PageImage, into sink: inout some FragmentSink
  ) {
    if found.carved.overflow != 0 {
      note(.spilled(image.page))
    } else {
      rows.emit(found, in: bytes, image: image, into: &sink)
    }
  }

  func readSpilled(into sink: inout some FragmentSink) {
    for page in spilled {
      if sink.isExhausted { return }
      let image = image(of: page)
      _ = database.pages.withPage(page) { bytes in
        let found = database.records(in: bytes, page: page, role: image.role, tree: image.tree)
        for record in found where !record.isLive && record.carved.overflow != 0 {
          rows.emit(record, in: bytes, image: image, into: &sink)
        }
      }
    }
    spilled = []
  }

  func readDeferred(into sink: inout some FragmentSink) {
    for page in 1...max(1, database.map.pageCount) {
      switch database.role(of: page) {
      case .orphan, .freelistLeaf: break
      case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior, .overflow, .freelistTrunk,
        .pointerMap, .lock, .beyondEnd:
        continue
      }
      if sink.isExhausted { return }
      // A page of a deleted record's chain holds that record's text, in which other records would be
      // seen by chance.
      guard freedChains.link(of: page) == nil else { continue }
      _ = database.pages.withPage(page) { bytes in
        guard isDeferred(page, bytes) else { return }
        read(page, bytes, into: &sink)
        readSeam(after: page, bytes, into: &sink)
      }
    }
  }

  /// A page that is part of the content only with the log or the journal beside the file.
  func readOther(
    _ page: UInt32, _ bytes: RawSpan, in current: CurrentContent,
    into sink: inout some FragmentSink
  ) {
    guard let view = current.database, let image = current.image(of: page, prefix: prefix) else {
      return
    }
    var reader =
      currentReader ?? ImageReader(view, pages: view.pages, touched: input.touched)
    reader.read(bytes, image: image, into: &sink)
    currentReader = reader
  }

  /// How much of both pages a seam shows: no value that is looked for is longer.
  private static let mostSeam = 1024

  /// The end of a free page and the start of the one that it names: of a chain whose row is gone nothing
  /// else shows what lies across both.
  private func readSeam(
    after page: UInt32, _ bytes: RawSpan, into sink: inout some FragmentSink
  ) {
    let next = bytes.word(at: 0)
    guard next != page, [.freelistLeaf, .orphan].contains(database.role(of: next)),
      freedChains.link(of: next) == nil
    else { return }
    let count = min(geometry.overflowCapacity, Self.mostSeam)
    let (end, start) = (geometry.usable - count..<geometry.usable, 4..<4 + count)
    let image = image(of: page)
    var place = image.place(of: end, region: .content, in: database)
    let store = database.pages.store
    if let one = store.sourceOffset(of: page), let other = store.sourceOffset(of: next) {
      place.origin = .pieces([
        Piece(offset: 0, source: one + end.lowerBound, count: count),
        Piece(offset: count, source: other + start.lowerBound, count: count),
      ])
    }
    let joined = database.pages.withPage(next) {
      bytes.clamped(to: end).copied() + $0.clamped(to: start).copied()
    }
    if let joined { sink.fragment(joined.span.bytes, at: place) }
  }
}
