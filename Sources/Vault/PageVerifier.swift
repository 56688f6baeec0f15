import CCrypto
package import SecretBytes
import VaultKeys

/// Checks the authentication code of every page of a database file, without SQLCipher: its own check
/// exists from version 4 on, and on version 3 the same pragma succeeds without checking anything
/// (STORE.md §1.2).
///
///     a page   ciphertext ‖ IV 16 ‖ code 20 or 64 ‖ padding; page 1 starts with the salt, 16
///     code     HMAC(hmac key, page without salt up to and with the IV ‖ page number, 4, little-endian)
///     hmac key PBKDF2(key, salt XOR 0x3a, 2 rounds, 32)
package struct PageVerifier {
  private let format: CipherFormat

  package init(format: CipherFormat) {
    self.format = format
  }

  /// How many pages the file has. Unlike SQLCipher, this refuses a page of zeros.
  @discardableResult
  package func verify(
    _ path: String, key: borrowing SecretBytes
  ) throws(VaultError) -> Int {
    let size = CipherFormat.pageSize
    guard let byteCount = Disk.size(path), byteCount >= size, byteCount % size == 0 else {
      throw .damaged
    }
    let salt = try onDisk { () throws(DiskFailure) in try Disk.read(path, limit: 16) }
    let code = try PageCode(format: format, key: key, salt: salt)
    let pageCount = byteCount / size
    let batch = 256
    for first in stride(from: 0, to: pageCount, by: batch) {
      let count = min(batch, pageCount - first)
      let bytes = try onDisk { () throws(DiskFailure) in
        try Disk.read(path, at: first * size, limit: count * size)
      }
      guard bytes.count == count * size else { throw .damaged }
      for index in 0..<count {
        guard code.isGenuine(bytes[index * size..<(index + 1) * size], number: first + index + 1)
        else { throw .pageDamaged(page: first + index + 1) }
      }
    }
    return pageCount
  }
}

/// The keyed state that computes a page's code.
final class PageCode {
  private let format: CipherFormat
  private let context: OpaquePointer

  init(format: CipherFormat, key: borrowing SecretBytes, salt: [UInt8]) throws(VaultError) {
    self.format = format
    guard let algorithm = EVP_MAC_fetch(nil, "HMAC", nil) else { throw .outOfMemory }
    defer { EVP_MAC_free(algorithm) }
    guard let context = EVP_MAC_CTX_new(algorithm) else { throw .outOfMemory }
    self.context = context
    let macKey = SecretBytes(zeroCount: 32)
    let macSalt = salt.map { $0 ^ 0x3a }
    let digest = format == .three ? EVP_sha1() : EVP_sha512()
    var isReady: Int32 = 0
    macKey.withMutableBytes { macKey in
      key.withBytes { key in
        isReady = PKCS5_PBKDF2_HMAC(
          UnsafeRawPointer(key.bound).assumingMemoryBound(to: CChar.self), Int32(key.count),
          macSalt, Int32(macSalt.count), 2, digest, 32, macKey.bound)
      }
    }
    macKey.withBytes { macKey in
      isReady &= vestige_mac_init(
        context, macKey.bound, 32, format == .three ? "SHA1" : "SHA512")
    }
    guard isReady == 1 else { throw .wrongLibrary(reason: "libcrypto has no HMAC") }
  }

  deinit { EVP_MAC_CTX_free(context) }

  func isGenuine(_ page: ArraySlice<UInt8>, number: Int) -> Bool {
    let codeStart = page.count - format.reservedCount + 16
    let codeCount = format == .three ? 20 : 64
    let start = number == 1 ? 16 : 0
    var computed = [UInt8](repeating: 0, count: 64)
    var computedCount = 0
    return page.withUnsafeBytes { page in
      withUnsafeBytes(of: UInt32(number).littleEndian) { number in
        // Without a key the context starts over with the one it has.
        EVP_MAC_init(context, nil, 0, nil) == 1
          && EVP_MAC_update(context, page.bound + start, codeStart - start) == 1
          && EVP_MAC_update(context, number.bound, 4) == 1
          && EVP_MAC_final(context, &computed, &computedCount, 64) == 1
          && computedCount == codeCount
          && CRYPTO_memcmp(page.bound + codeStart, computed, codeCount) == 0
      }
    }
  }
}
