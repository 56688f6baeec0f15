/// A key of an encrypted database as a person gives it.
package indirect enum DatabaseKey: Equatable, Sendable {
  /// 32 bytes, used as they are: `x'…64 hex…'`.
  case raw([UInt8])
  /// 32 bytes and the salt, for files that do not hold theirs: `x'…96 hex…'`.
  case rawWithSalt(key: [UInt8], salt: [UInt8])
  /// Cipher key, HMAC key and salt: `x'…160 hex…'`, since SQLCipher 4.7.
  case rawWithHMACKey(key: [UInt8], hmacKey: [UInt8], salt: [UInt8])
  /// With a salt for files that do not hold theirs.
  case passphrase([UInt8], salt: [UInt8]? = nil)
  /// A key that was replaced: nothing should open under it any more.
  case old(DatabaseKey)

  package var isOld: Bool {
    if case .old = self { return true }
    return false
  }

  /// Whether trying it costs a derivation.
  package var isPassphrase: Bool {
    if case .passphrase = material { return true }
    return false
  }

  /// The key itself, whether it was replaced or not.
  package var material: DatabaseKey {
    if case .old(let key) = self { return key.material }
    return self
  }

  /// Reads 64, 96 or 160 hexadecimal digits, with or without `x'…'` around them.
  package init?(hexadecimal text: String) {
    var digits = Substring(text)
    if digits.hasPrefix("x'") || digits.hasPrefix("X'"), digits.hasSuffix("'") {
      digits = digits.dropFirst(2).dropLast()
    }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in digits.utf8 {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
      if let first = high {
        bytes.append(first << 4 | UInt8(value))
        high = nil
      } else {
        high = UInt8(value)
      }
    }
    guard high == nil else { return nil }
    switch bytes.count {
    case 32: self = .raw(bytes)
    case 48: self = .rawWithSalt(key: Array(bytes[..<32]), salt: Array(bytes[32...]))
    case 80:
      self = .rawWithHMACKey(
        key: Array(bytes[..<32]), hmacKey: Array(bytes[32..<64]), salt: Array(bytes[64...]))
    default: return nil
    }
  }
}

extension DatabaseKey {
  /// The same key for a file whose salt is kept elsewhere; nothing where the key names its salt.
  package func salted(with salt: [UInt8]) -> DatabaseKey? {
    switch self {
    case .raw(let key): .rawWithSalt(key: key, salt: salt)
    case .passphrase(let text, nil): .passphrase(text, salt: salt)
    case .old(let key): key.salted(with: salt).map { .old($0) }
    case .rawWithSalt, .rawWithHMACKey, .passphrase: nil
    }
  }
}
