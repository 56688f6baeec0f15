import SecretBytes
import VaultKeys

/// An unlocked space: it holds the space's key, opens profiles, and changes passwords and keys.
///
/// While a session exists no other one, in any process, can open the vault. ``lock()`` closes the
/// profiles and wipes the key.
public actor Session {
  let vault: Vault
  let executor = QueueExecutor(label: "vault.session")
  var lockHeld: VaultLock?
  var space: SpaceKey?
  var profiles: [Int: Profile] = [:]
  var opening: [Int: Task<Result<Profile, VaultError>, Never>] = [:]

  /// More profiles than this a space cannot have.
  public static let profileLimit = 64

  /// The session's own queue: deriving a key takes long and must not hold up other tasks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  init(of vault: Vault) {
    self.vault = vault
  }

  var layout: Layout { vault.layout }

  /// The space's key, lent for one operation.
  func withSpace<Result: ~Copyable>(
    _ body: (borrowing SpaceKey) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    switch space {
    case .some(let space): return try body(space)
    case .none: throw .closed
    }
  }
}

// MARK: Locking and unlocking

extension Session {
  func unlock(password: borrowing SecretBytes) throws(VaultError) {
    guard Disk.exists(layout.root), Disk.exists(layout.spaces) || Disk.exists(layout.slots) else {
      throw .notAVault(path: layout.root)
    }
    let held = try VaultLock(layout)
    try checkTombstones()
    guard Disk.exists(layout.slots) else { throw .slotsMissing(path: layout.root) }
    let slots = try SlotFile(reading: layout.slots)
    let deviceSecret = try deviceSecret(of: slots.table)
    let opened = try mapping { () throws(KeyError) in
      let key = try slots.table.derive(password: password, deviceSecret: deviceSecret)
      return try slots.table.open(key)
    }
    space = consume opened
    lockHeld = held
  }

  func deviceSecret(of table: SlotTable) throws(VaultError) -> SecretBytes {
    let item = SecretItem(neutral: table.deviceName)
    do throws(SecretStoreError) {
      return try vault.secrets.read(item.identity)
    } catch {
      throw .secrets(error)
    }
  }

  private func checkTombstones() throws(VaultError) {
    let names = try onDisk { () throws(DiskFailure) in try Disk.names(in: layout.root) }
    guard !names.contains(where: { $0.hasPrefix("erase.") }) else { throw .erasePending }
    for name in names where name.hasPrefix(ProfileMaker.prefix) {
      try onDisk { () throws(DiskFailure) in
        try Disk.removeTree(layout.root + "/" + name)
      }
    }
  }

  /// Closes every profile and wipes the key. The vault is locked when it returns, whatever it throws.
  public func lock(timeout: Duration = .seconds(5)) async throws(VaultError) {
    let open = profiles.sorted { $0.key < $1.key }
    profiles = [:]
    space = nil
    var failure: VaultError?
    for (_, profile) in open {
      do throws(VaultError) { try await profile.close(timeout: timeout) } catch {
        failure = failure ?? error
      }
    }
    // It was given up where the disk was full; what the open databases took beside them is free again.
    if lockHeld != nil { Ballast.restore(at: layout.ballast) }
    lockHeld = nil
    if let failure { throw failure }
  }
}
