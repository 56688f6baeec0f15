import CrashImages
import Dispatch
import Glibc

/// Where a proof keeps its machines: hundreds of MiB of stores that nobody needs afterwards.
final class WorkFolder {
  let path: String
  private let signals: [any DispatchSourceSignal]

  private static let prefix = "vestige-prove-"

  /// Makes a folder of its own, and removes those of proofs that were killed.
  init(in parent: String, seed: UInt64) throws(Folder.Failure) {
    Self.removeLeft(in: parent)
    let path = "\(parent)/\(Self.prefix)\(getpid())-\(seed)-\(UInt32.random(in: 0...UInt32.max))"
    try Folder.make(path)
    self.path = path
    signals = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        Folder.remove(path)
        // As a shell reports a program that a signal ended.
        exit(128 + number)
      }
      source.activate()
      return source
    }
  }

  func remove() {
    for source in signals { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    Folder.remove(path)
  }

  /// Removes folders whose process is gone.
  private static func removeLeft(in parent: String) {
    for name in (try? Folder.names(parent)) ?? [] where name.hasPrefix(prefix) {
      let number = name.dropFirst(prefix.count).prefix { $0.isNumber }
      guard let process = pid_t(number), kill(process, 0) != 0, errno == ESRCH else { continue }
      Folder.remove(parent + "/" + name)
    }
  }
}
