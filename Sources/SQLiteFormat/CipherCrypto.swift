import CCrypto

/// The cryptography that SQLCipher uses, by libcrypto.
enum CipherCrypto {
  /// PBKDF2 with HMAC (RFC 8018, §5.2).
  static func derive(
    _ password: [UInt8], salt: [UInt8], iterations: Int, hash: CipherProfile.Hash, count: Int = 32
  ) -> [UInt8]? {
    guard let digest = unsafe EVP_get_digestbyname(hash.rawValue) else { return nil }
    var key = [UInt8](repeating: 0, count: count)
    let succeeded = unsafe password.withUnsafeBufferPointer { password in
      unsafe salt.withUnsafeBufferPointer { salt in
        unsafe key.withUnsafeMutableBufferPointer { key in
          let text = unsafe UnsafeRawPointer(password.baseAddress)?.assumingMemoryBound(
            to: CChar.self)
          return unsafe PKCS5_PBKDF2_HMAC(
            text, Int32(password.count), salt.baseAddress, Int32(salt.count), Int32(iterations),
            digest, Int32(count), key.baseAddress)
        }
      }
    }
    return succeeded == 1 ? key : nil
  }
}

/// Computes the HMACs of pages under one key.
@safe final class PageAuthenticator {
  private let context: OpaquePointer?
  private let byteCount: Int

  init?(key: [UInt8], hash: CipherProfile.Hash) {
    byteCount = hash.byteCount
    guard let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
    unsafe context = EVP_MAC_CTX_new(algorithm)
    unsafe EVP_MAC_free(algorithm)
    let isReady = unsafe vestige_mac_init(context, key, key.count, hash.rawValue)
    guard isReady == 1 else { return nil }
  }

  deinit {
    unsafe EVP_MAC_CTX_free(context)
  }

  /// Whether the HMAC of content and page number is the one at `offset` of the page.
  func verifies(_ page: RawSpan, content: Range<Int>, number: UInt32, tagAt offset: Int) -> Bool {
    guard content.upperBound <= page.byteCount, offset <= page.byteCount - byteCount,
      unsafe EVP_MAC_init(context, nil, 0, nil) == 1
    else { return false }
    let little = number.littleEndian
    var suffix = [UInt8](repeating: 0, count: 4)
    for index in 0..<4 { suffix[index] = UInt8(truncatingIfNeeded: little >> (8 * index)) }
    var tag = [UInt8](repeating: 0, count: 64)
    var written = 0
    return unsafe page.withUnsafeBytes { bytes in
      let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[content])
      guard unsafe EVP_MAC_update(context, part.baseAddress, part.count) == 1,
        unsafe EVP_MAC_update(context, suffix, 4) == 1,
        unsafe EVP_MAC_final(context, &tag, &written, tag.count) == 1, written == byteCount
      else { return false }
      return unsafe tag[..<written].elementsEqual(bytes[offset..<offset + byteCount])
    }
  }
}

/// Decrypts pages under one key: AES-256 in CBC mode without padding.
@safe final class PageDecryptor {
  private let context: OpaquePointer?
  private let key: [UInt8]

  init?(key: [UInt8]) {
    guard key.count == 32 else { return nil }
    self.key = key
    unsafe context = EVP_CIPHER_CTX_new()
  }

  deinit {
    unsafe EVP_CIPHER_CTX_free(context)
  }

  /// The plaintext of `range`, a multiple of 16 bytes.
  func decrypt(_ page: RawSpan, range: Range<Int>, ivAt offset: Int) -> [UInt8]? {
    guard range.count % 16 == 0, !range.isEmpty, range.upperBound <= page.byteCount,
      offset <= page.byteCount - 16
    else { return nil }
    var plain = [UInt8](repeating: 0, count: range.count)
    var written: Int32 = 0
    let succeeded = unsafe page.withUnsafeBytes { bytes -> Bool in
      let iv = unsafe Array(bytes[offset..<offset + 16])
      guard unsafe EVP_DecryptInit_ex(context, EVP_aes_256_cbc(), nil, key, iv) == 1,
        unsafe EVP_CIPHER_CTX_set_padding(context, 0) == 1
      else { return false }
      let input = unsafe UnsafeRawBufferPointer(rebasing: bytes[range]).assumingMemoryBound(
        to: UInt8.self)
      return unsafe EVP_DecryptUpdate(
        context, &plain, &written, input.baseAddress, Int32(range.count)) == 1
    }
    return succeeded && Int(written) == range.count ? plain : nil
  }
}
