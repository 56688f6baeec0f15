import Bytes

/// A record and the part of its page it was found in.
package struct FoundRecord: Equatable, Sendable {
  package var region: PageRegion
  /// A cell that its page points to, on a page that is part of the content.
  package var isLive: Bool
  package var carved: CarvedRecord
}

/// The parts of a page.
package enum PageRegion: Equatable, Hashable, Sendable {
  case fileHeader
  case pageHeader
  case cellArray
  /// Index from 0 in the array of cells.
  case cell(Int)
  case gap
  /// Index from 0 in the chain of freeblocks.
  case freeblock(Int)
  /// One to three bytes between cells, too small for a freeblock.
  case fragment
  /// Content of a page that is no b-tree page: overflow, freed, unknown.
  case content
  /// Next trunk and leaf numbers of a freelist trunk, or the pointer to the next overflow page.
  case links
  case reserved

  /// Steps of a locator below the page.
  package var steps: [String] {
    switch self {
    case .fileHeader, .pageHeader: ["header"]
    case .cellArray: ["cells"]
    case .cell(let index): ["cell", String(index + 1)]
    case .gap: ["gap"]
    case .freeblock(let index): ["freeblock", String(index + 1)]
    case .fragment: ["fragment"]
    case .content: []
    case .links: ["links"]
    case .reserved: ["reserved"]
    }
  }
}

extension Database {
  /// Every record of a page, live and deleted, in the order of their offsets.
  package func records(
    in bytes: RawSpan, page: UInt32, role: PageRole, tree: Int
  ) -> [FoundRecord] {
    let start = geometry.headerOffset(of: page)
    switch role {
    case .pointerMap, .lock, .overflow: return []
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior:
      guard let header = BTreePage(parsing: bytes, headerOffset: start) else {
        return freed(in: bytes, from: 0, tree: tree)
      }
      var live = liveRecords(in: bytes, header: header, tree: tree)
      if tree == 0 {
        for index in live.indices { guessTree(of: &live[index], kind: header.kind) }
      }
      return (live + residue(in: bytes, header: header, tree: tree)).sorted {
        $0.carved.range.lowerBound < $1.carved.range.lowerBound
      }
    case .freelistTrunk:
      let trunk = FreelistTrunk(parsing: bytes, geometry: geometry)
      return freed(in: bytes, from: trunk.overwritten, tree: tree)
    case .orphan, .freelistLeaf, .beyondEnd:
      guard let header = BTreePage(parsing: bytes, headerOffset: start),
        header.isPlausible(geometry: geometry)
      else { return freed(in: bytes, from: 0, tree: tree) }
      var cells = liveRecords(in: bytes, header: header, tree: 0)
      for index in cells.indices {
        cells[index].isLive = false
        guessTree(of: &cells[index], kind: header.kind, pageTree: tree)
      }
      return cells + residue(in: bytes, header: header, tree: tree)
    }
  }

  private func freed(in bytes: RawSpan, from start: Int, tree: Int) -> [FoundRecord] {
    let place = Carver.Place(
      start..<geometry.usable, isFreeblock: false, isTable: nil, tree: tree)
    return carver.records(in: bytes, at: place).map {
      FoundRecord(region: .content, isLive: false, carved: $0)
    }
  }

  /// The cells that a b-tree page points to and that hold a record.
  func liveRecords(in bytes: RawSpan, header: BTreePage, tree: Int) -> [FoundRecord] {
    guard header.kind != .tableInterior else { return [] }
    var found: [FoundRecord] = []
    for index in 0..<min(header.cellCount, geometry.pageSize / 2) {
      if let record = liveRecord(index, in: bytes, header: header, tree: tree) {
        found.append(record)
      }
    }
    return found
  }

  /// One cell of a b-tree page, or nothing where it holds no record.
  ///
  /// - Parameter pages: where overflow pages are read from, if not from the database itself.
  package func liveRecord(
    _ index: Int, in bytes: RawSpan, header: BTreePage, tree: Int, pages: PageCache? = nil
  ) -> FoundRecord? {
    guard let offset = header.cellOffset(index, in: bytes),
      let cell = Cell(parsing: bytes, at: offset, kind: header.kind, geometry: geometry),
      let record = Record(
        parsing: bytes.clamped(to: cell.localRange), payloadCount: cell.payloadCount)
        ?? wideRecord(of: cell, in: bytes, pages: pages ?? self.pages)
    else { return nil }
    let carved = CarvedRecord(
      range: cell.range, payloadOffset: cell.payloadOffset, payloadCount: cell.payloadCount,
      localCount: cell.localCount, overflow: cell.overflow, rowid: cell.rowid, record: record,
      tree: tree, confidence: 1, isCutOff: false)
    return FoundRecord(region: .cell(index), isLive: true, carved: carved)
  }

