public import SecretBytes
import Synchronization

/// Secrets in one sealed file beside a key file: the store for systems that have none.
///
/// It keeps secrets out of backups that leave the key file out, and nothing more: who copies both
/// files has the secrets. Use the Secret Service or a TPM to bind a vault to a machine.
///
/// The file is XChaCha20-Poly1305 over a list of items; the format's name is authenticated with it. A
/// change writes a new file, makes it durable and renames it over the old one.
public struct FileSecretStore: SecretStore {
  private let path: String
  private let keyPath: String
  /// One change at a time in this process; other processes are kept out by the vault's lock.
  private static let turn = Mutex(())

  private static let context = Array("vault/secrets/v1".utf8)
  private static let largestFile = 1 << 20
  private static let longestSecret = 4096

  /// Opens or prepares a store; nothing is written before the first item.
  /// - Parameters:
  ///   - path: The sealed file.
  ///   - keyPath: The file of 32 random bytes that seals it; made with the first item.
  public init(path: String, keyPath: String) {
    self.path = path
    self.keyPath = keyPath
  }

  public func add(_ secret: borrowing SecretBytes, as item: SecretItem) throws(SecretStoreError) {
    guard secret.count <= Self.longestSecret else { throw .tooLong(limit: Self.longestSecret) }
    try change { (list: borrowing ItemList) throws(SecretStoreError) in
      guard !list.names.contains(item.identity) else { throw .duplicate }
      return list.adding(secret, as: item.identity)
    }
  }

  public func update(
    _ secret: borrowing SecretBytes, of item: SecretItem.Identity
  ) throws(SecretStoreError) {
    guard secret.count <= Self.longestSecret else { throw .tooLong(limit: Self.longestSecret) }
    try change { (list: borrowing ItemList) throws(SecretStoreError) in
      guard list.names.contains(item) else { throw .notFound }
      return list.removing(item).adding(secret, as: item)
    }
  }

  public func read(_ item: SecretItem.Identity) throws(SecretStoreError) -> SecretBytes {
    let list = try load()
    guard let secret = list.secret(of: item) else { throw .notFound }
    return secret
  }

  public func remove(_ item: SecretItem.Identity) throws(SecretStoreError) {
    try change { (list: borrowing ItemList) throws(SecretStoreError) in
      guard list.names.contains(item) else { throw .notFound }
      return list.removing(item)
    }
  }

  public func items() throws(SecretStoreError) -> [SecretItem.Identity] {
    try load().names.sorted()
  }

  /// The files this store is made of, for an erasure's list.
  package var files: [String] { [path, keyPath, path + ".new"] }

  private func change(
    _ edit: (borrowing ItemList) throws(SecretStoreError) -> ItemList
  ) throws(SecretStoreError) {
    try Self.turn.withLock { _ throws(SecretStoreError) in
      let edited = try edit(load())
      try save(edited)
    }
  }

  private func load() throws(SecretStoreError) -> ItemList {
    guard Disk.exists(path) else { return ItemList() }
    let key = try key()
    let sealed = try mapping { () throws(DiskFailure) in
      try Disk.read(path, limit: Self.largestFile)
    }
    guard let plain = Primitives.open(sealed, key: key, authenticating: Self.context),
      let list = ItemList(parsing: plain)
    else { throw .damaged }
    return list
  }

  private func save(_ list: borrowing ItemList) throws(SecretStoreError) {
    if !Disk.exists(keyPath) { try makeKey() }
    let sealed = Primitives.seal(list.encoded(), key: try key(), authenticating: Self.context)
    let fresh = path + ".new"
    try mapping { () throws(DiskFailure) in
      try Disk.remove(fresh)
      try Disk.write(sealed, to: fresh)
      try Disk.sync(fresh)
      try Disk.rename(fresh, to: path)
      try Disk.syncFolder(path.parentFolder)
    }
  }

  /// An existing sealed file without its key is never answered with a new key.
  private func makeKey() throws(SecretStoreError) {
    guard !Disk.exists(path) else { throw .damaged }
    var key = Random.bytes(32)
    defer { key.withUnsafeMutableBytes { Random.wipe($0) } }
    try mapping { () throws(DiskFailure) in
      try Disk.write(key, to: keyPath)
      try Disk.sync(keyPath)
      try Disk.syncFolder(keyPath.parentFolder)
    }
  }

  private func key() throws(SecretStoreError) -> SecretBytes {
    let path = keyPath
    let key = try mapping { () throws(DiskFailure) in try Disk.readSecret(path, size: 32) }
    guard let key else { throw .damaged }
    return key
  }

  private func mapping<Result: ~Copyable>(
    _ body: () throws(DiskFailure) -> Result
  ) throws(SecretStoreError) -> Result {
    do throws(DiskFailure) { return try body() } catch { throw SecretStoreError(error) }
  }
}

extension SecretStoreError {
  init(_ failure: DiskFailure) {
    self =
      switch failure.errno {
      case 2: .notFound  // ENOENT
      case 1, 13: .denied  // EPERM, EACCES
      case 28, 122: .full  // ENOSPC, EDQUOT
      case 126: .locked  // ENOKEY: an encrypted folder whose key was taken away
      default: .failed(code: Int(failure.errno))
      }
  }
}

extension String {
  /// The folder that a path lies in.
  package var parentFolder: String {
    guard let slash = lastIndex(of: "/") else { return "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
