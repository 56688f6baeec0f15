public import SecretBytes

/// Passwords by user and service: the small interface that old Keychain wrappers have, over any
/// ``SecretStore``.
///
/// An existing password is replaced in place; it is never deleted first, so that a failure in between
/// cannot lose it.
public struct PasswordKeeper: Sendable {
  private let store: any SecretStore
  private let accessGroup: String?

  /// - Parameter accessGroup: Programs that share the passwords; nothing means the default group.
  public init(_ store: any SecretStore, accessGroup: String? = nil) {
    self.store = store
    self.accessGroup = accessGroup
  }

  /// The password of a user for a service. `notFound` and `locked` are different answers: never take
  /// the second for the first.
  public func password(
    of user: String, for service: String
  ) throws(SecretStoreError) -> SecretBytes {
    try store.read(identity(user, service))
  }

  /// Keeps a password. If there is one already it is replaced when `updateExisting` says so, and the
  /// call is refused with `duplicate` otherwise.
  public func store(
    _ password: borrowing SecretBytes, of user: String, for service: String,
    updateExisting: Bool
  ) throws(SecretStoreError) {
    let item = SecretItem(service: service, account: user, accessGroup: accessGroup)
    do throws(SecretStoreError) {
      try store.add(password, as: item)
    } catch .duplicate where updateExisting {
      try store.update(password, of: item.identity)
    }
  }

  /// Deletes exactly this password.
  public func delete(_ user: String, for service: String) throws(SecretStoreError) {
    try store.remove(identity(user, service))
  }

  private func identity(_ user: String, _ service: String) -> SecretItem.Identity {
    SecretItem.Identity(service: service, account: user, accessGroup: accessGroup)
  }
}
