import Bytes

/// A look at bytes that may be a b-tree page, where nothing around them says so: a temporary file, a
/// single readable page in ciphertext.
package struct PageProbe: Equatable, Sendable {
  package var kind: BTreePage.Kind
  package var geometry: PageGeometry
  package var cellCount: Int

  /// Nothing where the bytes are no page of that size: every cell must hold a sound record, and the
  /// content must reach to the end of the usable bytes, as SQLite packs it, or zeros must follow it.
  package init?(_ bytes: RawSpan, pageSize: Int, hasFileHeader: Bool = false) {
    let start = hasFileHeader ? DatabaseHeader.byteCount : 0
    guard bytes.byteCount >= pageSize,
      var geometry = PageGeometry(pageSize: pageSize, reserved: 0),
      let header = BTreePage(parsing: bytes.clamped(to: 0..<pageSize), headerOffset: start),
      header.cellCount > 0, header.isPlausible(geometry: geometry)
    else { return nil }
    geometry.hasFileHeader = hasFileHeader
    var highest = 0
    for index in 0..<header.cellCount {
      guard let offset = header.cellOffset(index, in: bytes), offset >= header.contentStart,
        let cell = Cell(parsing: bytes, at: offset, kind: header.kind, geometry: geometry)
      else { return nil }
      if header.kind != .tableInterior, cell.overflow == 0 {
        guard
          let record = Record(
            parsing: bytes.clamped(to: cell.localRange), payloadCount: cell.payloadCount),
          record.byteCount == cell.payloadCount
        else { return nil }
      }
      highest = max(highest, cell.end)
    }
    // The freeblock at the end, where the last cell was deleted.
    for block in header.freeblocks(in: bytes, geometry: geometry).ranges {
      highest = max(highest, block.upperBound)
    }
    var reserved = pageSize - highest
    if ![0, 16, 32, 48, 64, 80].contains(reserved) {
      guard (highest..<pageSize).allSatisfy({ bytes[at: $0] == 0 }) else { return nil }
      reserved = 0
    }
    guard var found = PageGeometry(pageSize: pageSize, reserved: reserved) else { return nil }
    found.hasFileHeader = hasFileHeader
    kind = header.kind
    self.geometry = found
    cellCount = header.cellCount
  }
}

extension PageProbe {
  /// How the texts of the page are encoded: the zeros of characters in UTF-16 stand on every other
  /// byte, and UTF-8 has none.
  package func encoding(of page: RawSpan) -> TextEncoding {
    guard kind != .tableInterior,
      let header = BTreePage(parsing: page, headerOffset: geometry.hasFileHeader ? 100 : 0)
    else { return .utf8 }
    var zeros = (even: 0, odd: 0)
    var total = 0
    for index in 0..<header.cellCount {
      guard let offset = header.cellOffset(index, in: page),
        let cell = Cell(parsing: page, at: offset, kind: header.kind, geometry: geometry),
        let record = Record(
          parsing: page.clamped(to: cell.localRange), payloadCount: cell.payloadCount)
      else { continue }
      for value in record.values where value.type.kind == .text && value.count % 2 == 0 {
        let start = cell.payloadOffset + value.offset
        let end = min(start + value.count, cell.localRange.upperBound)
        for place in stride(from: start, to: end - 1, by: 2) {
          total += 1
          if page[at: place] == 0 { zeros.even += 1 }
          if page[at: place + 1] == 0 { zeros.odd += 1 }
        }
      }
    }
    if zeros.odd * 2 > total { return .utf16LittleEndian }
    return zeros.even * 2 > total ? .utf16BigEndian : .utf8
  }
}
