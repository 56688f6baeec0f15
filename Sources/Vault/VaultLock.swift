import Glibc
import VaultKeys

/// Keeps other sessions, in this process or another, out of a vault. The system lets go of it when
/// the process ends, however it ends.
final class VaultLock: Sendable {
  private let descriptor: Int32

  init(_ layout: Layout) throws(VaultError) {
    let path = layout.lock
    descriptor = try onDisk { () throws(DiskFailure) in try Disk.open(path, O_RDWR | O_CREAT) }
    // All that is stored is there: what is thrown from here on is followed by `deinit`, which closes
    // the file. Closed twice it might be another's by then.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .busy }
  }

  deinit {
    // Closing alone would not do while a child that is just being started still has the descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }
}
