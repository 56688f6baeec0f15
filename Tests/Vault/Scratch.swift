import CrashImages
import Glibc
import SecretBytes
import Vault
import VaultFaults
import VaultKeys

/// A folder of its own for one test, in memory where there is room, removed with it.
final class Scratch: Sendable {
  let path: String

  init() {
    let base = Disk.isFolder("/dev/shm") ? "/dev/shm" : "/tmp"
    var name = Array("\(base)/vault-test-XXXXXX".utf8CString)
    path = name.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/tmp"
    }
  }

  deinit { try? Disk.removeTree(path) }

  var root: String { path + "/vault" }

  /// A vault whose password is `one`, with the least of password hashing.
  func makeVault(
    _ password: String = "one", messages: Int = 0, schema: Int = Schema.newest
  ) async throws -> Vault {
    FaultInjector.install()
    var vault = Vault(at: root)
    vault.vfs = FaultInjector.layer
    try await vault.make(password: secret(password), hashing: .weakest, schema: schema)
    guard messages > 0 else { return vault }
    let session = try await vault.unlock(password: secret(password))
    try await session.openProfile().fill(messages)
    try await session.lock()
    return vault
  }
}

func secret(_ text: String) -> SecretBytes {
  var bytes = Array(text.utf8)
  return SecretBytes(wiping: &bytes)
}

extension Profile {
  /// Adds messages whose text says their number.
  func fill(_ count: Int) async throws {
    try await write { transaction throws(VaultError) in
      let talk = try transaction.conversation(named: "talk")
      for number in 1...count {
        try transaction.add(
          "message number \(number) \(Canary.text)", to: talk, sender: "me", sent: Int64(number))
      }
    }
  }
}

/// A word that occurs in no file by chance.
enum Canary {
  static let text = "kestrelwhisperzq"
  static let bytes = Array(text.utf8)
}

extension [UInt8] {
  func contains(_ needle: [UInt8]) -> Bool {
    guard !needle.isEmpty, count >= needle.count else { return false }
    return withUnsafeBytes { haystack in
      guard let base = haystack.baseAddress else { return false }
      let last = haystack.count - needle.count
      var start = 0
      while start <= last, let found = memchr(base + start, Int32(needle[0]), last - start + 1) {
        if memcmp(found, needle, needle.count) == 0 { return true }
        start = UnsafeRawPointer(found) - base + 1
      }
      return false
    }
  }
}

/// Every file below a folder, with its bytes.
func files(below folder: String) throws -> [String: [UInt8]] {
  try DiskImage(of: folder).files
}
