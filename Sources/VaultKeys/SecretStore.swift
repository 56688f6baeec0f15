public import SecretBytes

/// A place that keeps secrets for programs: the Keychain, the Secret Service, a TPM, a sealed file.
///
/// All stores keep the Keychain's semantics: an item that is there but not readable now is `locked`,
/// never `notFound`. The difference decides whether data lives: whoever takes `locked` for `notFound`
/// makes a new key and loses everything the old one sealed.
public protocol SecretStore: Sendable {
  /// Keeps a new secret; refuses with `duplicate` if the name is taken.
  func add(_ secret: borrowing SecretBytes, as item: SecretItem) throws(SecretStoreError)

  /// Replaces the secret of an item in place: at each moment the old or the new one can be read.
  func update(_ secret: borrowing SecretBytes, of item: SecretItem.Identity)
    throws(SecretStoreError)

  /// The secret of an item.
  func read(_ item: SecretItem.Identity) throws(SecretStoreError) -> SecretBytes

  /// Removes exactly this item.
  func remove(_ item: SecretItem.Identity) throws(SecretStoreError)

  /// The names this store holds, sorted, without their secrets.
  func items() throws(SecretStoreError) -> [SecretItem.Identity]
}

extension SecretStore {
  /// Removes exactly the listed items, then enumerates: none of them may be left, and nothing else
  /// may be gone. Items that were gone before are as good.
  public func remove(exactly list: [SecretItem.Identity]) throws(SecretStoreError) {
    let before = try items()
    for item in list {
      do throws(SecretStoreError) {
        try remove(item)
      } catch .notFound {
        continue
      }
    }
    let expected = before.filter { !list.contains($0) }
    guard try items() == expected else { throw .removalIncomplete }
  }
}

/// Why a secret store did not do what it was asked.
public enum SecretStoreError: Error, Equatable, Sendable {
  /// There is no such item.
  case notFound
  /// The item is there and cannot be read while the store is locked: wait, never replace it.
  case locked
  /// The device was not unlocked since it started: the item cannot even be looked for.
  case beforeFirstUnlock
  /// This program may not read the item.
  case denied
  /// A person has to confirm, and did not.
  case userPresenceRequired
  /// The name is taken.
  case duplicate
  /// Items differ from what removing exactly the listed ones leaves.
  case removalIncomplete
  /// The item was sealed for a machine state, or a security chip's seed, that is no longer there.
  case stateChanged
  /// The store's own file was changed or cut off.
  case damaged
  /// The store cannot hold a secret of this length.
  case tooLong(limit: Int)
  /// The store does not exist on this system.
  case unavailable(reason: String)
  /// There is no room on the store's disk.
  case full
  /// The store failed: a number of the system or of the store.
  case failed(code: Int)

  /// What is wrong, lower case, never a secret.
  public var problem: String {
    switch self {
    case .notFound: "the secret store has no such item"
    case .locked: "the secret store is locked"
    case .beforeFirstUnlock: "the device was not unlocked since it started"
    case .denied: "the secret store refuses this program"
    case .userPresenceRequired: "the secret store wants a person to confirm"
    case .duplicate: "the secret store has an item of this name already"
    case .removalIncomplete: "the secret store still holds an item, or lost another one"
    case .stateChanged: "the secret was sealed for another state of this machine"
    case .damaged: "the secret store's file was changed or cut off"
    case .tooLong(let limit): "the secret store keeps at most \(limit) bytes an item"
    case .unavailable(let reason): "the secret store is not available: \(reason)"
    case .full: "the disk of the secret store is full"
    case .failed(let code): "the secret store failed with code \(code)"
    }
  }

  /// What the person can do.
  public var remedy: String {
    switch self {
    case .notFound: "unlock on the device the vault was made on; no new key is made"
    case .locked, .beforeFirstUnlock: "unlock the device or keyring and try again; nothing is lost"
    case .denied: "give the program access to the item, or its access group"
    case .userPresenceRequired: "try again and confirm"
    case .duplicate: "update the item instead"
    case .removalIncomplete: "list the store's items and run the command again"
    case .stateChanged: "boot the state it was sealed in; after the chip was cleared it is lost"
    case .damaged: "restore the file from a backup; nothing was deleted"
    case .tooLong: "keep a key there and the data in the vault"
    case .unavailable: "start it, or choose another store with --secrets"
    case .full: "free some space and try again; nothing was changed"
    case .failed: "see the store's own log"
    }
  }
}
