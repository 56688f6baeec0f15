import CSodium
public import SecretBytes
import VaultKeys

/// One value sealed on its own: ChaCha20-Poly1305 (RFC 8439), laid out as CryptoKit's `combined`, so
/// that either side opens what the other sealed.
///
///     nonce 12 ‖ ciphertext ‖ tag 16
public enum SealedBox {
  /// Bytes that sealing adds.
  public static let overhead = 28
  private static let nonceCount = 12
  /// Bytes of the key.
  public static let keyCount = 32

  /// Seals with a new random nonce each time.
  public static func seal(
    _ plaintext: [UInt8], key: borrowing SecretBytes
  ) throws(SealedBoxError) -> [UInt8] {
    try seal(plaintext, key: key, nonce: Random.bytes(nonceCount))
  }

  /// With a given nonce, for test vectors only: a nonce used twice gives both messages away.
  package static func seal(
    _ plaintext: [UInt8], key: borrowing SecretBytes, nonce: [UInt8],
    authenticating data: [UInt8] = []
  ) throws(SealedBoxError) -> [UInt8] {
    guard key.count == keyCount else { throw .keyMissing }
    var combined = nonce + [UInt8](repeating: 0, count: plaintext.count + 16)
    combined.withUnsafeMutableBytes { combined in
      key.withBytes { key in
        _ = crypto_aead_chacha20poly1305_ietf_encrypt(
          combined.bound + nonceCount, nil, plaintext, UInt64(plaintext.count), data,
          UInt64(data.count), nil, nonce, key.bound)
      }
    }
    return combined
  }

  /// The plaintext. A byte that is missing, added or changed anywhere is an error.
  public static func open(
    _ combined: [UInt8], key: borrowing SecretBytes
  ) throws(SealedBoxError) -> [UInt8] {
    guard key.count == keyCount else { throw .keyMissing }
    guard combined.count >= overhead else { throw .truncated(count: combined.count) }
    var plaintext = [UInt8](repeating: 0, count: combined.count - overhead)
    let result = plaintext.withUnsafeMutableBufferPointer { plaintext in
      combined.withUnsafeBytes { combined in
        key.withBytes { key in
          crypto_aead_chacha20poly1305_ietf_decrypt(
            plaintext.baseAddress, nil, nil, combined.bound + nonceCount,
            UInt64(combined.count - nonceCount), nil, 0, combined.bound, key.bound)
        }
      }
    }
    guard result == 0 else { throw .notAuthentic }
    return plaintext
  }
}

/// Why a sealed value did not open.
public enum SealedBoxError: Error, Equatable, Sendable {
  /// There is no key, or one of another length. It is not replaced by a new one.
  case keyMissing
  /// Shorter than nonce and tag together.
  case truncated(count: Int)
  /// Changed, cut off, or sealed with another key.
  case notAuthentic

  /// What is wrong, without a word of what was sealed.
  public var problem: String {
    switch self {
    case .keyMissing: "there is no key of 32 bytes"
    case .truncated(let count): "the sealed value has only \(count) bytes"
    case .notAuthentic: "the sealed value was changed, cut off, or sealed with another key"
    }
  }

  /// What a person can do.
  public var remedy: String {
    switch self {
    case .keyMissing: "restore the key; a new one could not open what the old one sealed"
    case .truncated, .notAuthentic: "restore the value from a backup"
    }
  }
}
