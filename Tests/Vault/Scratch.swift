import Glibc
import SecretBytes
import Vault
import VaultKeys

/// A folder of its own for one test, removed with it.
final class Scratch: Sendable {
  let path: String

  init() {
    var name = Array("/tmp/vault-test-XXXXXX".utf8CString)
    path = name.withUnsafeMutableBufferPointer { name in
      name.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/tmp"
    }
  }

  deinit { try? Disk.removeTree(path) }

  var root: String { path + "/vault" }

  /// A vault whose password is `one`, with the least of password hashing.
  func makeVault(password: String = "one") async throws -> Vault {
    try await Vault.create(at: root, password: secret(password), hashing: .weakest)
  }
}

func secret(_ text: String) -> SecretBytes {
  var bytes = Array(text.utf8)
  return SecretBytes(wiping: &bytes)
}
