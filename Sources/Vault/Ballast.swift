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

  /// Does what the disk may be too full for; where it is, once more without the ballast.
  static func makingRoom<Result>(
    in layout: Layout, _ body: () throws(VaultError) -> sending Result
  ) throws(VaultError) -> sending Result {
    do throws(VaultError) { return try body() } catch .full where Disk.exists(layout.ballast) {
      try onDisk { () throws(DiskFailure) in try Disk.remove(layout.ballast) }
      return try body()
    }
  }
}
