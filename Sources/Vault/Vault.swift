public import SecretBytes
public import VaultKeys

/// A folder that holds encrypted profiles behind passwords. This value is the locked vault: it holds no
/// key.
///
/// ```swift
/// var typed: [UInt8] = readPassword()
/// let password = SecretBytes(wiping: &typed)
/// let vault = try await Vault.create(at: "/srv/vault", password: password)
/// let session = try await vault.unlock(password: password)
/// let profile = try await session.openProfile()
/// try await profile.write { transaction throws(VaultError) in
///   let talk = try transaction.conversation(named: "notes")
///   try transaction.add("remember the milk", to: talk, sender: "me", sent: 0)
/// }
/// try await session.lock()
/// ```
///
/// Each of four equal key slots holds a wrapped random key, or random bytes. The password, through
/// Argon2id and together with a device secret from a ``SecretStore``, only unwraps; it never is a
/// database key. What each key opens is a *space* with its own profiles, that shares nothing with the
/// others. Four spaces exist from the start, so that neither the files nor the time that unlocking
/// takes say how many are in use.
public struct Vault: Sendable {
  let layout: Layout
  let secrets: any SecretStore
  /// Name of SQLite's file layer, for tests that make it fail.
  package var vfs: String?

  /// A vault in a folder.
  /// - Parameter secrets: Where the device secret is kept. Without one, a sealed file inside the folder
  ///   is used, which binds the vault to nothing: who copies the folder can try passwords elsewhere.
  public init(at path: String, secrets: (any SecretStore)? = nil) {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    layout = Layout(root: path)
    self.secrets = secrets ?? Self.embeddedSecrets(layout)
  }

  private static func embeddedSecrets(_ layout: Layout) -> FileSecretStore {
    FileSecretStore(path: layout.root + "/device", keyPath: layout.root + "/device.key")
  }

  /// Makes a vault in a new or empty folder, with one password.
  /// - Parameter hashing: What each guess of the password costs. It cannot be changed later, since all
  ///   slots share it.
  @discardableResult
  public static func create(
    at path: String, password: borrowing SecretBytes, secrets: (any SecretStore)? = nil,
    hashing: PasswordHashing = .standard
  ) async throws(VaultError) -> Vault {
    let vault = Vault(at: path, secrets: secrets)
    try await vault.make(password: password, hashing: hashing)
    return vault
  }

  /// The same with tables of an older version, for the tests of migration.
  package func make(
    password: borrowing SecretBytes, hashing: PasswordHashing, schema: Int = Schema.newest
  ) async throws(VaultError) {
    try await Session(of: self).create(password: password, hashing: hashing, schema: schema)
  }

  /// Opens the space that the password belongs to.
  public func unlock(password: borrowing SecretBytes) async throws(VaultError) -> Session {
    let session = Session(of: self)
    try await session.unlock(password: password)
    return session
  }

  /// Whether there is a vault in the folder.
  public var exists: Bool { Disk.exists(layout.slots) }
}
