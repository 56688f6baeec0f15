import Bytes

/// The header of a b-tree page (SQLite file format, §1.6).
///
///     offset  size  field
///          0     1  2 index interior, 5 table interior, 10 index leaf, 13 table leaf
///          1     2  first freeblock
///          3     2  cells
///          5     2  start of the cell content; 0 means 65536
///          7     1  fragmented free bytes
///          8     4  right-most child, interior pages only
package struct BTreePage: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    package var isTable: Bool { self == .tableLeaf || self == .tableInterior }
    package var isLeaf: Bool { self == .tableLeaf || self == .indexLeaf }
  }

  package var kind: Kind
  /// Where the header starts in the page: 100 on the first page.
  package var headerOffset: Int
  package var firstFreeblock: Int
  package var cellCount: Int
  package var contentStart: Int
  package var fragmentedBytes: Int
  package var rightChild: UInt32

  /// Nothing where the page is not a b-tree page.
  package init?(parsing page: RawSpan, headerOffset: Int) {
    guard let type = page[at: headerOffset], let kind = Kind(rawValue: type),
      page.byteCount - headerOffset >= 12
    else { return nil }
    self.kind = kind
    self.headerOffset = headerOffset
    firstFreeblock = Int(page.short(at: headerOffset + 1))
    cellCount = Int(page.short(at: headerOffset + 3))
    let start = Int(page.short(at: headerOffset + 5))
    contentStart = start == 0 ? 65_536 : start
    fragmentedBytes = Int(page[at: headerOffset + 7] ?? 0)
    rightChild = kind.isLeaf ? 0 : page.word(at: headerOffset + 8)
  }

  /// Where the array of cell offsets starts.
  package var cellArray: Int { headerOffset + (kind.isLeaf ? 8 : 12) }

  /// Where the array of cell offsets ends and the gap begins.
  package var cellArrayEnd: Int { cellArray + 2 * cellCount }

  /// Where cell `index` starts, or nothing where its offset cannot be one.
  @inline(__always)
  package func cellOffset(_ index: Int, in page: RawSpan) -> Int? {
    let place = cellArray + 2 * index
    guard index >= 0, index < cellCount, page.byteCount - place >= 2 else { return nil }
    let offset = Int(page.short(at: place))
    return offset >= cellArrayEnd && offset < page.byteCount ? offset : nil
  }

  /// The free bytes between the cell array and the content, or nothing where there are none.
  package func gap(geometry: PageGeometry) -> Range<Int>? {
    let end = min(contentStart, geometry.usable)
    return cellArrayEnd < end ? cellArrayEnd..<end : nil
  }

  /// The chain of freeblocks: next offset (u16) and size (u16), in rising order (§1.6). Stops where
  /// the chain is damaged; `isIntact` says whether it ended as it should.
  package func freeblocks(
    in page: RawSpan, geometry: PageGeometry
  ) -> (ranges: [Range<Int>], isIntact: Bool) {
    var ranges: [Range<Int>] = []
    var next = firstFreeblock
    var lowest = cellArrayEnd
    while next != 0 {
      guard next >= lowest, next <= geometry.usable - 4, page.byteCount - next >= 4 else {
        return (ranges, false)
      }
      let size = Int(page.short(at: next + 2))
      guard size >= 4, size <= geometry.usable - next else { return (ranges, false) }
      ranges.append(next..<next + size)
      lowest = next + size
      next = Int(page.short(at: next))
    }
    return (ranges, true)
  }

  /// Whether the numbers of the header agree with each other: what is asked of a page that nothing
  /// live points to before its cells are believed.
  package func isPlausible(geometry: PageGeometry) -> Bool {
    contentStart <= geometry.usable && cellArrayEnd <= contentStart && fragmentedBytes <= 60
      && (firstFreeblock == 0
        || firstFreeblock >= contentStart && firstFreeblock <= geometry.usable - 4)
  }
}

extension PageGeometry {
  /// How many bytes of a range are not zero and no header of a freeblock that a larger one swallowed.
  package func leftover(_ page: RawSpan, in range: Range<Int>, limit: Int) -> Int {
    let end = min(range.upperBound, page.byteCount)
    var count = 0
    var offset = max(range.lowerBound, 0)
    while offset < end, count < limit {
      if end - offset >= 8,
        unsafe page.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) == 0
      {
        offset += 8
        continue
      }
      guard page[at: offset] != 0 else {
        offset += 1
        continue
      }
      // A zero byte before the first that is not may be the first of a header.
      let header = (max(range.lowerBound, offset - 3)...offset).first {
        isSwallowedHeader(page, at: $0, end: end)
      }
      if let header {
        offset = header + 4
      } else {
        count += 1
        offset += 1
      }
    }
    return count
  }

  /// Next freeblock (or 0) and size, as they stood when this was a freeblock of its own; the size may
  /// have been written over with what came to lie behind.
  private func isSwallowedHeader(_ page: RawSpan, at offset: Int, end: Int) -> Bool {
    if end - offset == 2 || end - offset == 3 {
      let next = Int(page.short(at: offset))
      return next >= end && next <= usable - 4
    }
    let word = page.word(at: offset)
    let next = Int(word >> 16)
    let size = Int(word & 0xffff)
    return size >= 4 && size <= usable - offset
      && (next == 0 || next >= offset + size && next <= usable - 4)
  }
}

extension RawSpan {
  /// The big-endian 16-bit integer at `offset`, 0 past the end.
  @inline(__always)
  package func short(at offset: Int) -> UInt16 {
    guard offset >= 0, byteCount - offset >= 2 else { return 0 }
    return UInt16(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// The big-endian 32-bit integer at `offset`, 0 past the end: page number 0 is no page.
  @inline(__always)
  package func word(at offset: Int) -> UInt32 {
    guard offset >= 0, byteCount - offset >= 4 else { return 0 }
    return UInt32(bigEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }
}
