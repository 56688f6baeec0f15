package import Bytes

/// What a database holds, page by page: where something could still lie, and how much of it.
package struct DatabaseInspection {
  /// One page of the file.
  package struct Page: Equatable, Sendable {
    package var number: UInt32
    package var role: PageRole
    /// Number of the tree that the page belongs or belonged to, 0 where unknown.
    package var tree: Int
    /// Bytes that are part of the content.
    package var liveBytes: Int
    /// Bytes that are not zero and that nothing live uses.
    package var deadBytes: Int
    package var freeblocks: Int
    package var gapBytes: Int
    /// Shannon entropy in bits a byte.
    package var entropy: Double
    /// Cells of a b-tree page.
    package var cells = 0
  }

  /// Pages beyond this many are not measured; `isCutOff` says so.
  package static let mostPages: UInt32 = 2_097_152

  package let header: DatabaseHeader
  package let database: Database
  package private(set) var pages: [Page] = []
  /// Rows or entries of each tree, by its number.
  package private(set) var rowCounts: [Int: Int] = [:]
  package private(set) var isCutOff = false
  /// Bytes after the last whole page.
  package let trailing: Int

  package var faults: [StructureFault] { database.map.faults }
  package func count(of role: PageRole) -> Int { pages.count { $0.role == role } }
  package var freeblocks: Int { pages.reduce(0) { $0 + $1.freeblocks } }
  package var gapBytes: Int { pages.reduce(0) { $0 + $1.gapBytes } }

  /// Rows of all tables; those of the schema itself are left out.
  package var liveRows: Int {
    database.schema.entries.enumerated().reduce(0) { sum, entry in
      guard entry.offset > 0, entry.element.kind == .table else { return sum }
      return sum + (rowCounts[entry.offset + 1] ?? 0)
    }
  }

  package init(_ source: any ByteSource) throws(HeaderError) {
    let head = (try? source.bytes(at: 0, count: DatabaseHeader.byteCount)) ?? []
    let header = try DatabaseHeader(parsing: unsafe head.span.bytes)
    self.init(DatabaseFile(source: source, geometry: header.geometry), header: header)
  }

  /// Inspects pages wherever they come from: a file, what it decrypts to, a view through its log.
  package init(_ store: any PageStore, header: DatabaseHeader) {
    self.header = header
    database = Database(store, header: header)
    database.claimChains()
    let file = store as? DatabaseFile
    trailing =
      (file?.source.byteCount).map { $0 - Int(store.pageCount) * header.geometry.pageSize } ?? 0
    let last = min(database.map.pageCount, Self.mostPages)
    isCutOff = last < store.pageCount
    guard last > 0 else { return }
    for number in 1...last {
      guard let page = Self.page(number, of: database) else { continue }
      pages.append(page)
      let tree = page.tree
      // Entries of an index stand on interior pages too.
      if page.role.isTree, page.role != .tableInterior { rowCounts[tree, default: 0] += page.cells }
    }
  }

  /// Measures one page; nothing where it is not there whole.
  ///
  /// - Parameter isLone: whether the pages around it are not measured too.
  package static func page(
    _ number: UInt32, of database: Database, isLone: Bool = false
  ) -> Page? {
    if isLone {
      return database.pages.withLonePage(number) { page(number, $0, of: database) }
    }
    return database.pages.withPage(number) { page(number, $0, of: database) }
  }

  private static func page(
    _ number: UInt32, _ bytes: RawSpan, of database: Database
  ) -> Page {
    let role = database.map.role(of: number)
    let histogram = ByteHistogram(of: bytes)
    var page = Page(
      number: number, role: role, tree: database.map.tree(of: number), liveBytes: 0,
      deadBytes: 0, freeblocks: 0, gapBytes: 0, entropy: histogram.entropy)
    let start = database.geometry.headerOffset(of: number)
    guard role.isTree, let header = BTreePage(parsing: bytes, headerOffset: start) else {
      measure(&page, bytes, filled: histogram.total - histogram.counts[0], database.geometry)
      return page
    }
    page.cells = header.cellCount
    page.gapBytes = header.gap(geometry: database.geometry)?.count ?? 0
    var free = header.fragmentedBytes
    for (region, range) in database.freeRegions(in: bytes, header: header) {
      if region != .gap { page.freeblocks += 1 }
      free += range.count
      page.deadBytes += database.leftover(bytes, header: header, region: region, range: range)
    }
    page.liveBytes = max(0, bytes.byteCount - free)
    return page
  }

  /// A page that is no tree's: live as a whole, or what the freelist has not written over.
  private static func measure(
    _ page: inout Page, _ bytes: RawSpan, filled: Int, _ geometry: PageGeometry
  ) {
    if page.role == .freelistTrunk {
      let trunk = FreelistTrunk(parsing: bytes, geometry: geometry)
      let left = ByteHistogram(of: bytes.clamped(to: trunk.overwritten..<bytes.byteCount))
      page.deadBytes = left.total - left.counts[0]
    } else if page.role.isLive {
      page.liveBytes = bytes.byteCount
    } else {
      page.deadBytes = filled
    }
  }
}
