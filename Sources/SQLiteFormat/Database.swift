import Bytes

/// A database as its pages show it: header, schema, and what every page is.
package final class Database {
  package let pages: PageCache
  /// For the interior pages of trees, which in large files lie far apart.
  private let lone: PageCache
  package let header: DatabaseHeader
  package var map: PageMap
  package private(set) var schema: Schema
  package private(set) var carver: Carver
  private var liveBodies: [UInt64: RowPlace]?
  /// Trees whose blobs hold the terms of a full-text index.
  package private(set) var fullTextTrees: [Int: FullText.Version]
  /// What the program that keeps the database calls its tables and columns, where that is known.
  package var modelNames: ModelNames?

  package let geometry: PageGeometry
  package let encoding: TextEncoding

  /// Where a live row lies.
  package struct RowPlace: Equatable, Sendable {
    package var page: UInt32
    package var cell: Int
    package var rowid: Int64?
  }

  /// More tables and indexes than this are left without names.
  private static let mostEntries = 5000

  /// What the freelist, the schema and the interior pages say: the same for whoever reads the file.
  package struct Outline: Sendable {
    fileprivate var map: PageMap
    fileprivate var schema: Schema
    fileprivate var carver: Carver
    fileprivate var fullTextTrees: [Int: FullText.Version]
  }

  package var outline: Outline {
    Outline(map: map, schema: schema, carver: carver, fullTextTrees: fullTextTrees)
  }

  /// Reads the freelist, the schema and the interior pages of every tree.
  package convenience init(_ store: any PageStore, header: DatabaseHeader) {
    self.init(
      store, header: header,
      outline: Outline(
        map: PageMap(geometry: header.geometry, pageCount: store.pageCount), schema: Schema(),
        carver: Carver(
          geometry: header.geometry, encoding: header.encoding, shapes: [],
          pageCount: store.pageCount),
        fullTextTrees: [:]))
    readOutline()
  }

  /// A database whose outline another reading of the same file made.
  package init(_ store: any PageStore, header: DatabaseHeader, outline: Outline) {
    self.header = header
    geometry = header.geometry
    encoding = header.encoding
    pages = PageCache(store)
    lone =
      store.pageCount > PageMap.mostPagesReadTwice
      ? PageCache(store, windowSize: header.geometry.pageSize) : pages
    map = outline.map
    schema = outline.schema
    carver = outline.carver
    fullTextTrees = outline.fullTextTrees
  }

  private func readOutline() {
    let store = pages.store
    if store.pageCount > PageMap.mostPages {
      map.report(PageMap.mostPages, "pages after \(PageMap.mostPages) are not mapped")
    }
    if header.pageCount != 0, header.validFor == header.changeCounter {
      if header.pageCount > store.pageCount {
        map.report(
          0, "the header states \(header.pageCount) pages, the file has \(store.pageCount)")
      } else {
        map.cut(after: header.pageCount)
      }
    }
    guard header.geometry.hasFileHeader else { return }
    if header.isAutoVacuum { map.claimPointerMaps() }
    map.claimFreelist(from: header.freelistHead, stated: header.freelistCount, in: pages)
    map.claimTree(1, root: 1, in: lone)
    readSchema()
  }

  /// What the page is. Asked of the map itself, from another module, that would be copied.
  package func role(of page: UInt32) -> PageRole { map.role(of: page) }

  /// The number of the tree that the page belongs to, 0 where it belongs to none.
  package func tree(of page: UInt32) -> Int { map.tree(of: page) }

  /// Whether there are pages that nothing points to, as far as was read.
  package var hasOrphans: Bool { map.hasOrphans }

  private func readSchema() {
    let leaves = (1...max(1, map.pageCount)).filter {
      map.tree(of: $0) == 1 && map.role(of: $0) == .tableLeaf
    }
    carver = Carver(
      geometry: geometry, encoding: header.encoding, shapes: Array(schema.shapes.prefix(1)),
      pageCount: map.pageCount)
    for page in leaves { readSchemaRows(of: page) }
    let liveCount = schema.entries.count
    for tree in 1..<max(1, liveCount) where schema.entries[tree].root != 0 {
      map.claimTree(tree + 1, root: schema.entries[tree].root, in: lone)
      checkRoot(of: schema.entries[tree])
    }
    for page in leaves { readDroppedRows(of: page) }
    schema.nameIndexColumns()
    if schema.entries.contains(where: { $0.definition?.module?.hasPrefix("fts") == true }) {
      for tree in 1...min(schema.entries.count, 4000) {
        fullTextTrees[tree] = schema.fullText(ofTree: tree)
      }
    }
    for tree in liveCount..<max(liveCount, schema.entries.count) {
      map.attributeFreed(tree + 1, root: schema.entries[tree].root, in: lone)
    }
    var shapes = Array(schema.shapes.prefix(400))
    for index in shapes.indices { shapes[index].seen = typesSeen(inTree: shapes[index].tree) }
    carver = Carver(
      geometry: geometry, encoding: header.encoding, shapes: shapes, pageCount: map.pageCount)
  }

  /// A rowid table has a tree of tables, all else one of indexes.
  private func checkRoot(of entry: Schema.Entry) {
    let role = map.role(of: entry.root)
    guard role.isTree, entry.definition != nil || entry.kind == .index else { return }
    let isTable = role == .tableLeaf || role == .tableInterior
    if isTable != entry.isRowidTable {
      map.report(entry.root, "the root of \(entry.name) is of the wrong kind: \(role.name)")
    }
  }

  /// Types of the first values of the records on a tree's first leaf.
  private func typesSeen(inTree tree: Int) -> [Set<UInt64>] {
    guard let entry = schema.entry(ofTree: tree), !entry.isDropped else { return [] }
    var page = entry.root
    for _ in 0..<24 {
      guard map.tree(of: page) == tree, let child = map.children(of: page, in: pages).first else {
        break
      }
      page = child
    }
    guard map.tree(of: page) == tree else { return [] }
    var seen: [Set<UInt64>] = [[], []]
    for record in liveRecords(of: page).prefix(64) {
      for (index, value) in record.carved.record.values.prefix(2).enumerated() {
        seen[index].insert(value.type.rawValue)
      }
    }
    return seen
  }

  private func readSchemaRows(of page: UInt32) {
    for record in liveRecords(of: page) {
      let payload = self.payload(of: record.carved, page: page, limit: 1 << 20, isLive: true)
      addSchemaRow(record.carved.record, payload: payload, isDropped: false)
    }
  }

  private func readDroppedRows(of page: UInt32) {
    let found =
      pages.withPage(page) { bytes in
        self.records(in: bytes, page: page, role: .tableLeaf, tree: 1).filter { !$0.isLive }
      } ?? []
    for record in found where record.carved.confidence > 0.3 && !record.carved.isCutOff {
      let payload = self.payload(of: record.carved, page: page, limit: 1 << 20, isLive: false)
      addSchemaRow(record.carved.record, payload: payload, isDropped: true)
    }
  }

  private func addSchemaRow(_ record: Record, payload: Payload, isDropped: Bool) {
    guard record.values.count == 5, schema.entries.count < Self.mostEntries else { return }
    let bytes = unsafe payload.bytes.span.bytes
    let texts = record.values.map { $0.text(in: bytes, encoding: header.encoding) ?? "" }
    let root = UInt32(clamping: record.values[3].integer(in: bytes) ?? 0)
    guard texts[0] == "table" || texts[0] == "index" || !isDropped else {
      return
    }
    if isDropped {
      let isKnown = schema.entries.contains { $0.name == texts[1] && $0.sql == texts[4] }
      guard !isKnown else { return }
    }
    schema.add(
      type: texts[0], name: texts[1], table: texts[2], root: root, sql: texts[4],
      isDropped: isDropped)
  }

  /// Follows the overflow chains of all live cells, each page read once and by itself: for views of a log,
  /// in which a chain may start in the database file and go on in the log.
  package func claimChains() {
    var chains: [(first: UInt32, count: Int)] = []
    for page in 1...max(1, map.pageCount) where map.role(of: page).isTree {
      chains.removeAll(keepingCapacity: true)
      _ = lone.withPage(page) { addChains(of: $0, page: page, to: &chains) }
      for chain in chains {
        _ = map.claimChain(
          from: chain.first, count: chain.count, tree: map.tree(of: page), owner: page, in: lone)
      }
    }
  }

  /// The overflow chains that the cells of a page start.
  private func addChains(
    of bytes: RawSpan, page: UInt32, to chains: inout [(first: UInt32, count: Int)]
  ) {
    guard let header = BTreePage(parsing: bytes, headerOffset: geometry.headerOffset(of: page)),
      header.kind != .tableInterior
    else { return }
    for index in 0..<min(header.cellCount, geometry.pageSize / 2) {
      guard let offset = header.cellOffset(index, in: bytes),
        let cell = Cell(parsing: bytes, at: offset, kind: header.kind, geometry: geometry),
        cell.overflow != 0, let record = bytes.length(at: cell.payloadOffset),
        record.value >= record.count, record.value <= cell.payloadCount
      else { continue }
      let left = cell.payloadCount - cell.localCount
      chains.append(
        (cell.overflow, (left + geometry.overflowCapacity - 1) / geometry.overflowCapacity))
    }
  }

  /// The live cells of a leaf page, read from the store.
  package func liveRecords(of page: UInt32) -> [FoundRecord] {
    pages.withPage(page) { bytes in
      guard
        let header = BTreePage(parsing: bytes, headerOffset: geometry.headerOffset(of: page))
      else { return [] }
      return liveRecords(in: bytes, header: header, tree: map.tree(of: page))
    } ?? []
  }
}

