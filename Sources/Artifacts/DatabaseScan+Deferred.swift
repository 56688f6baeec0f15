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
        if isDeferred(page, bytes) { read(page, bytes, into: &sink) }
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
}
