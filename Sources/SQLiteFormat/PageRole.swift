/// What a page of a database is for.
package enum PageRole: UInt8, CaseIterable, Sendable {
  /// Nothing points to it: left over from damage or from a freelist that lost it.
  case orphan
  case tableLeaf
  case tableInterior
  case indexLeaf
  case indexInterior
  case overflow
  case freelistTrunk
  case freelistLeaf
  case pointerMap
  case lock
  /// Past the size that the header states.
  case beyondEnd

  /// The name in reports.
  package var name: String {
    switch self {
    case .orphan: "orphan"
    case .tableLeaf: "table-leaf"
    case .tableInterior: "table-interior"
    case .indexLeaf: "index-leaf"
    case .indexInterior: "index-interior"
    case .overflow: "overflow"
    case .freelistTrunk: "freelist-trunk"
    case .freelistLeaf: "freelist-leaf"
    case .pointerMap: "ptrmap"
    case .lock: "lock"
    // Nothing points to such a page either; its locator says where it lies.
    case .beyondEnd: "orphan"
    }
  }

  /// Whether the page belongs to a b-tree.
  package var isTree: Bool {
    switch self {
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior: true
    case .orphan, .overflow, .freelistTrunk, .freelistLeaf, .pointerMap, .lock, .beyondEnd: false
    }
  }

  /// Whether what the page holds is part of the current content.
  package var isLive: Bool {
    switch self {
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior, .overflow, .pointerMap: true
    case .orphan, .freelistTrunk, .freelistLeaf, .lock, .beyondEnd: false
    }
  }

  package init(_ kind: BTreePage.Kind) {
    switch kind {
    case .tableLeaf: self = .tableLeaf
    case .tableInterior: self = .tableInterior
    case .indexLeaf: self = .indexLeaf
    case .indexInterior: self = .indexInterior
    }
  }
}

/// Something in a database's structure that cannot be as it is.
package struct StructureFault: Equatable, Sendable {
  package var page: UInt32
  package var message: String

  package init(page: UInt32, _ message: String) {
    self.page = page
    self.message = message
  }
}
