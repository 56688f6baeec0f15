/// The name of one secret in a secret store, with who may read it and when: Apple's Keychain in the
/// terms it uses itself.
///
/// Names should be random and say nothing: Secret Service keeps them as unsalted MD5, and every
/// Keychain dump shows them in clear. ``init(neutral:accessGroup:accessibility:)`` makes such names.
public struct SecretItem: Hashable, Sendable {
  /// What the secret is for (`kSecAttrService`).
  public var service: String
  /// Whose it is (`kSecAttrAccount`).
  public var account: String
  /// Programs that share secrets; nothing means the default group.
  public var accessGroup: String?
  /// When it can be read.
  public var accessibility: Accessibility
  /// Whether a person must be there to release it.
  public var needsUserPresence: Bool

  /// An item under names of the caller's own.
  public init(
    service: String, account: String, accessGroup: String? = nil,
    accessibility: Accessibility = .whenUnlockedThisDeviceOnly, needsUserPresence: Bool = false
  ) {
    self.service = service
    self.account = account
    self.accessGroup = accessGroup
    self.accessibility = accessibility
    self.needsUserPresence = needsUserPresence
  }

  /// An item under a name of random digits.
  public init(
    neutral name: [UInt8], accessGroup: String? = nil,
    accessibility: Accessibility = .whenUnlockedThisDeviceOnly
  ) {
    self.init(
      service: "v1." + name.prefix(4).hexDigits, account: name.hexDigits, accessGroup: accessGroup,
      accessibility: accessibility)
  }

  /// When a secret can be read, as `kSecAttrAccessible…` names it. The classes that ignore the lock
  /// (`Always`) do not exist here.
  public enum Accessibility: String, CaseIterable, Sendable {
    case whenUnlocked, whenUnlockedThisDeviceOnly
    case afterFirstUnlock, afterFirstUnlockThisDeviceOnly
    case whenPasscodeSetThisDeviceOnly
  }

  /// What makes two items the same one: service, account and group. The rest are its attributes.
  public struct Identity: Hashable, Comparable, Sendable {
    /// What the secret is for.
    public var service: String
    /// Whose it is.
    public var account: String
    /// Programs that share it; nothing means the default group.
    public var accessGroup: String?

    /// The name of an item that is read, replaced or removed.
    public init(service: String, account: String, accessGroup: String? = nil) {
      self.service = service
      self.account = account
      self.accessGroup = accessGroup
    }

    /// By group, service and account.
    public static func < (one: Identity, other: Identity) -> Bool {
      (one.accessGroup ?? "", one.service, one.account)
        < (other.accessGroup ?? "", other.service, other.account)
    }
  }

  /// The item's name without its attributes.
  public var identity: Identity {
    Identity(service: service, account: account, accessGroup: accessGroup)
  }
}
