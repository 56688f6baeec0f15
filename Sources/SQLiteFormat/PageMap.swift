import Bytes

/// What every page of a database is, which tree it belongs to and what points to it, in a few bytes
/// a page. Built from the freelist and the interior pages; leaves and overflow chains are added by
/// whoever reads them.
package struct PageMap: Sendable {
  /// Pages beyond this many are not mapped (32 GiB at 4096 bytes); the reader says so.
  package static let mostPages: UInt32 = 8_388_608

  package let geometry: PageGeometry
  package let pageCount: UInt32
  private var roles: [UInt8]
  private var trees: [UInt16]
  private var parents: [UInt32]
  /// What did not fit together, the first hundred.
  package private(set) var faults: [StructureFault] = []
  /// More faults than are listed.
  package private(set) var faultCount = 0

  package init(geometry: PageGeometry, pageCount: UInt32) {
    self.geometry = geometry
    self.pageCount = min(pageCount, Self.mostPages)
    let count = Int(self.pageCount) + 1
    roles = [UInt8](repeating: PageRole.orphan.rawValue, count: count)
    trees = [UInt16](repeating: 0, count: count)
    parents = [UInt32](repeating: 0, count: count)
    if geometry.lockPage <= self.pageCount {
      roles[Int(geometry.lockPage)] = PageRole.lock.rawValue
    }
  }

  /// What the page is; pages outside the map are beyond the end.
  package func role(of page: UInt32) -> PageRole {
    guard page >= 1, page <= pageCount else { return .beyondEnd }
    return PageRole(rawValue: roles[Int(page)]) ?? .orphan
  }

  /// The number of the tree, from 1 as they were claimed; 0 where the page belongs to none.
  package func tree(of page: UInt32) -> Int {
    page >= 1 && page <= pageCount ? Int(trees[Int(page)]) : 0
  }

  /// The page that points to this one: the interior page above, the page before in an overflow
  /// chain, the leaf that a chain starts from, the trunk that names a free page.
  package func parent(of page: UInt32) -> UInt32 {
    page >= 1 && page <= pageCount ? parents[Int(page)] : 0
  }

  /// Whether there are pages that nothing points to, as far as was read.
  var hasOrphans: Bool { roles.dropFirst().contains(PageRole.orphan.rawValue) }

  /// How many pages have each role.
  package func counts() -> [PageRole: Int] {
    var counts: [PageRole: Int] = [:]
    for page in 1..<max(1, roles.count) {
      counts[PageRole(rawValue: roles[page]) ?? .orphan, default: 0] += 1
    }
    return counts
  }

  package mutating func report(_ page: UInt32, _ message: String) {
    faultCount += 1
    if faults.count < 100 { faults.append(StructureFault(page: page, message)) }
  }

  /// Gives a page that has no role yet one; false where it has one already or is not there.
  package mutating func claim(
    _ page: UInt32, as role: PageRole, tree: Int = 0, parent: UInt32 = 0
  ) -> Bool {
    guard page >= 1, page <= pageCount, roles[Int(page)] == PageRole.orphan.rawValue else {
      return false
    }
    roles[Int(page)] = role.rawValue
    trees[Int(page)] = UInt16(clamping: tree)
    parents[Int(page)] = parent
    return true
  }

  /// Corrects the role of a page that turned out to be something else than it was taken for.
  package mutating func correct(_ page: UInt32, to role: PageRole) {
    guard page >= 1, page <= pageCount else { return }
    roles[Int(page)] = role.rawValue
  }

  /// Says which tree a free page belonged to before it was freed.
  package mutating func attribute(_ page: UInt32, to tree: Int, parent: UInt32) {
    guard page >= 1, page <= pageCount, trees[Int(page)] == 0 else { return }
    trees[Int(page)] = UInt16(clamping: tree)
    if parents[Int(page)] == 0 { parents[Int(page)] = parent }
  }

  /// Marks pages past the size in the header.
  package mutating func cut(after count: UInt32) {
    guard count < pageCount else { return }
    for page in (count + 1)...pageCount {
      _ = claim(page, as: .beyondEnd)
    }
  }

  /// Marks the pointer-map pages of an auto-vacuum database.
  package mutating func claimPointerMaps() {
    var page: UInt32 = 2
    while page <= pageCount {
      let map = geometry.pointerMapPage(for: page)
      _ = claim(map, as: .pointerMap)
      let (next, overflows) = page.addingReportingOverflow(UInt32(geometry.usable / 5) + 1)
      guard !overflows else { return }
      page = next
    }
  }

  /// Follows the freelist: every page once, so that a cycle ends (§1.5). Gives the free pages in the
  /// order in which the list names them as a number only.
  package mutating func claimFreelist(from head: UInt32, stated: UInt32, in pages: PageCache) {
    var trunk = head
    var found: UInt32 = 0
    var previous: UInt32 = 0
    while trunk != 0 {
      guard claim(trunk, as: .freelistTrunk, parent: previous) else {
        report(trunk, "the freelist names page \(trunk), which is in use or does not exist")
        break
      }
      found += 1
      guard
        let read = pages.withPage(trunk, { FreelistTrunk(parsing: $0, geometry: geometry) })
      else {
        report(trunk, "freelist trunk page \(trunk) is not there")
        break
      }
      if !read.isIntact {
        report(trunk, "freelist trunk \(trunk) states \(read.storedCount) leaves: too many")
      }
      var refused: [UInt32] = []
      for leaf in read.leaves {
        if claim(leaf, as: .freelistLeaf, parent: trunk) {
          found += 1
        } else {
          refused.append(leaf)
        }
      }
      if let first = refused.first {
        report(
          trunk,
          "freelist trunk \(trunk) names \(refused.count) pages in use or not there, page \(first) "
            + "among them")
      }
      previous = trunk
      trunk = read.next
    }
    if found != stated {
      report(0, "the header states \(stated) free pages, the freelist has \(found)")
    }
  }

  /// Claims an overflow chain page by page; gives the pages as far as the chain can be followed.
  package mutating func claimChain(
    from first: UInt32, count: Int, tree: Int, owner: UInt32, in pages: PageCache
  ) -> [UInt32] {
    var chain: [UInt32] = []
    var page = first
    var parent = owner
    while page != 0, chain.count < count {
      guard claim(page, as: .overflow, tree: tree, parent: parent) else {
        report(owner, "an overflow chain runs into page \(page), in use or not there")
        return chain
      }
      chain.append(page)
      parent = page
      guard let next = pages.withPage(page, { $0.word(at: 0) }) else { return chain }
      page = next
    }
    if page != 0, chain.count == count {
      report(owner, "an overflow chain goes on at page \(page) after its payload has ended")
    }
    if chain.count < count { report(owner, "an overflow chain from page \(first) is too short") }
    return chain
  }
}
