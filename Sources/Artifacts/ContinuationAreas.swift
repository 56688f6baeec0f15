package import Bytes
import Formats

/// Continuation areas of the names in an ISO 9660 image (IEEE P1281, §5.1: System Use Sharing Protocol). Each
/// may send its reader to others: in a circle libarchive takes all memory there is.
package struct ContinuationAreas {
  private struct Entry {
    var place: Int
    var area: Range<Int>
  }

  /// In their order.
  private var entries: [Entry] = []

  private static let signature: StaticString = "CE\u{1c}\u{1}"
  private static let entrySize = 28
  /// An image has one for each file with a long name.
  private static let mostEntries = 1 << 20

  /// Finds them wherever they stand: what looks like one by chance sends nobody anywhere.
  package init(in source: some ByteSource) throws(ReadFailure) {
    // The logical block size of the primary volume descriptor (ECMA-119, §8.4.12).
    let stated = try source.bytes(at: 16 * 2048 + 128, count: 2)
    let block = stated.count == 2 ? Int(stated[0]) | Int(stated[1]) << 8 : 2048
    var offset = 0
    while offset < source.byteCount, entries.count <= Self.mostEntries {
      let bytes = try source.bytes(at: offset, count: 1 << 20)
      add(from: bytes.span.bytes, at: offset, block: block)
      guard bytes.count > Self.entrySize else { break }
      offset += bytes.count - Self.entrySize + 1
    }
  }

  private mutating func add(from bytes: RawSpan, at base: Int, block: Int) {
    var from = 0
    while let start = bytes.firstOffset(of: Self.signature, in: from..<bytes.byteCount) {
      from = start + 1
      // Every number is there in either byte order.
      guard bytes.byteCount - start >= Self.entrySize,
        let location = bytes.twice(at: start + 4), let offset = bytes.twice(at: start + 12),
        let count = bytes.twice(at: start + 20)
      else { continue }
      let target = location * block + offset
      // Pieces that are looked at overlap.
      guard entries.last?.place ?? -1 < base + start else { continue }
      entries.append(Entry(place: base + start, area: target..<target + count))
    }
  }

  /// Whether they send their reader round in a circle, or to far more places than there are.
  package var isEndless: Bool {
    guard entries.count <= Self.mostEntries else { return true }
    let most = 8 * entries.count + 1_000
    // How many areas are read behind an entry: 0 where that is not known, -1 while it is found out.
    var visits = [Int](repeating: 0, count: entries.count)
    var total = 0
    var looks = 0
    for root in entries.indices {
      var open = [root]
      while let entry = open.last {
        if visits[entry] == 0 {
          visits[entry] = -1
          looks += followers(of: entry).count
          guard looks <= most else { return true }
          let inside = followers(of: entry).filter { visits[$0] <= 0 }
          guard !inside.contains(where: { visits[$0] < 0 }) else { return true }
          open += inside
        } else {
          open.removeLast()
          guard visits[entry] < 0 else { continue }
          visits[entry] = followers(of: entry).reduce(1) { min(most + 1, $0 + visits[$1]) }
        }
      }
      total += visits[root]
      guard total <= most else { return true }
    }
    return false
  }

  /// The entries that stand in the area of one.
  private func followers(of entry: Int) -> Range<Int> {
    let area = entries[entry].area
    return first(from: area.lowerBound)..<first(from: area.upperBound)
  }

  private func first(from place: Int) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].place < place { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension RawSpan {
  /// A number that stands in little and in big endian, one behind the other (ECMA-119, §7.3.3).
  fileprivate func twice(at offset: Int) -> Int? {
    guard let little = try? littleEndianInteger(at: offset, as: UInt32.self),
      let big = try? integer(at: offset + 4, as: UInt32.self), little == big
    else { return nil }
    return Int(little)
  }
}
