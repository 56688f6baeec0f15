/// A record that no live structure points to, and how sure it is that it is one.
package struct CarvedRecord: Equatable, Sendable {
  /// The bytes of the page that are left of its cell.
  package var range: Range<Int>
  /// Where its payload starts in the page. Where the start of the cell was written over, this is
  /// where it would start: only values are taken from it, and those are there.
  package var payloadOffset: Int
  package var payloadCount: Int
  package var localCount: Int
  package var overflow: UInt32
  package var rowid: Int64?
  package var record: Record
  /// Number of the tree whose shape it has, 0 where it fits none.
  package var tree: Int
  /// 0 to 1: how well it fits that tree and no other.
  package var confidence: Double
  /// The end of its values was written over.
  package var isCutOff: Bool
  /// No byte of its cell was written over.
  package var isWhole = false

  /// The rowid's bytes, before the payload, where they were not written over.
  package var rowidRange: Range<Int>? {
    guard let rowid, tree != 0 || isWhole || confidence == 1 else { return nil }
    let lower = payloadOffset - Carver.varintSize(UInt64(bitPattern: rowid))
    return lower >= range.lowerBound && lower < payloadOffset ? lower..<payloadOffset : nil
  }

  /// The part of a value that lies in the page and is left.
  package func localRange(of value: RecordValue) -> Range<Int> {
    let lower = payloadOffset + value.offset
    let localEnd = isCutOff ? range.upperBound : payloadOffset + localCount
    let upper = min(lower + value.count, localEnd)
    return min(lower, upper)..<upper
  }
}
