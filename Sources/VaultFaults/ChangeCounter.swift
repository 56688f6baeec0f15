package import CrashImages
import Glibc
import Synchronization

/// Counts file changes from any thread.
package final class ChangeCounter: Sendable {
  private let state = Mutex(0)

  package init() {}

  package var count: Int { state.withLock { $0 } }

  package func next() -> Int {
    state.withLock { count in
      count += 1
      return count
    }
  }
}

extension FileChange {
  /// Writes the first half of a write to the file itself: what a kill in the middle leaves.
  package func makeHalf() {
    guard case .write(let path, let offset, let bytes) = self else { return }
    let descriptor = open(path, O_WRONLY)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, bytes.count / 2, offset) }
  }
}
