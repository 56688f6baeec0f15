import Bytes

/// Finds records in bytes that no live structure points to: gaps, freeblocks, freed pages.
///
/// Deleting a cell writes a freeblock header over its first four bytes (`freeSpace` in btree.c), or
/// leaves it whole where the gap or a freeblock before it simply grows. What the four bytes held
/// (payload size, rowid, header size, often the first type) is worked out from the shape of the
/// table, the types that are left, and the size of the freeblock.
package struct Carver: Sendable {
  package let geometry: PageGeometry
  package let encoding: TextEncoding
  package private(set) var shapes: [RecordShape]

  /// Pages of the file: no chain leads out of it, no payload is longer.
  package let pageCount: UInt32

  package init(
    geometry: PageGeometry, encoding: TextEncoding, shapes: [RecordShape], pageCount: UInt32
  ) {
    self.geometry = geometry
    self.encoding = encoding
    self.shapes = shapes
    self.pageCount = pageCount
  }

  /// Whether a record may go on in overflow pages as it says.
  func mayOverflow(_ count: Int, to page: UInt32) -> Bool {
    page >= 2 && page <= pageCount
      && count / geometry.overflowCapacity < Int(pageCount)
  }

  /// What a carver is told about the bytes it looks at.
  package struct Place {
    package var range: Range<Int>
    /// A freeblock header lies over the start.
    package var isFreeblock: Bool
    /// Whether the page held rows of a table; nothing where it cannot be told.
    package var isTable: Bool?
    /// The tree that the page belongs or belonged to, 0 where unknown.
    package var tree: Int
    /// Only records are wanted that went on in overflow pages: what raw bytes cannot show.
    package var onlySpilled: Bool

    package init(
      _ range: Range<Int>, isFreeblock: Bool, isTable: Bool?, tree: Int, onlySpilled: Bool = false
    ) {
      self.range = range
      self.isFreeblock = isFreeblock
      self.isTable = isTable
      self.tree = tree
      self.onlySpilled = onlySpilled
    }
  }

  /// The records in a stretch of a page, in order, none overlapping another. Where no live record
  /// says what the first types of a table are, the whole records among the deleted ones do.
  package func records(in page: RawSpan, at place: Place) -> [CarvedRecord] {
    let found = pass(over: page, at: place)
    if place.onlySpilled { return found.filter { $0.overflow != 0 } }
    var taught = self
    var isTaught = false
    for index in shapes.indices where shapes[index].seen.allSatisfy(\.isEmpty) {
      let whole = found.filter { $0.tree == shapes[index].tree && $0.isWhole }
      guard !whole.isEmpty, whole.count < found.count else { continue }
      taught.shapes[index].seen = (0..<2).map { column in
        Set(whole.compactMap { $0.record.values.dropFirst(column).first?.type.rawValue })
      }
      isTaught = true
    }
    return isTaught ? taught.pass(over: page, at: place) : found
  }

  private static let mostTries = 20_000

  private func pass(over page: RawSpan, at place: Place) -> [CarvedRecord] {
    var found: [CarvedRecord] = []
    let end = min(place.range.upperBound, min(geometry.usable, page.byteCount))
    var offset = max(place.range.lowerBound, 0)
    // Inside a freeblock every cell may have lost its start.
    var blockEnd = place.isFreeblock ? end : offset
    var isCellStart = place.isFreeblock
    // Bytes can be made to look like a freeblock everywhere: each look costs one try a shape.
    var budget = Self.mostTries
    // No record that spills has less than that in its page (fileformat2 §1.6).
    let least = place.onlySpilled ? max(4, geometry.minLocal) : 4
    while end - offset >= least {
      let header = page.word(at: offset)
      if header == 0, !isCellStart {
        offset += 1
        continue
      }
      if let size = freeblockSize(header, at: offset) {
        blockEnd = max(blockEnd, offset + size)
        isCellStart = true
      }
      let mayStart =
        header >> 24 != 0 && (!place.onlySpilled || isLong(header, in: page, at: offset))
      var best = mayStart ? intact(in: page, at: offset, end: end, place: place) : nil
      if isCellStart { budget -= place.tree == 0 ? shapes.count : 1 }
      if isCellStart, budget > 0, min(blockEnd, end) - offset >= least,
        let record = damaged(in: page, at: offset, end: min(blockEnd, end), place: place),
        record.confidence > best?.confidence ?? 0,
        !hidesWholeCell(record, in: page, end: end, place: place)
      {
        best = record
      }
      offset = best?.range.upperBound ?? offset + 1
      isCellStart = best != nil && offset < blockEnd
      if let best { found.append(best) }
    }
    return found
  }

  /// Whether a payload size that would spill stands here: two bytes at least.
  private func isLong(_ header: UInt32, in page: RawSpan, at offset: Int) -> Bool {
    guard header >> 31 != 0, let size = page.varint(at: offset) else { return false }
    return size.value > UInt64(geometry.maxLocal(isTable: false))
  }

  /// Bytes before a whole cell can look like the header of a freeblock that lies over it.
  private func hidesWholeCell(
    _ record: CarvedRecord, in page: RawSpan, end: Int, place: Place
  ) -> Bool {
    let start = record.range.lowerBound
    return (start + 1...start + 8).contains { offset in
      guard let whole = intact(in: page, at: offset, end: end, place: place) else { return false }
      return whole.confidence > record.confidence && whole.tree == record.tree
    }
  }

  /// The size that a freeblock header states: a freeblock that was swallowed by the gap or by another
  /// one keeps its header.
  private func freeblockSize(_ header: UInt32, at offset: Int) -> Int? {
    let next = Int(header >> 16)
    let size = Int(header & 0xffff)
    guard size >= 8, size <= geometry.usable - offset,
      next == 0 || next >= offset + size && next <= geometry.usable - 4
    else { return nil }
    return size
  }

  /// A record whose cell is whole.
  func intact(
    in page: RawSpan, at offset: Int, end: Int, place: Place
  ) -> CarvedRecord? {
    var best: CarvedRecord?
    for isTable in [true, false] where place.isTable != !isTable {
      let kind: BTreePage.Kind = isTable ? .tableLeaf : .indexLeaf
      guard let size = page.length(at: offset), size.value >= 2,
        let cell = Cell(parsing: page, at: offset, kind: kind, geometry: geometry),
        cell.end <= end,
        cell.localCount == cell.payloadCount || mayOverflow(cell.payloadCount, to: cell.overflow)
      else { continue }
      let payload = page.clamped(to: cell.localRange)
      guard let record = Record(parsing: payload, payloadCount: cell.payloadCount),
        record.byteCount == cell.payloadCount, record.values.contains(where: { $0.count > 0 })
      else { continue }
      let (tree, confidence) = bestShape(
        for: record.values, isTable: isTable, tree: place.tree, isKnownPage: place.isTable != nil)
      guard confidence > 0,
        textIsClean(
          record, page, payloadOffset: cell.payloadOffset, end: cell.localRange.upperBound)
      else { continue }
      if confidence > best?.confidence ?? 0 {
        best = CarvedRecord(
          range: cell.range, payloadOffset: cell.payloadOffset, payloadCount: cell.payloadCount,
          localCount: cell.localCount, overflow: cell.overflow, rowid: cell.rowid, record: record,
          tree: tree, confidence: confidence, isCutOff: false, isWhole: true)
      }
    }
    return best
  }

  /// The tree whose shape fits best. Where several fit equally the confidence is shared; a record
  /// that fits none is believed where the page is known to hold such records, a little.
  func bestShape(
    for values: [RecordValue], isTable: Bool, tree: Int, isKnownPage: Bool
  ) -> (tree: Int, confidence: Double) {
    var best = 0.0
    var bestTree = 0
    var ties = 0
    for shape in shapes where shape.isIndex != isTable {
      let fit = shape.fit(values)
      guard fit > 0 else { continue }
      if shape.tree == tree { return (tree, fit) }
      if shape.isLoose, tree == 0, shape.columns.count != values.count { continue }
      if fit > best {
        best = fit
        bestTree = shape.tree
        ties = 1
      } else if fit == best {
        ties += 1
      }
    }
    if bestTree != 0, tree == 0 || best > 0.5 {
      return (bestTree, best / Double(ties) * (tree == 0 ? 1 : 0.5))
    }
    return (0, values.count >= 2 && isKnownPage ? 0.2 : 0)
  }
}
