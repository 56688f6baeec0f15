import Findings
import SQLiteFormat

/// One stored version of a database page: in the main file, in a frame of a log, in a journal.
struct PageImage {
  var page: UInt32
  var role: PageRole
  /// Number of the tree the page belongs or belonged to, 0 where unknown.
  var tree: Int
  /// Steps of the locator, the page included.
  var steps: [String]
  /// Where the image starts in the source; nothing where it shows in none (decrypted).
  var source: Int?
  /// What the page's own content is worth.
  var liveness: Liveness
  var frame: Int?

  /// The range of the source that a range of the page is.
  func sourceRange(_ range: Range<Int>) -> Range<Int>? {
    source.map { $0 + range.lowerBound..<$0 + range.upperBound }
  }

  /// What a record or region of the page is worth: deleted in a page that is current, otherwise what
  /// the page is worth.
  func liveness(ofLive isLive: Bool) -> Liveness {
    isLive || liveness != .live ? liveness : .deleted
  }
}

extension PageImage {
  /// Whether the page is, as a whole, no part of the content.
  var isFreed: Bool {
    switch role {
    case .orphan, .freelistTrunk, .freelistLeaf, .beyondEnd: true
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior, .overflow, .pointerMap, .lock:
      false
    }
  }

  /// The image of a page in the file it belongs to.
  init(page: UInt32, of database: Database, prefix: [String], source: Int?) {
    role = database.role(of: page)
    self.page = page
    tree = database.tree(of: page)
    steps = prefix + ["page", String(page)]
    self.source = source
    liveness = .live
    switch role {
    case .freelistTrunk, .freelistLeaf: steps.append("freelist")
    case .orphan: steps.append("orphan")
    case .beyondEnd: steps.append("beyond-end")
    case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior, .overflow, .pointerMap, .lock:
      break
    }
  }

  /// The place of a part of the page that is no record.
  func place(of range: Range<Int>, region: PageRegion, in database: Database) -> Place {
    var context = Context()
    context.page = Int(page)
    context.frame = frame
    context.table = database.schema.entry(ofTree: tree)?.table
    context.role = region.roleName ?? role.name
    var worth: Liveness
    switch region {
    case .gap, .freeblock, .fragment: worth = liveness(ofLive: false)
    case .reserved: worth = .slack
    case .fileHeader, .pageHeader, .cellArray, .cell, .content, .links:
      worth = liveness(ofLive: !isFreed)
    }
    if role == .lock { worth = .slack }
    let pieces = sourceRange(range).map {
      [Piece(offset: 0, source: $0.lowerBound, count: $0.count)]
    }
    return Place(
      steps: steps + region.steps, liveness: worth, context: context,
      origin: pieces.map(Origin.pieces) ?? .transformed)
  }
}

extension PageRegion {
  /// The role that a region has apart from its page's.
  var roleName: String? {
    switch self {
    case .gap: "gap"
    case .freeblock: "freeblock"
    case .fragment: "fragment"
    case .reserved: "reserved"
    case .fileHeader, .pageHeader, .cellArray, .cell, .content, .links: nil
    }
  }
}
