import CCrypto

/// The SHA-256 of bytes fed in order (FIPS 180-4), by libcrypto, which uses the processor's own
/// instructions where they exist.
@safe public struct SHA256: ~Copyable {
  private let context: OpaquePointer?

  /// The library that does it, with its version.
  public static var library: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }

  public init() {
    unsafe context = EVP_MD_CTX_new()
    _ = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
  }

  deinit {
    unsafe EVP_MD_CTX_free(context)
  }

  public func update(_ bytes: UnsafeRawBufferPointer) {
    _ = unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  public func update(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { unsafe update($0) }
  }

  /// The digest, 32 bytes; the value starts over for the next input.
  public func finish() -> [UInt8] {
    let digest = unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      _ = unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
      count = 32
    }
    _ = unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
    return digest
  }

  /// The digest of one piece of data.
  public static func digest(of bytes: RawSpan) -> [UInt8] {
    let hash = SHA256()
    hash.update(bytes)
    return hash.finish()
  }
}

extension Sequence<UInt8> {
  /// Lower-case hexadecimal digits, two a byte.
  @inlinable
  public var hexadecimal: String {
    func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * underestimatedCount)
    for byte in self {
      digits.append(digit(byte >> 4))
      digits.append(digit(byte & 15))
    }
    return String(decoding: digits, as: UTF8.self)
  }
}