extension Database {
  /// Where the row with this rowid lies in a rowid table, found as SQLite finds it.
  package func row(_ rowid: Int64, tree: Int) -> RowPlace? {
    guard let entry = schema.entry(ofTree: tree), entry.isRowidTable, !entry.isDropped else {
      return nil
    }
    var page = entry.root
    for _ in 0..<24 {
      let step = pages.withPage(page) { search(rowid, in: $0, page: page) }
      switch step {
      case .found(let cell): return RowPlace(page: page, cell: cell, rowid: rowid)
      case .child(let child): page = child
      case .missing, nil: return nil
      }
    }
    return nil
  }

  private enum SearchStep {
    case found(Int)
    case child(UInt32)
    case missing
  }

  private func search(_ rowid: Int64, in bytes: RawSpan, page: UInt32) -> SearchStep {
    guard
      let header = BTreePage(parsing: bytes, headerOffset: geometry.headerOffset(of: page)),
      header.kind.isTable
    else { return .missing }
    var lower = 0
    var upper = min(header.cellCount, geometry.pageSize / 2)
    while lower < upper {
      let middle = (lower + upper) / 2
      guard let offset = header.cellOffset(middle, in: bytes),
        let cell = Cell(parsing: bytes, at: offset, kind: header.kind, geometry: geometry),
        let key = cell.rowid
      else { return .missing }
      if key == rowid, header.kind.isLeaf { return .found(middle) }
      if key < rowid { lower = middle + 1 } else { upper = middle }
    }
    guard !header.kind.isLeaf else { return .missing }
    if let offset = header.cellOffset(lower, in: bytes) { return .child(bytes.word(at: offset)) }
    return .child(header.rightChild)
  }

