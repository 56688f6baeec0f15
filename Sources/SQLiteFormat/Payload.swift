import Bytes

/// The bytes of a record put together from its cell and its overflow pages.
package struct Payload: Sendable {
  /// A run of the payload and the page it lies in.
  package struct Part: Equatable, Sendable {
    /// Start in the payload.
    package var offset: Int
    package var page: UInt32
    /// Start in the page.
    package var pageOffset: Int
    package var count: Int
  }

  /// From the start of the payload; shorter than the record where a part is missing or the limit was
  /// reached.
  package var bytes: [UInt8] = []
  package var parts: [Part] = []
  /// Bytes that were written over or whose page is gone: zero in `bytes`.
  package var lost: [Range<Int>] = []
  /// All of the payload is there, lost runs aside.
  package var isComplete = false
  /// The limit cut it off.
  package var isLimited = false
}

extension Database {
  /// Joins the payload of a record. For a live one the map is not changed: its chain is followed as
  /// stored, each page once. For a deleted one the chain ends where a page is in use again.
  package func payload(
    of carved: CarvedRecord, page: UInt32, limit: Int, isLive: Bool
  ) -> Payload {
    pages.withPage(page) { bytes in
      payload(of: carved, in: bytes, page: page, limit: limit, isLive: isLive, pages: pages)
    } ?? Payload()
  }

  package func payload(
    of carved: CarvedRecord, in bytes: RawSpan, page: UInt32, limit: Int, isLive: Bool,
    pages: PageCache
  ) -> Payload {
    var payload = Payload()
    // Where the start of a cell was written over the header does not lie there: its place in the
    // payload is kept, its bytes are not believed.
    let upper = min(carved.payloadOffset + carved.localCount, carved.range.upperBound)
    let lower = min(max(carved.payloadOffset, 0), upper)
    let local = bytes.clamped(to: lower..<upper)
    payload.bytes = local.copied()
    payload.parts.append(
      Payload.Part(offset: 0, page: page, pageOffset: lower, count: local.byteCount))
    if carved.overflow == 0 {
      payload.isComplete = local.byteCount == carved.payloadCount
      return payload
    }
    let wanted = min(carved.payloadCount, max(limit, payload.bytes.count))
    if isLive {
      follow(carved.overflow, into: &payload, wanted: wanted, pages: pages)
    } else {
      followFreed(carved.overflow, into: &payload, wanted: wanted, total: carved.payloadCount)
    }
    payload.isComplete = payload.bytes.count == carved.payloadCount
    payload.isLimited = wanted < carved.payloadCount
    return payload
  }

  /// The start of a payload, joined from its cell and its overflow pages.
  func joined(_ local: RawSpan, next: UInt32, count: Int, pages: PageCache) -> [UInt8] {
    var payload = Payload()
    payload.bytes = local.copied()
    follow(next, into: &payload, wanted: count, pages: pages)
    return payload.bytes
  }

  private func follow(
    _ first: UInt32, into payload: inout Payload, wanted: Int, pages: PageCache
  ) {
    var page = first
    var visited: Set<UInt32> = []
    while page != 0, payload.bytes.count < wanted, visited.insert(page).inserted {
      guard let next = append(page, from: 4, to: &payload, wanted: wanted, pages: pages) else {
        return
      }
      page = next
    }
  }

  /// Adds the content of an overflow page; gives the number of the next one.
  private func append(
    _ page: UInt32, from start: Int, to payload: inout Payload, wanted: Int, pages: PageCache
  ) -> UInt32? {
    pages.withPage(page) { bytes in
      let count = min(geometry.usable - start, wanted - payload.bytes.count)
      guard count > 0 else { return 0 }
      let content = bytes.clamped(to: start..<start + count)
      payload.parts.append(
        Payload.Part(
          offset: payload.bytes.count, page: page, pageOffset: start, count: content.byteCount))
      unsafe content.withUnsafeBytes { unsafe payload.bytes.append(contentsOf: $0) }
      return bytes.word(at: 0)
    }
  }

