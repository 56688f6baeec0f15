import CSQLCipher
import CVaultFaults
package import CrashImages
import Synchronization
import VaultKeys

/// Sees every file change of the vaults below one folder, in order, and can refuse one.
///
/// The hooks are the process's; what happens elsewhere passes through, so that other tests can run
/// beside.
package enum FaultInjector {
  /// Name of the file layer that a vault must use for its databases.
  package static let layer = "vault-faults"

  /// What is done with a change.
  package enum Verdict: Sendable {
    case pass
    /// The disk is full.
    case full
    /// The write or sync fails.
    case failure
  }

  private struct Watch {
    let root: String
    let judge: @Sendable (FileChange) -> Verdict
  }
  private static let watches = Mutex<[String: Watch]>([:])

  /// Calls `judge` for every change below `root` while `body` runs.
  package static func watching<Result>(
    _ root: String, judge: @escaping @Sendable (FileChange) -> Verdict,
    during body: () async throws -> Result
  ) async rethrows -> Result {
    install()
    watches.withLock { $0[root] = Watch(root: root, judge: judge) }
    defer { watches.withLock { _ = $0.removeValue(forKey: root) } }
    return try await body()
  }

  /// Makes the file layer known to SQLite; needed before a vault that names it opens.
  package static func install() {
    _ = installed
  }

  private static let installed: Bool = {
    Disk.observer.withLock { observer in
      observer = Disk.Observer { change in
        switch verdict(FileChange(change)) {
        case .pass: 0
        case .full: 28  // ENOSPC
        case .failure: 5  // EIO
        }
      }
    }
    return vault_faults_register { kind, path, offset, bytes, count in
      guard let path else { return 0 }
      let change = FileChange(
        kind: Int(kind), path: String(cString: path), offset: Int(offset), bytes: bytes,
        count: Int(count))
      switch verdict(change) {
      case .pass: return 0
      case .full: return SQLITE_FULL
      case .failure:
        return kind == Int32(VAULT_FAULT_WRITE)
          ? SQLITE_IOERR | 3 << 8 : SQLITE_IOERR | 4 << 8
      }
    } == SQLITE_OK
  }()

  private static func verdict(_ change: FileChange) -> Verdict {
    let watch = watches.withLock { watches in
      watches.values.first { change.path.hasPrefix($0.root) }
    }
    return watch?.judge(change) ?? .pass
  }
}

extension FileChange {
  init(kind: Int, path: String, offset: Int, bytes: UnsafeRawPointer?, count: Int) {
    switch kind {
    case 1:
      let buffer = UnsafeRawBufferPointer(start: bytes, count: count)
      self = .write(path, offset: offset, bytes: Array(buffer))
    case 2: self = .truncate(path, count: offset)
    case 3: self = .sync(path)
    case 4: self = .remove(path)
    case 5: self = .create(path)
    default: self = .syncFolder(path.parentFolder)
    }
  }
}
