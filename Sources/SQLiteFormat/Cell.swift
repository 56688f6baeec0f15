import Bytes

/// An entry of a b-tree page: where its parts lie (SQLite file format, §1.6).
///
///     table leaf      varint payload size, varint rowid, payload, u32 first overflow page
///     table interior  u32 left child, varint rowid
///     index leaf      varint payload size, payload, u32 first overflow page
///     index interior  u32 left child, varint payload size, payload, u32 first overflow page
package struct Cell: Equatable, Sendable {
  package var offset: Int
  package var leftChild: UInt32
  package var rowid: Int64?
  package var payloadCount: Int
  package var payloadOffset: Int
  /// Bytes of the payload that lie in the cell.
  package var localCount: Int
  /// First overflow page, 0 where the payload is whole.
  package var overflow: UInt32
  package var end: Int

  package init(
    offset: Int, leftChild: UInt32 = 0, rowid: Int64?, payloadCount: Int, payloadOffset: Int,
    localCount: Int, overflow: UInt32, end: Int
  ) {
    self.offset = offset
    self.leftChild = leftChild
    self.rowid = rowid
    self.payloadCount = payloadCount
    self.payloadOffset = payloadOffset
    self.localCount = localCount
    self.overflow = overflow
    self.end = end
  }

  /// Nothing where the cell does not fit into the usable part of the page.
  @inline(__always)
  package init?(
    parsing page: RawSpan, at offset: Int, kind: BTreePage.Kind, geometry: PageGeometry
  ) {
    var place = offset
    let usable = min(geometry.usable, page.byteCount)
    leftChild = 0
    if !kind.isLeaf {
      guard usable - place >= 4 else { return nil }
      leftChild = page.word(at: place)
      place += 4
    }
    self.offset = offset
    payloadCount = 0
    localCount = 0
    overflow = 0
    rowid = nil
    if kind != .tableInterior {
      guard let size = page.length(at: place) else { return nil }
      payloadCount = size.value
      place += size.count
    }
    if kind.isTable {
      guard let key = page.varint(at: place) else { return nil }
      rowid = Int64(bitPattern: key.value)
      place += key.count
    }
    payloadOffset = place
    if kind != .tableInterior {
      localCount = geometry.localCount(of: payloadCount, isTable: kind.isTable)
      guard place <= usable, localCount <= usable - place else { return nil }
      place += localCount
      if localCount < payloadCount {
        guard usable - place >= 4 else { return nil }
        overflow = page.word(at: place)
        place += 4
      }
    }
    guard place <= usable else { return nil }
    end = place
  }

  package var range: Range<Int> { offset..<end }
  package var localRange: Range<Int> { payloadOffset..<payloadOffset + localCount }
}
