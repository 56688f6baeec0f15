import CCrypto

/// Keyed hashes (RFC 2104) by libcrypto.
public enum HMAC {
  /// HMAC-SHA-256, 32 bytes.
  public static func sha256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      var length: UInt32 = 0
      _ = unsafe CCrypto.HMAC(
        EVP_sha256(), key, Int32(key.count), message, message.count, buffer.baseAddress, &length)
      count = Int(length)
    }
  }
}
