import Bytes

extension Database {
  /// The cells of a page that must be read although nothing was seen in them: spilled ones, and those
  /// with a blob long enough to be a file. No allocation, a few instructions a column: this runs over
  /// every cell of a file. False where a cell does not fit its page.
  package func survey(
    _ bytes: RawSpan, header: BTreePage, into found: inout [Int]
  ) -> Bool {
    var isSound = true
    let maxLocal = geometry.maxLocal(isTable: header.kind.isTable)
    let usable = min(geometry.usable, bytes.byteCount)
    for index in 0..<header.cellCount {
      guard var place = header.cellOffset(index, in: bytes) else {
        isSound = false
        if header.cellArray + 2 * index >= usable { return false }
        continue
      }
      if !header.kind.isLeaf { place += 4 }
      guard let size = bytes.varint(at: place) else {
        isSound = false
        continue
      }
      place += size.count
      if size.value > UInt64(maxLocal) {
        found.append(index)
        continue
      }
      if header.kind.isTable {
        guard let rowid = bytes.varint(at: place) else {
          isSound = false
          continue
        }
        place += rowid.count
      }
      let count = Int(size.value)
      guard count <= usable - place else {
        isSound = false
        continue
      }
      if hasLongBlob(bytes, at: place, payloadCount: count) { found.append(index) }
    }
    return isSound
  }

  @inline(__always)
  private func hasLongBlob(_ bytes: RawSpan, at offset: Int, payloadCount: Int) -> Bool {
    guard payloadCount > 16, let header = bytes.varint(at: offset),
      header.value <= UInt64(payloadCount)
    else { return false }
    var place = offset + header.count
    let end = offset + Int(header.value)
    while place < end {
      guard let type = bytes.varint(at: place) else { return false }
      if type.value >= 44, type.value & 1 == 0 { return true }
      place += type.count
    }
    return false
  }

  /// Whether any byte of a range is not zero: free bytes that were never used are skipped fast.
  package func hasResidue(_ bytes: RawSpan, in range: Range<Int>) -> Bool {
    let part = bytes.clamped(to: range)
    var offset = 0
    while part.byteCount - offset >= 8 {
      if unsafe part.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self) != 0 {
        return true
      }
      offset += 8
    }
    while let byte = part[at: offset] {
      if byte != 0 { return true }
      offset += 1
    }
    return false
  }

  /// Whether the start of a compressed file or property list stands in a range: the signatures of
  /// gzip, zlib, zip and binary property lists.
  func mayHoldFile(_ bytes: RawSpan, in range: Range<Int>) -> Bool {
    let part = bytes.clamped(to: range)
    guard part.byteCount >= 12 else { return false }
    for offset in 0..<part.byteCount - 8 {
      switch unsafe part.unsafeLoad(fromByteOffset: offset, as: UInt8.self) {
      case 0x1f:
        if part.hasBytes([0x8b, 8], at: offset + 1) { return true }
      case 0x62:
        if part.hasBytes("plist0", at: offset + 1) { return true }
      case 0x50:
        if part.hasBytes([0x4b, 3, 4], at: offset + 1) { return true }
      case 0x78:
        if let level = part[at: offset + 1], [0x01, 0x5e, 0x9c, 0xda].contains(level) {
          return true
        }
      default: break
      }
    }
    return false
  }
}
