import Glibc
import Vault
import VaultBenchmark
import VaultKeys

extension VaultCommands {
  /// `bench`: the vault against plain SQLite and bare SQLCipher.
  static func bench(_ raw: [String]) async throws {
    var messages = 1_000_000
    var folder = "/tmp"
    var rest = raw[...]
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else {
        throw VaultUsage(problem: "\(option) needs a value")
      }
      switch option {
      case "--messages": messages = Int(value) ?? 0
      case "--dir": folder = value
      default: throw VaultUsage(problem: "unknown option \(option)")
      }
    }
    guard messages >= 10_000 else { throw VaultUsage(problem: "--messages needs at least 10000") }
    do throws(DiskFailure) {
      guard try Disk.freeSpace(at: folder) > messages * 4000 else {
        throw DiskFailure(errno: ENOSPC, path: folder)
      }
    } catch { throw VaultError(error) }
    try await VaultBenchmark.run(messages: messages, folder: folder + "/vault-bench.\(getpid())")
  }
}
