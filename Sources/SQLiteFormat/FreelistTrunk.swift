import Bytes

/// A page of the freelist that names other free pages (SQLite file format, §1.5).
///
///     offset  size  field
///          0     4  next trunk page
///          4     4  leaf pages named here
///          8   4*n  their numbers; what follows is left over from before
package struct FreelistTrunk: Equatable, Sendable {
  package var next: UInt32
  /// As stored; never trusted.
  package var storedCount: UInt32
  package var leaves: [UInt32]

  /// More leaf numbers than a page holds are damage: as many as fit are read.
  package init(parsing page: RawSpan, geometry: PageGeometry) {
    next = page.word(at: 0)
    storedCount = page.word(at: 4)
    let room = (min(geometry.usable, page.byteCount) - 8) / 4
    leaves = []
    for index in 0..<max(0, min(Int(storedCount), room)) {
      leaves.append(page.word(at: 8 + 4 * index))
    }
  }

  /// Bytes at the start of the page that the freelist has written over.
  package var overwritten: Int { 8 + 4 * leaves.count }

  package var isIntact: Bool { Int(storedCount) == leaves.count }
}

/// An entry of a pointer-map page: what an auto-vacuum database knows of a page's parent (§1.8).
package struct PointerMapEntry: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    case root = 1
    case free = 2
    case firstOverflow = 3
    case laterOverflow = 4
    case btree = 5
  }

  package var kind: Kind
  package var parent: UInt32

  /// The entry for `page`, read from its pointer-map page.
  package init?(parsing map: RawSpan, for page: UInt32, geometry: PageGeometry) {
    let first = geometry.pointerMapPage(for: page)
    guard page > first else { return nil }
    let offset = Int(page - first - 1) * 5
    guard offset <= geometry.usable - 5, let type = map[at: offset],
      let kind = Kind(rawValue: type)
    else { return nil }
    self.kind = kind
    parent = map.word(at: offset + 1)
  }
}