  /// The live row that a carved record is a copy of: b-tree rebalancing and page defragmenting
  /// leave copies of rows that were never deleted.
  package func liveCopy(of carved: CarvedRecord, in bytes: RawSpan) -> RowPlace? {
    guard !carved.isCutOff else { return nil }
    let body = carved.bodyRange
    guard body.count > 0, let hash = Self.hash(bytes.clamped(to: body)) else { return nil }
    if map.pageCount <= 4096 {
      guard let place = bodies()[hash] else { return nil }
      if let one = carved.rowid, let other = place.rowid, one != other, body.count < 8 {
        return nil
      }
      return place
    }
    guard let rowid = carved.rowid, let place = row(rowid, tree: carved.tree) else { return nil }
    let live = liveRecords(of: place.page).first { $0.region == .cell(place.cell) }
    guard let live else { return nil }
    let equal = pages.withPage(place.page) {
      Self.hash($0.clamped(to: live.carved.bodyRange)) == hash
    }
    return equal == true ? place : nil
  }

  private func bodies() -> [UInt64: RowPlace] {
    if let liveBodies { return liveBodies }
    var all: [UInt64: RowPlace] = [:]
    for page in 1...max(1, map.pageCount) where map.role(of: page).isTree {
      for record in liveRecords(of: page) {
        guard case .cell(let cell) = record.region else { continue }
        let hash = pages.withPage(page) { Self.hash($0.clamped(to: record.carved.bodyRange)) }
        guard let hash = hash ?? nil else { continue }
        all[hash] = RowPlace(page: page, cell: cell, rowid: record.carved.rowid)
      }
    }
    liveBodies = all
    return all
  }

  /// FNV-1a in steps of eight bytes; nothing for bodies too short to say anything.
  private static func hash(_ bytes: RawSpan) -> UInt64? {
    guard bytes.byteCount >= 3 else { return nil }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ word: UInt64) {
      hash = (hash ^ word) &* 0x100_0000_01b3
      // What a product carries upwards has to come down again.
      hash ^= hash >> 32
    }
    var offset = 0
    while offset + 8 <= bytes.byteCount {
      add(unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    while let byte = bytes[at: offset] {
      add(UInt64(byte))
      offset += 1
    }
    return hash
  }
}

extension CarvedRecord {
  /// The values' bytes in the page, without the header.
  package var bodyRange: Range<Int> {
    let lower = payloadOffset + record.headerCount
    let upper = payloadOffset + localCount
    return min(lower, upper)..<upper
  }
}
