import Bytes
import CrashImages

/// Losses of power that leave the same files.
extension Recording {
  /// A disk, and how much of what was answered must be on it.
  private struct Case: Hashable {
    var digest: [UInt8]
    var answered: Int
  }

  /// Of points at which the power fails, each first one that leaves other files than those before it, or
  /// the same at a moment at which something else must hold.
  func distinct(_ points: [Point], seed: UInt64) -> [Point] {
    var disk = UnsyncedDisk(before)
    var taken = 0
    var seen: Set<Case> = []
    var last: (image: DiskImage, digest: [UInt8])?
    return points.sorted { $0.change < $1.change }.filter { point in
      guard case .power(let survival) = point.kind else { return true }
      for change in changes[taken..<point.change] { disk.take(change) }
      taken = point.change
      let image = disk.afterPowerLoss(survival, seed: point.seed(seed))
      let digest = last?.image == image ? last?.digest ?? [] : image.digest
      last = (image, digest)
      return seen.insert(
        Case(digest: digest, answered: expectation(after: point.change).answered)
      ).inserted
    }
  }
}

extension DiskImage {
  /// Equal for equal files and folders.
  fileprivate var digest: [UInt8] {
    let hash = SHA256()
    func add(_ bytes: [UInt8]) {
      // The count comes first, so that the end of one is not the start of the next.
      hash.update(Array("\(bytes.count):".utf8).span.bytes)
      hash.update(bytes.span.bytes)
    }
    for folder in folders.sorted() { add(Array(folder.utf8)) }
    for (path, bytes) in files.sorted(by: { $0.key < $1.key }) {
      add(Array(path.utf8))
      add(bytes)
    }
    return hash.finish()
  }
}
