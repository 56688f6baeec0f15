import Bytes
import CCrypto

/// The secret half of an Ed25519 key pair (RFC 8032): 32 bytes that are wiped when they are no longer
/// needed and never printed.
package struct SigningKey: ~Copyable {
  private let seed: UnsafeMutableRawBufferPointer

  /// What is not a key that can sign.
  package enum Failure: Error, Equatable {
    case notAKey
    case refused
  }

  /// The key in a PEM file as `openssl genpkey -algorithm ed25519` writes it, or as 64 hexadecimal digits.
  package init(text: String) throws(Failure) {
    let digits = text.filter { !$0.isWhitespace }
    let bytes: [UInt8]
    if let raw = [UInt8](hexadecimal: digits), raw.count == 32 {
      bytes = raw
    } else if let body = Self.body(of: text, label: "PRIVATE KEY"),
      body.count == Self.privatePrefix.count + 32, body.starts(with: Self.privatePrefix)
    {
      bytes = Array(body.suffix(32))
    } else {
      throw .notAKey
    }
    seed = .allocate(byteCount: 32, alignment: 1)
    seed.copyBytes(from: bytes)
  }

  deinit {
    OPENSSL_cleanse(seed.baseAddress, seed.count)
    seed.deallocate()
  }

  /// The DER that stands before the key in PKCS#8 (RFC 8410, §7), and before a public key (§4).
  private static let privatePrefix: [UInt8] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
  ]
  static let publicPrefix: [UInt8] = [
    0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
  ]

  /// What stands between the lines of a PEM file.
  static func body(of text: String, label: String) -> [UInt8]? {
    guard let start = text.range(of: "-----BEGIN \(label)-----"),
      let end = text.range(of: "-----END \(label)-----", after: start.upperBound)
    else { return nil }
    return Base64.decode(Array(text[start.upperBound..<end.lowerBound].utf8).span.bytes)
  }

  private func withKey<Result>(
    _ body: (OpaquePointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let start = seed.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard let key = EVP_PKEY_new_raw_private_key(Self.algorithm, nil, start, 32) else {
      throw .refused
    }
    defer { EVP_PKEY_free(key) }
    return try body(key)
  }

  /// NID_ED25519 of obj_mac.h, which the importer does not see behind two macros.
  static let algorithm: Int32 = 1087

  package var verifyingKey: VerifyingKey {
    get throws(Failure) {
      try withKey { (key) throws(Failure) in
        var bytes = [UInt8](repeating: 0, count: 32)
        var count = 32
        guard EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1, count == 32 else {
          throw .refused
        }
        return VerifyingKey(bytes: bytes)
      }
    }
  }

  /// The signature, 64 bytes.
  package func signature(of message: [UInt8]) throws(Failure) -> [UInt8] {
    try withKey { (key) throws(Failure) in
      guard let context = EVP_MD_CTX_new() else { throw .refused }
      defer { EVP_MD_CTX_free(context) }
      var signature = [UInt8](repeating: 0, count: 64)
      var count = 64
      guard EVP_DigestSignInit(context, nil, nil, nil, key) == 1,
        EVP_DigestSign(context, &signature, &count, message, message.count) == 1, count == 64
      else { throw .refused }
      return signature
    }
  }
}

/// The public half: who has it can tell that the owner of the secret half signed.
package struct VerifyingKey: Equatable, Sendable {
  package let bytes: [UInt8]

  package var text: String { bytes.hexadecimal }

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// A PEM file as `openssl pkey -pubout` writes it, or 64 hexadecimal digits.
  package init?(text: String) {
    if let raw = [UInt8](hexadecimal: text.filter { !$0.isWhitespace }), raw.count == 32 {
      bytes = raw
    } else if let body = SigningKey.body(of: text, label: "PUBLIC KEY"),
      body.count == 44, body.starts(with: SigningKey.publicPrefix)
    {
      bytes = Array(body.suffix(32))
    } else {
      return nil
    }
  }

  package func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard signature.count == 64,
      let key = EVP_PKEY_new_raw_public_key(SigningKey.algorithm, nil, bytes, bytes.count)
    else { return false }
    defer { EVP_PKEY_free(key) }
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }
}

extension String {
  fileprivate func range(of part: String) -> Range<Index>? { range(of: part, after: startIndex) }

  /// Where a text stands behind an index.
  fileprivate func range(of part: String, after start: Index) -> Range<Index>? {
    self[start...].firstRange(of: part)
  }
}
