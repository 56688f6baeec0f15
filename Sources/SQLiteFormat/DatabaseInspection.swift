package import Bytes

/// What a database holds, page by page: where something could still lie, and how much of it.
package struct DatabaseInspection: Sendable {
  /// One page of the file.
  package struct Page: Equatable, Sendable {
    package var number: UInt32
    package var role: PageRole
    /// Name of the table or index, where the page belongs or belonged to one.
    package var owner: String?
    /// Bytes that are part of the content.
    package var liveBytes: Int
    /// Bytes that are not zero and that nothing live uses.
    package var deadBytes: Int
    package var freeblocks: Int
    package var gapBytes: Int
    /// Shannon entropy in bits a byte.
    package var entropy: Double
  }

  package var header: DatabaseHeader
  package var pages: [Page] = []
  package var tables: [(name: String, kind: Schema.Entry.Kind, isDropped: Bool, root: UInt32)] = []
  package var liveRows = 0
  package var faults: [StructureFault] = []
  /// Bytes after the last whole page.
  package var trailing = 0

  package func count(of role: PageRole) -> Int { pages.count { $0.role == role } }
  package var freeblocks: Int { pages.reduce(0) { $0 + $1.freeblocks } }
  package var gapBytes: Int { pages.reduce(0) { $0 + $1.gapBytes } }

  package init(_ source: any ByteSource) throws(HeaderError) {
    let head = (try? source.bytes(at: 0, count: DatabaseHeader.byteCount)) ?? []
    header = try DatabaseHeader(parsing: unsafe head.span.bytes)
    let store = DatabaseFile(source: source, geometry: header.geometry)
    let database = Database(store, header: header)
    database.claimChains()
    trailing = source.byteCount - Int(store.pageCount) * header.geometry.pageSize
    tables = database.schema.entries.map { ($0.name, $0.kind, $0.isDropped, $0.root) }
    for number in 1...max(1, database.map.pageCount) {
      let page = database.pages.withPage(number) { bytes in
        Self.page(number, bytes, database, liveRows: &liveRows)
      }
      if let page { pages.append(page) }
    }
    faults = database.map.faults
  }

  private static func page(
    _ number: UInt32, _ bytes: RawSpan, _ database: Database, liveRows: inout Int
  ) -> Page {
    let role = database.map.role(of: number)
    let tree = database.map.tree(of: number)
    let histogram = ByteHistogram(of: bytes)
    var page = Page(
      number: number, role: role, owner: database.schema.entry(ofTree: tree)?.name, liveBytes: 0,
      deadBytes: 0, freeblocks: 0, gapBytes: 0, entropy: histogram.entropy)
    let start = database.geometry.headerOffset(of: number)
    guard role.isTree, let header = BTreePage(parsing: bytes, headerOffset: start) else {
      let filled = histogram.total - histogram.counts[0]
      if role.isLive { page.liveBytes = bytes.byteCount } else { page.deadBytes = filled }
      return page
    }
    if role == .tableLeaf, tree > 1 { liveRows += header.cellCount }
    page.gapBytes = header.gap(geometry: database.geometry)?.count ?? 0
    var free = header.fragmentedBytes
    for (region, range) in database.freeRegions(in: bytes, header: header) {
      if region != .gap { page.freeblocks += 1 }
      free += range.count
      let content = ByteHistogram(of: bytes.clamped(to: range))
      page.deadBytes += content.total - content.counts[0]
    }
    page.liveBytes = max(0, bytes.byteCount - free)
    return page
  }
}
