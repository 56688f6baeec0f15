import Bytes

/// An encrypted database to which a key was found: verifies and decrypts its pages, those of its
/// log's frames and of its journal's records alike.
package final class CipherFile {
  package let profile: CipherProfile
  /// Which of the keys that were tried it is, from 0.
  package let keyIndex: Int
  /// The derived keys, which are secrets themselves and become needles.
  package let cipherKey: [UInt8]
  package let hmacKey: [UInt8]?
  private let authenticator: PageAuthenticator?
  private let decryptor: PageDecryptor

  init?(profile: CipherProfile, keyIndex: Int, cipherKey: [UInt8], hmacKey: [UInt8]?) {
    guard let decryptor = PageDecryptor(key: cipherKey) else { return nil }
    self.profile = profile
    self.keyIndex = keyIndex
    self.cipherKey = cipherKey
    self.hmacKey = hmacKey
    self.decryptor = decryptor
    if let hash = profile.hmac, let hmacKey {
      authenticator = PageAuthenticator(key: hmacKey, hash: hash)
    } else {
      authenticator = nil
    }
  }

  /// What a page turned out to be under the key.
  package enum PageState: UInt8, Sendable {
    /// Its HMAC fits, or, without HMACs, its plaintext is a page.
    case verified
    /// Nothing but zeros: written by auto-vacuum or never used.
    case zero
    /// Readable as it lies.
    case plaintext
    /// Under another key, or damaged.
    case failed
  }

  package var geometry: PageGeometry? {
    PageGeometry(pageSize: profile.pageSize, reserved: profile.reserved)
  }

  private var end: Int { profile.pageSize - profile.reserved }

  private func start(of page: UInt32) -> Int { page == 1 ? profile.plainStart : 0 }

  package func state(of bytes: RawSpan, page: UInt32) -> PageState {
    guard bytes.byteCount >= profile.pageSize else { return .failed }
    if authenticator != nil, isVerified(bytes, page: page) { return .verified }
    if (0..<bytes.byteCount).allSatisfy({ bytes[at: $0] == 0 }) { return .zero }
    if authenticator == nil, plaintextIsPage(bytes, page: page) { return .verified }
    if CipherStatistics.verdict(of: bytes) == .plaintext { return .plaintext }
    return .failed
  }

  /// The HMAC covers the ciphertext, the IV and the page number.
  func isVerified(_ bytes: RawSpan, page: UInt32) -> Bool {
    guard let authenticator, bytes.byteCount >= profile.pageSize else { return false }
    return authenticator.verifies(
      bytes, content: start(of: page)..<end + 16, number: page, tagAt: end + 16)
  }

  /// Version 1 has no HMACs: the first page must decrypt to a header, others must not look random.
  func plaintextIsPage(_ bytes: RawSpan, page: UInt32) -> Bool {
    guard let plain = decrypted(bytes, page: page) else { return false }
    let span = unsafe plain.span.bytes
    guard page == 1 else { return CipherStatistics.verdict(of: span) != .encrypted }
    // Newer libraries that write the old version reserve what their own would need.
    guard let header = try? DatabaseHeader(parsing: span),
      header.geometry.pageSize == profile.pageSize, header.geometry.reserved >= profile.reserved
    else { return false }
    return header.geometry.reserved % 16 == 0 && span[at: 21] == 64 && span[at: 22] == 32
      && span[at: 23] == 32
  }

  /// The page as SQLite sees it: reserved bytes zero, the first page with its magic.
  package func decrypted(_ bytes: RawSpan, page: UInt32) -> [UInt8]? {
    guard bytes.byteCount >= profile.pageSize else { return nil }
    let start = start(of: page)
    guard let plain = decryptor.decrypt(bytes, range: start..<end, ivAt: end) else { return nil }
    var whole: [UInt8] = []
    whole.reserveCapacity(profile.pageSize)
    if page == 1 {
      whole = bytes.clamped(to: 0..<start).copied()
      if start <= 16 { whole = Array("SQLite format 3\0".utf8) }
    }
    whole.append(contentsOf: plain)
    whole.append(contentsOf: repeatElement(0, count: profile.pageSize - whole.count))
    return whole
  }
}
