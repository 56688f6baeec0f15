import Bytes
import CArchive

/// How giving an entry's data to a sink came out.
enum EntryOutcome: Equatable {
  case complete
  /// The sink refused more.
  case refused
  case damaged(isFatal: Bool)
  /// A hole too large to be written out as zeros; what follows it was given.
  case sparse
}

extension LibArchive {
  /// Largest hole of a sparse file that is given as zeros.
  private static let largestHole = 16 << 20

  /// Gives the data of the current entry to the member that was begun last; `first` is a block that was
  /// already taken.
  func copyEntry(
    startingWith first: Block? = nil, into sink: inout some FragmentSink
  ) -> EntryOutcome {
    var position = 0
    var outcome = EntryOutcome.complete
    var emptyBlocks = 0
    var taken = first
    while !sink.isExhausted {
      let block = taken ?? nextBlock()
      taken = nil
      switch block {
      case .end: return hasWarned ? .damaged(isFatal: false) : outcome
      case .failed(let isFatal): return .damaged(isFatal: isFatal)
      case .bytes(let bytes, let offset):
        emptyBlocks = bytes.isEmpty ? emptyBlocks + 1 : 0
        guard emptyBlocks < 10_000 else { return .damaged(isFatal: true) }
        let hole = offset.subtractingReportingOverflow(position)
        if !hole.overflow, hole.partialValue > 0 {
          if hole.partialValue > Self.largestHole {
            outcome = .sparse
          } else if !Self.giveZeros(hole.partialValue, to: &sink) {
            return .refused
          }
        }
        position = offset.addingReportingOverflow(bytes.count).partialValue
        if !bytes.isEmpty, !sink.append(bytes.bytes) { return .refused }
      }
    }
    return .refused
  }

  private static func giveZeros(_ count: Int, to sink: inout some FragmentSink) -> Bool {
    let zeros = [UInt8](repeating: 0, count: min(count, 64 << 10))
    var left = count
    while left > 0 {
      let part = min(left, zeros.count)
      guard sink.append(zeros.span.bytes.clamped(to: 0..<part)) else { return false }
      left -= part
    }
    return true
  }
}
