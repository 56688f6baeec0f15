import Bytes

extension Database {
  /// What a look over the cells of a page found out.
  package struct Survey: Equatable, Sendable {
    /// Every cell fits its page, and its record fills it.
    package var isSound = true
    /// Bytes of all cells.
    package var cellBytes = 0
  }

  /// The cells of a page that must be read: those in whose range something was seen, and, although
  /// nothing was seen in them, spilled ones and those with a blob long enough to be a file. No
  /// allocation, a few instructions a column: this runs over every cell of a file.
  package func survey(
    _ bytes: RawSpan, header: BTreePage, into found: inout [Int],
    isMarked: (Range<Int>) -> Bool = { _ in false }
  ) -> Survey {
    var survey = Survey()
    let isTable = header.kind.isTable
    let maxLocal = geometry.maxLocal(isTable: isTable)
    let usable = min(geometry.usable, bytes.byteCount)
    for index in 0..<header.cellCount {
      guard let offset = header.cellOffset(index, in: bytes) else {
        survey.isSound = false
        if header.cellArray + 2 * index >= usable { return survey }
        continue
      }
      var place = header.kind.isLeaf ? offset : offset + 4
      guard let size = bytes.varint(at: place), size.value <= 0x7fff_ffff else {
        survey.isSound = false
        continue
      }
      place += size.count
      if isTable {
        guard let rowid = bytes.varint(at: place) else {
          survey.isSound = false
          continue
        }
        place += rowid.count
      }
      let count = Int(size.value)
      let spills = count > maxLocal
      let local = spills ? geometry.localCount(of: count, isTable: isTable) + 4 : count
      guard place <= usable, local <= usable - place else {
        survey.isSound = false
        continue
      }
      survey.cellBytes += max(4, place + local - offset)
      if spills {
        found.append(index)
        continue
      }
      let record = look(bytes, at: place, payloadCount: count)
      if record.hasLongBlob || isMarked(offset..<place + count) { found.append(index) }
      if !record.isSound { survey.isSound = false }
    }
    return survey
  }

  /// Sizes of the types below 12, four bits each.
  private static let smallSizes: UInt64 = 0x8864_3210

  /// Whether the sizes of a record's values add up to its payload, and whether one is a long blob.
  @inline(__always)
  private func look(
    _ bytes: RawSpan, at offset: Int, payloadCount: Int
  ) -> (isSound: Bool, hasLongBlob: Bool) {
    guard let header = bytes.varint(at: offset), header.value <= UInt64(payloadCount),
      header.value >= UInt64(header.count)
    else { return (false, false) }
    var place = offset + header.count
    let end = offset + Int(header.value)
    var sum = header.value
    var hasLongBlob = false
    while place < end {
      guard let type = bytes.varint(at: place) else { return (false, hasLongBlob) }
      if type.value >= 12 {
        sum &+= (type.value - 12) / 2
        if type.value >= 44, type.value & 1 == 0 { hasLongBlob = true }
      } else if type.value < 10 {
        sum &+= Self.smallSizes >> (4 * type.value) & 15
      } else {
        // Kept for the library's own use: no record of a file has them (§2.1).
        return (false, hasLongBlob)
      }
      place += type.count
    }
    return (sum == UInt64(payloadCount) && place == end, hasLongBlob)
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

  /// How many bytes of a free region of a page are left over from content: not zero, no header of a
  /// freeblock that a larger one swallowed, and no stale pointer of the cell array. Those stay where
  /// secure_delete zeroes everything else. Counting stops at `limit`.
  package func leftover(
    _ bytes: RawSpan, header: BTreePage, region: PageRegion, range: Range<Int>, limit: Int = .max
  ) -> Int {
    let content =
      region == .gap ? behindPointers(bytes, header: header, gap: range) : range.dropFirst(4)
    return geometry.leftover(bytes, in: content, limit: limit)
  }

  /// The gap of a page without the stale pointers at its start.
  package func behindPointers(
    _ bytes: RawSpan, header: BTreePage, gap: Range<Int>
  ) -> Range<Int> {
    var lower = gap.lowerBound
    while gap.upperBound - lower >= 2, isStalePointer(bytes, at: lower, header, gap: gap) {
      lower += 2
    }
    return lower..<gap.upperBound
  }

  /// Deleting a cell moves the pointers behind its own up and leaves the last one where it was.
  private func isStalePointer(
    _ bytes: RawSpan, at offset: Int, _ header: BTreePage, gap: Range<Int>
  ) -> Bool {
    let pointer = Int(bytes.short(at: offset))
    guard pointer < geometry.usable else { return false }
    if pointer >= header.contentStart { return true }
    // It may name a cell that is gone, wiped up to what joining freeblocks left.
    return gap.contains(pointer)
      && geometry.leftover(bytes, in: pointer..<pointer + 4, limit: 1) == 0
  }

  /// Whether the start of a compressed file or property list stands in a range: the signatures of
  /// gzip, zlib, zip and binary property lists.
  package func mayHoldFile(_ bytes: RawSpan, in range: Range<Int>) -> Bool {
    let part = bytes.clamped(to: range)
    return part.firstFile(from: 0, onlyStreams: false) != nil
  }

  /// Whether a free part of a b-tree page holds the start of a file. Most pages have no free bytes but
  /// those that never were used, and cost no memory here.
  package func mayHoldLooseFile(_ bytes: RawSpan, header: BTreePage) -> Bool {
    func isOne(_ range: Range<Int>) -> Bool {
      range.count >= 12 && hasResidue(bytes, in: range) && mayHoldFile(bytes, in: range)
    }
    if let gap = header.gap(geometry: geometry), isOne(gap) { return true }
    return header.firstFreeblock != 0
      && header.freeblocks(in: bytes, geometry: geometry).ranges.contains(where: isOne)
  }

  /// Whether cells, freeblocks and fragments fill the content of a page, as they must: where they do
  /// not, cells or free bytes overlap, or something lies between them that no structure names.
  package func addsUp(_ survey: Survey, _ bytes: RawSpan, header: BTreePage) -> Bool {
    let content = geometry.usable - min(header.contentStart, geometry.usable)
    var free = header.fragmentedBytes
    if header.firstFreeblock != 0 {
      free += header.freeblocks(in: bytes, geometry: geometry).ranges.reduce(0) { $0 + $1.count }
    }
    return content == survey.cellBytes + free
  }
}

extension RawSpan {
  /// Where a stream of gzip (RFC 1952, §2.3.1) or zlib (RFC 1950, §2.2) may start next.
  package func firstStream(from offset: Int) -> Int? { firstFile(from: offset, onlyStreams: true) }

  /// The same for zip and binary property lists too. Runs over every byte of what is left over.
  fileprivate func firstFile(from start: Int, onlyStreams: Bool) -> Int? {
    var offset = start
    while byteCount - offset >= 12 {
      let byte = unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
      // zlib with the window of 32 KiB that all use, or the first byte of another signature: smaller
      // windows start with a letter or digit, and chance would have every second page looked at.
      if byte == 0x78 || byte == 0x1f || !onlyStreams && (byte == 0x62 || byte == 0x50) {
        let word = word(at: offset)
        switch byte {
        case 0x1f: if word >> 8 == 0x1f8b08, word & 0xe0 == 0 { return offset }
        case 0x62: if word == 0x6270_6c69, hasBytes("st0", at: offset + 4) { return offset }
        case 0x50: if word == 0x504b_0304 { return offset }
        default: if word >> 16 % 31 == 0, word & 0x20_0000 == 0 { return offset }
        }
      }
      offset += 1
    }
    return nil
  }
}