  /// Follows the chain of a deleted record through the freelist. Freed overflow pages keep content
  /// and pointer, except the one that became a trunk: its first 8 + 4n bytes are gone, and the chain
  /// goes on with the first page that the trunk names, since pages are freed in the chain's order.
  private func followFreed(
    _ first: UInt32, into payload: inout Payload, wanted: Int, total: Int
  ) {
    var page = first
    var visited: Set<UInt32> = []
    while page != 0, payload.bytes.count < wanted, visited.insert(page).inserted {
      switch map.role(of: page) {
      case .freelistLeaf, .orphan, .beyondEnd:
        // A page that was a b-tree page since then holds nothing of the chain any more.
        let isReused = pages.withPage(page) {
          BTreePage(parsing: $0, headerOffset: 0)?.isPlausible(geometry: geometry) == true
        }
        guard isReused == false else { return }
        guard let next = append(page, from: 4, to: &payload, wanted: wanted, pages: pages) else {
          return
        }
        page = next
      case .freelistTrunk:
        guard
          let trunk = pages.withPage(
            page, { FreelistTrunk(parsing: $0, geometry: geometry) })
        else { return }
        let lost = min(trunk.overwritten - 4, wanted - payload.bytes.count)
        payload.lost.append(payload.bytes.count..<payload.bytes.count + lost)
        payload.bytes.append(contentsOf: repeatElement(0, count: lost))
        _ = append(
          page, from: trunk.overwritten, to: &payload, wanted: wanted, pages: pages)
        let left = total - payload.bytes.count
        page = left > 0 ? successor(of: trunk, left: left) : 0
      case .tableLeaf, .tableInterior, .indexLeaf, .indexInterior, .overflow, .pointerMap, .lock:
        return
      }
    }
  }

  /// What a chain of free pages holds from a page on, as far as each of them still names the next one.
  package func freedContent(from first: UInt32, limit: Int) -> [UInt8] {
    var content: [UInt8] = []
    var visited: Set<UInt32> = []
    var page = first
    while content.count < limit, visited.insert(page).inserted,
      [.freelistLeaf, .orphan, .beyondEnd].contains(map.role(of: page))
    {
      let next = pages.withPage(page) { bytes -> UInt32 in
        let header = BTreePage(parsing: bytes, headerOffset: 0)
        guard header?.isPlausible(geometry: geometry) != true else { return 0 }
        unsafe bytes.clamped(to: 4..<geometry.usable).withUnsafeBytes {
          unsafe content.append(contentsOf: $0)
        }
        return bytes.word(at: 0)
      }
      guard let next else { break }
      page = next
    }
    return content
  }

  /// The leaf of a trunk from which a chain of exactly the missing length runs to its end.
  private func successor(of trunk: FreelistTrunk, left: Int) -> UInt32 {
    let wanted = (left + geometry.overflowCapacity - 1) / geometry.overflowCapacity
    for leaf in trunk.leaves.prefix(64) {
      var page = leaf
      var count = 0
      while page != 0, count <= wanted, !map.role(of: page).isLive {
        count += 1
        guard let next = pages.withPage(page, { $0.word(at: 0) }) else { break }
        page = next
      }
      if count == wanted, page == 0 { return leaf }
    }
    return 0
  }
}

extension Payload {
  /// The parts that a range of the payload lies in, cut to it.
  package func parts(of range: Range<Int>) -> [Part] {
    parts.compactMap { part in
      let whole = part.offset..<part.offset + part.count
      guard let common = whole.clampedOrNil(to: range) else { return nil }
      let skipped = common.lowerBound - part.offset
      return Part(
        offset: common.lowerBound, page: part.page, pageOffset: part.pageOffset + skipped,
        count: common.count)
    }
  }
}

extension Range<Int> {
  /// What both ranges have in common, or nothing.
  package func clampedOrNil(to other: Range<Int>) -> Range<Int>? {
    let common = clamped(to: other)
    return common.isEmpty ? nil : common
  }
}
