/// The settings that a version of SQLCipher encrypts with by default (FORMATS.md, "SQLCipher";
/// sqlcipher.c).
package struct CipherProfile: Equatable, Sendable {
  package enum Hash: String, Sendable {
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    package var byteCount: Int {
      switch self {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    }
  }

  /// Version of SQLCipher whose defaults these are, 0 for others.
  package var version: Int
  package var pageSize: Int
  package var kdf: Hash
  package var iterations: Int
  /// Nothing in version 1: its pages bear only an IV.
  package var hmac: Hash?
  /// Bytes at the start of the first page that are not encrypted: the salt, or a plain header.
  package var plainStart = 16

  /// IV, HMAC and fill at the end of each page, a multiple of the cipher's block.
  package var reserved: Int {
    (16 + (hmac?.byteCount ?? 0) + 15) / 16 * 16
  }

  package static let versions = [
    CipherProfile(version: 4, pageSize: 4096, kdf: .sha512, iterations: 256_000, hmac: .sha512),
    CipherProfile(version: 3, pageSize: 1024, kdf: .sha1, iterations: 64_000, hmac: .sha1),
    CipherProfile(version: 2, pageSize: 1024, kdf: .sha1, iterations: 4000, hmac: .sha1),
    CipherProfile(version: 1, pageSize: 1024, kdf: .sha1, iterations: 4000, hmac: nil),
  ]

  /// The name in reports.
  package var name: String {
    version == 0 ? "SQLCipher, settings of its own" : "SQLCipher \(version)"
  }

  /// Page sizes that a setting may have chosen instead, the likelier ones first.
  package static let pageSizes = [4096, 1024, 8192, 2048, 16_384, 32_768, 65_536, 512]
}
