import CVaultShim
public import SecretBytes

/// Secrets in the desktop's keyring (GNOME Keyring, KWallet, KeePassXC), through the Secret Service.
///
/// The service is asked through libsecret, which is loaded when the store is first used. Replacing is
/// one call of the service: the old or the new secret can be read at each moment. The service keeps the
/// names of items as unsalted MD5, so names must be random: see ``SecretItem/init(neutral:accessGroup:accessibility:)``.
public struct SecretServiceStore: SecretStore {
  private static let longest = 1024

  /// Connects to the session's keyring when it is first used.
  public init() {}

  public func add(_ secret: borrowing SecretBytes, as item: SecretItem) throws(SecretStoreError) {
    do throws(SecretStoreError) {
      _ = try read(item.identity)
    } catch .notFound {
      return try store(secret, item.identity)
    }
    throw .duplicate
  }

  public func update(
    _ secret: borrowing SecretBytes, of item: SecretItem.Identity
  ) throws(SecretStoreError) {
    _ = try read(item)
    try store(secret, item)
  }

  public func read(_ item: SecretItem.Identity) throws(SecretStoreError) -> SecretBytes {
    // The service keeps text: two digits a byte.
    let text = SecretBytes(zeroCount: 2 * Self.longest + 1)
    let result = text.withMutableBytes { text in
      vault_service_read(
        item.service, item.account, item.accessGroup ?? "",
        text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count)
    }
    try SecretStoreError.check(result, "start a keyring and a D-Bus session, and install libsecret")
    guard let secret = HexDigits.decode(text) else { throw .damaged }
    return secret
  }

  public func remove(_ item: SecretItem.Identity) throws(SecretStoreError) {
    try SecretStoreError.check(
      vault_service_remove(item.service, item.account, item.accessGroup ?? ""),
      "start a keyring and a D-Bus session, and install libsecret")
  }

  public func items() throws(SecretStoreError) -> [SecretItem.Identity] {
    var names: [SecretItem.Identity] = []
    let result = withUnsafeMutablePointer(to: &names) { names in
      vault_service_list(
        { context, service, account, group in
          guard let context, let service, let account, let group else { return }
          let name = String(cString: group)
          context.assumingMemoryBound(to: [SecretItem.Identity].self).pointee.append(
            SecretItem.Identity(
              service: String(cString: service), account: String(cString: account),
              accessGroup: name.isEmpty ? nil : name))
        }, names)
    }
    try SecretStoreError.check(result, "start a keyring and a D-Bus session, and install libsecret")
    return names.sorted()
  }

  private func store(
    _ secret: borrowing SecretBytes, _ item: SecretItem.Identity
  ) throws(SecretStoreError) {
    guard secret.count <= Self.longest else { throw .tooLong(limit: Self.longest) }
    let text = HexDigits.encode(secret)
    let result = text.withBytes { text in
      vault_service_store(
        item.service, item.account, item.accessGroup ?? "",
        text.baseAddress?.assumingMemoryBound(to: CChar.self))
    }
    try SecretStoreError.check(result, "start a keyring and a D-Bus session, and install libsecret")
  }
}

extension SecretStoreError {
  /// What a result of the C layer means.
  static func check(_ result: Int32, _ reason: String) throws(SecretStoreError) {
    switch Int(result) {
    case 0: return
    case VAULT_STORE_UNAVAILABLE: throw .unavailable(reason: reason)
    case VAULT_STORE_NOT_FOUND: throw .notFound
    case VAULT_STORE_LOCKED: throw .locked
    case VAULT_STORE_DENIED: throw .denied
    case VAULT_STORE_CHANGED: throw .stateChanged
    default: throw .failed(code: Int(result))
    }
  }
}

/// Keys as text, in guarded memory.
enum HexDigits {
  /// Two digits a byte and a final zero.
  static func encode(_ secret: borrowing SecretBytes) -> SecretBytes {
    let text = SecretBytes(zeroCount: 2 * secret.count + 1)
    text.withMutableBytes { text in
      secret.withBytes { secret in
        for (index, byte) in secret.enumerated() {
          text[2 * index] = digit(byte >> 4)
          text[2 * index + 1] = digit(byte & 15)
        }
      }
    }
    return text
  }

  /// The bytes of a text that ends with a zero; nothing if it is not made of digits.
  static func decode(_ text: borrowing SecretBytes) -> SecretBytes? {
    text.withBytes { text in
      let count = text.firstIndex(of: 0) ?? text.count
      guard count % 2 == 0 else { return nil }
      let secret = SecretBytes(zeroCount: count / 2)
      let isWhole = secret.withMutableBytes { secret in
        var wrong: UInt8 = 0
        for index in 0..<count / 2 {
          let high = value(text[2 * index])
          let low = value(text[2 * index + 1])
          wrong |= (high | low) & 0xf0
          secret[index] = high << 4 | low & 15
        }
        return wrong == 0
      }
      guard isWhole else { return nil }
      return secret
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    UInt8(ascii: "0") &+ value &+ (9 &- value) >> 7 &* 39
  }

  private static func value(_ digit: UInt8) -> UInt8 {
    switch digit {
    case 48...57: digit - 48
    case 97...102: digit - 87
    default: 0xff
    }
  }
}