  /// The record of a row with so many columns that its header goes on in overflow pages.
  private func wideRecord(of cell: Cell, in bytes: RawSpan, pages: PageCache) -> Record? {
    let local = bytes.clamped(to: cell.localRange)
    guard cell.overflow != 0, let size = local.length(at: 0), size.value > local.byteCount,
      size.value <= min(cell.payloadCount, Record.mostHeader)
    else { return nil }
    let header = joined(local, next: cell.overflow, count: size.value, pages: pages)
    let record = Record(parsing: unsafe header.span.bytes, payloadCount: cell.payloadCount)
    return record?.byteCount == cell.payloadCount ? record : nil
  }

  /// Records in the free bytes of a b-tree page. In regions where nothing was seen only those are of
  /// interest that went on in overflow pages, or that hold a file.
  package func residue(
    in bytes: RawSpan, header: BTreePage, tree: Int,
    isMarked: (Range<Int>) -> Bool = { _ in true }
  ) -> [FoundRecord] {
    var found: [FoundRecord] = []
    let isTable = header.kind == .tableInterior ? nil : header.kind.isTable
    for (region, range) in freeRegions(in: bytes, header: header) {
      guard range.count >= 4, hasResidue(bytes, in: range) else { continue }
      let onlySpilled = !isMarked(range) && !mayHoldFile(bytes, in: range)
      guard !onlySpilled || range.count >= geometry.minLocal else { continue }
      let isFreeblock = region != .gap
      let range = isFreeblock ? range : behindPointers(bytes, header: header, gap: range)
      let place = Carver.Place(
        range, isFreeblock: isFreeblock, isTable: isTable, tree: tree,
        onlySpilled: onlySpilled)
      for carved in carver.records(in: bytes, at: place) {
        found.append(FoundRecord(region: region, isLive: false, carved: carved))
      }
    }
    return found
  }

  /// The gap and the freeblocks of a b-tree page.
  package func freeRegions(
    in bytes: RawSpan, header: BTreePage
  ) -> [(region: PageRegion, range: Range<Int>)] {
    guard header.firstFreeblock != 0 || header.contentStart > header.cellArrayEnd else { return [] }
    var regions: [(region: PageRegion, range: Range<Int>)] = []
    if let gap = header.gap(geometry: geometry) { regions.append((.gap, gap)) }
    let blocks = header.freeblocks(in: bytes, geometry: geometry).ranges
    for (index, block) in blocks.enumerated() { regions.append((.freeblock(index), block)) }
    return regions
  }

  /// The part of a page that an offset lies in.
  package func region(
    at offset: Int, in bytes: RawSpan, page: UInt32, role: PageRole
  ) -> PageRegion {
    if offset >= geometry.usable { return .reserved }
    let start = geometry.headerOffset(of: page)
    if offset < start { return .fileHeader }
    switch role {
    case .pointerMap, .lock: return .content
    case .overflow: return offset < 4 ? .links : .content
    case .freelistTrunk:
      let trunk = FreelistTrunk(parsing: bytes, geometry: geometry)
      return offset < trunk.overwritten ? .links : .content
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior, .orphan, .freelistLeaf,
      .beyondEnd:
      guard let header = BTreePage(parsing: bytes, headerOffset: start),
        role.isTree || header.isPlausible(geometry: geometry)
      else { return .content }
      return region(at: offset, in: bytes, header: header)
    }
  }

  private func region(at offset: Int, in bytes: RawSpan, header: BTreePage) -> PageRegion {
    if offset < header.cellArray { return .pageHeader }
    if offset < header.cellArrayEnd { return .cellArray }
    for (region, range) in freeRegions(in: bytes, header: header) where range.contains(offset) {
      return region
    }
    for index in 0..<min(header.cellCount, geometry.pageSize / 2) {
      guard let start = header.cellOffset(index, in: bytes), start <= offset,
        let cell = Cell(parsing: bytes, at: start, kind: header.kind, geometry: geometry)
      else { continue }
      if offset < cell.end { return .cell(index) }
    }
    return .fragment
  }
}

extension Database {
  /// Says which tree a cell belongs to by its shape, where its page does not say.
  package func guessTree(
    of found: inout FoundRecord, kind: BTreePage.Kind, pageTree: Int = 0
  ) {
    let shape = carver.bestShape(
      for: found.carved.record.values, isTable: kind.isTable, tree: pageTree, isKnownPage: true)
    found.carved.tree = shape.tree
    found.carved.confidence = shape.confidence
  }
}
