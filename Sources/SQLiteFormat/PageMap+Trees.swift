import Bytes

extension PageMap {
  /// Up to this many pages every page of a tree is read while it is mapped; in larger files the
  /// children of the lowest interior pages are taken for leaves, which whoever reads them verifies.
  static let mostPagesReadTwice: UInt32 = 4096

  /// Claims the pages of the tree under `root`: interior pages are read, leaves in small files too.
  /// No page is claimed twice, so the walk ends; nothing is recursive, so depth costs no stack.
  package mutating func claimTree(_ tree: Int, root: UInt32, in pages: PageCache) {
    var waiting: [(page: UInt32, parent: UInt32)] = [(root, 0)]
    while let next = waiting.popLast() {
      guard let kind = claimTreePage(next.page, tree: tree, parent: next.parent, in: pages),
        !kind.isLeaf
      else { continue }
      let children = self.children(of: next.page, in: pages)
      if pageCount > Self.mostPagesReadTwice, let first = children.first,
        pages.withPage(first, { self.kind(of: $0, page: first) })??.isLeaf == true
      {
        for child in children {
          if !claim(
            child, as: kind.isTable ? .tableLeaf : .indexLeaf, tree: tree, parent: next.page)
          {
            report(next.page, "page \(next.page) points to page \(child), in use or not there")
          }
        }
      } else {
        for child in children.reversed() { waiting.append((child, next.page)) }
      }
    }
  }

  private mutating func claimTreePage(
    _ page: UInt32, tree: Int, parent: UInt32, in pages: PageCache
  ) -> BTreePage.Kind? {
    guard page >= 1, page <= pageCount else {
      report(parent, "tree \(tree) points to page \(page), which does not exist")
      return nil
    }
    guard let kind = pages.withPage(page, { self.kind(of: $0, page: page) }) ?? nil else {
      report(page, "page \(page) of a tree is no b-tree page")
      return nil
    }
    guard claim(page, as: PageRole(kind), tree: tree, parent: parent) else {
      report(parent, "page \(parent) points to page \(page), which is in use")
      return nil
    }
    return kind
  }

  private func kind(of bytes: RawSpan, page: UInt32) -> BTreePage.Kind? {
    BTreePage(parsing: bytes, headerOffset: geometry.headerOffset(of: page))?.kind
  }

  /// The children of an interior page, in key order.
  package func children(of page: UInt32, in pages: PageCache) -> [UInt32] {
    pages.withPage(page) { bytes in
      guard
        let header = BTreePage(parsing: bytes, headerOffset: geometry.headerOffset(of: page)),
        !header.kind.isLeaf
      else { return [] }
      var children: [UInt32] = []
      let most = min(header.cellCount, (geometry.pageSize - header.cellArray) / 2)
      children.reserveCapacity(most + 1)
      for index in 0..<max(0, most) {
        guard let offset = header.cellOffset(index, in: bytes) else { continue }
        children.append(bytes.word(at: offset))
      }
      children.append(header.rightChild)
      return children
    } ?? []
  }

  /// Says which tree free pages belonged to, as far as the pages under a freed root still tell.
  package mutating func attributeFreed(_ tree: Int, root: UInt32, in pages: PageCache) {
    var waiting: [(page: UInt32, parent: UInt32)] = [(root, 0)]
    var budget = Int(pageCount)
    while let next = waiting.popLast(), budget > 0 {
      budget -= 1
      let role = role(of: next.page)
      guard role == .freelistLeaf || role == .freelistTrunk || role == .orphan,
        self.tree(of: next.page) == 0
      else { continue }
      attribute(next.page, to: tree, parent: next.parent)
      guard role != .freelistTrunk,
        pages.withPage(next.page, { self.kind(of: $0, page: next.page) })??.isLeaf == false
      else { continue }
      for child in children(of: next.page, in: pages) { waiting.append((child, next.page)) }
    }
  }
}
