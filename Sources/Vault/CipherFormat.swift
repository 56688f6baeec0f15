/// Version of SQLCipher's page format. A store records which it has; SQLCipher 3 reads format 3 only,
/// SQLCipher 4 reads both and writes 4.
package enum CipherFormat: UInt8, Sendable {
  /// AES-256-CBC, HMAC-SHA1, 48 bytes reserved a page.
  case three = 3
  /// AES-256-CBC, HMAC-SHA512, 80 bytes reserved a page.
  case four = 4

  /// Both are used with pages of this size, whatever the library's own default.
  package static let pageSize = 4096

  /// Initialisation vector, authentication code and padding at the end of each page.
  package var reservedCount: Int {
    switch self {
    case .three: 48
    case .four: 80
    }
  }
}
