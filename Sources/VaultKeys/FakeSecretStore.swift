public import SecretBytes
import Synchronization

/// A store in memory that walks through a device's lock states and fails when told to: for the tests
/// of apps that use a vault.
///
/// It behaves as Apple's Keychain does: before the first unlock nothing can be read, while locked only
/// what is accessible after the first unlock, and a group that the program has no entitlement for is
/// denied.
public final class FakeSecretStore: SecretStore {
  /// What the device is doing.
  public enum State: Sendable {
    case beforeFirstUnlock, locked, unlocked
  }

  /// A secret cannot stand in a dictionary, since it cannot be copied: its holder can.
  private final class Holder: Sendable {
    let item: SecretItem
    let secret: SecretBytes

    init(_ item: SecretItem, _ secret: borrowing SecretBytes) {
      self.item = item
      self.secret = secret.duplicate()
    }
  }

  private struct Content {
    var state = State.unlocked
    var hasPasscode = true
    var isUserPresent = true
    var holders: [SecretItem.Identity: Holder] = [:]
    var failures: [SecretStoreError] = []
    var callCount = 0
  }
  private let content = Mutex(Content())
  /// Groups this program may use; nothing means that it has no entitlements file.
  private let groups: AccessGroups?

  /// An empty store, unlocked.
  public init(groups: AccessGroups? = nil) {
    self.groups = groups
  }

  /// The lock state that the next call sees.
  public func enter(_ state: State) { content.withLock { $0.state = state } }

  /// Whether a person would confirm.
  public func setUserPresent(_ isPresent: Bool) {
    content.withLock { $0.isUserPresent = isPresent }
  }

  /// Removing the passcode makes items that need one unreadable for good.
  public func removePasscode() {
    content.withLock { content in
      content.hasPasscode = false
      content.holders = content.holders.filter {
        $0.value.item.accessibility != .whenPasscodeSetThisDeviceOnly
      }
    }
  }

  /// Makes the next calls fail, one each.
  public func fail(with errors: [SecretStoreError]) {
    content.withLock { $0.failures += errors }
  }

  /// How many calls there were: both results of an unlocking must make the same number.
  public var callCount: Int { content.withLock { $0.callCount } }

  public func add(_ secret: borrowing SecretBytes, as item: SecretItem) throws(SecretStoreError) {
    let item = try resolved(item)
    let holder = Holder(item, secret)
    try content.withLock { content throws(SecretStoreError) in
      try Self.begin(&content)
      try Self.check(item, content)
      guard content.holders[item.identity] == nil else { throw .duplicate }
      content.holders[item.identity] = holder
    }
  }

  public func update(
    _ secret: borrowing SecretBytes, of item: SecretItem.Identity
  ) throws(SecretStoreError) {
    let item = try resolved(item)
    let copy = Holder(SecretItem(service: item.service, account: item.account), secret)
    try content.withLock { content throws(SecretStoreError) in
      try Self.begin(&content)
      guard let old = content.holders[item] else { throw .notFound }
      try Self.check(old.item, content)
      content.holders[item] = Holder(old.item, copy.secret)
    }
  }

  public func read(_ item: SecretItem.Identity) throws(SecretStoreError) -> SecretBytes {
    let item = try resolved(item)
    let holder = try content.withLock { content throws(SecretStoreError) in
      try Self.begin(&content)
      guard let holder = content.holders[item] else { throw .notFound }
      try Self.check(holder.item, content)
      return holder
    }
    return holder.secret.duplicate()
  }

  public func remove(_ item: SecretItem.Identity) throws(SecretStoreError) {
    let item = try resolved(item)
    try content.withLock { content throws(SecretStoreError) in
      try Self.begin(&content)
      guard content.holders.removeValue(forKey: item) != nil else { throw .notFound }
    }
  }

  public func items() throws(SecretStoreError) -> [SecretItem.Identity] {
    try content.withLock { content throws(SecretStoreError) in
      try Self.begin(&content)
      return content.holders.keys.sorted()
    }
  }

  private func resolved(_ item: SecretItem) throws(SecretStoreError) -> SecretItem {
    var item = item
    item.accessGroup = try resolved(item.identity).accessGroup
    return item
  }

  private func resolved(
    _ item: SecretItem.Identity
  ) throws(SecretStoreError) -> SecretItem.Identity {
    guard let groups else { return item }
    var item = item
    item.accessGroup = try groups.resolve(item.accessGroup)
    return item
  }

  private static func begin(_ content: inout Content) throws(SecretStoreError) {
    content.callCount += 1
    if !content.failures.isEmpty { throw content.failures.removeFirst() }
    if content.state == .beforeFirstUnlock { throw .beforeFirstUnlock }
  }

  private static func check(
    _ item: SecretItem, _ content: Content
  ) throws(SecretStoreError) {
    switch item.accessibility {
    case .afterFirstUnlock, .afterFirstUnlockThisDeviceOnly: break
    case .whenUnlocked, .whenUnlockedThisDeviceOnly:
      if content.state == .locked { throw .locked }
    case .whenPasscodeSetThisDeviceOnly:
      guard content.hasPasscode else { throw .denied }
      if content.state == .locked { throw .locked }
    }
    if item.needsUserPresence, !content.isUserPresent { throw .userPresenceRequired }
  }
}
