import SecretBytes
import VaultKeys

/// A file that takes up room for bad times: on a full disk not even deleting works, since it writes to
/// the log first. Giving the ballast up makes room for it.
package enum Ballast {
  package static let byteCount = 1 << 20

  /// Fills the file with random bytes, so that the file system really keeps room for it. A full disk
  /// is no error: it is made next time.
  package static func restore(at path: String) {
    guard Disk.size(path) != byteCount else { return }
    do throws(DiskFailure) {
      try Disk.write(Random.bytes(byteCount), to: path)
      try Disk.sync(path)
    } catch {
      try? Disk.remove(path)
    }
  }
}
