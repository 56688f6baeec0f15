package import Bytes

/// Finds which of some keys opens a database, and with which settings.
package struct CipherOpener {
  private let keys: [DatabaseKey]
  /// The first pages, enough to try on.
  private let head: [UInt8]
  /// Pages from elsewhere, frames of the database's log: after a change of keys they may be all that
  /// a key opens.
  private let samples: [(page: UInt32, bytes: [UInt8])]
  private let plainHeader: DatabaseHeader?
  /// Stretches from all over the file, which start where a page of any size does: the first pages may
  /// be damaged.
  private let spread: [(offset: Int, bytes: [UInt8])]

  package init(
    _ source: any ByteSource, keys: [DatabaseKey], samples: [(page: UInt32, bytes: [UInt8])] = []
  ) {
    self.keys = keys
    self.samples = samples
    let bytes = (try? source.bytes(at: 0, count: 131_072)) ?? []
    head = bytes
    let largest = PageGeometry.largestPage
    let step = max(largest, source.byteCount / 16 / largest * largest)
    spread = stride(from: 2 * largest, to: source.byteCount, by: step).prefix(16).compactMap {
      offset in
      (try? source.bytes(at: offset, count: largest)).map { (offset, $0) }
    }
    plainHeader = try? DatabaseHeader(parsing: unsafe bytes.span.bytes)
  }

  /// One opened file for every key that fits.
  package func open() -> [CipherFile] {
    keys.indices.compactMap { open(with: $0) }
  }

  /// The opened file for one key, or nothing where it does not fit.
  package func open(with index: Int) -> CipherFile? {
    guard head.count >= 512 else { return nil }
    var derived = DerivedKeys()
    for profile in profiles {
      guard let file = file(for: index, profile: profile, &derived), fits(file) else { continue }
      return file
    }
    return nil
  }

  /// A file as it would be under a key and the settings that another key proved: whether any page opens
  /// under it is for the caller to see.
  package func file(for index: Int, like other: CipherFile) -> CipherFile? {
    guard head.count >= 16 else { return nil }
    var derived = DerivedKeys()
    return file(for: index, profile: other.profile, &derived)
  }

  /// Keys made from one passphrase, by how they are made: versions share them.
  private typealias DerivedKeys = [String: [UInt8]]

  private func file(
    for index: Int, profile: CipherProfile, _ derived: inout DerivedKeys
  ) -> CipherFile? {
    let stored = Array(head[..<16])
    switch keys[index].material {
    case .passphrase(let text, let stated):
      let salt = stated ?? stored
      let name = "\(profile.kdf.rawValue) \(profile.iterations)"
      let key =
        derived[name]
        ?? CipherCrypto.derive(
          text, salt: salt, iterations: profile.iterations, hash: profile.kdf)
      derived[name] = key
      return key.flatMap { file(profile, key: $0, hmacKey: nil, salt: salt, index: index) }
    case .raw(let key):
      return file(profile, key: key, hmacKey: nil, salt: stored, index: index)
    case .rawWithSalt(let key, let salt):
      return file(profile, key: key, hmacKey: nil, salt: salt, index: index)
    case .rawWithHMACKey(let key, let hmacKey, let salt):
      return file(profile, key: key, hmacKey: hmacKey, salt: salt, index: index)
    case .old:
      return nil
    }
  }

  /// The defaults of each version, then the same with other page sizes.
  private var profiles: [CipherProfile] {
    if let plainHeader {
      var profile = CipherProfile.versions[0]
      profile.pageSize = plainHeader.geometry.pageSize
      profile.plainStart = 32
      var older = profile
      older.kdf = .sha1
      older.hmac = .sha1
      older.version = 0
      return [profile, older]
    }
    var all = CipherProfile.versions
    for base in CipherProfile.versions {
      for size in CipherProfile.pageSizes where size != base.pageSize {
        var profile = base
        profile.pageSize = size
        all.append(profile)
      }
    }
    return all
  }

  private func file(
    _ profile: CipherProfile, key: [UInt8], hmacKey: [UInt8]?, salt: [UInt8], index: Int
  ) -> CipherFile? {
    var authentication = hmacKey
    if authentication == nil, profile.hmac != nil {
      authentication = CipherCrypto.derive(
        key, salt: salt.map { $0 ^ 0x3a }, iterations: 2, hash: profile.kdf)
    }
    return CipherFile(
      profile: profile, keyIndex: index, cipherKey: key, hmacKey: authentication)
  }

  /// Any page that verifies proves the key.
  private func fits(_ file: CipherFile) -> Bool {
    let size = file.profile.pageSize
    guard head.count >= size else { return false }
    let all = unsafe head.span.bytes
    if file.profile.hmac == nil {
      return file.plaintextIsPage(all.clamped(to: 0..<size), page: 1)
    }
    for number in 1...max(1, min(head.count / size, 8)) {
      let page = all.clamped(to: (number - 1) * size..<number * size)
      if file.isVerified(page, page: UInt32(number)) { return true }
    }
    for stretch in spread where stretch.bytes.count >= size {
      let page = unsafe stretch.bytes.span.bytes.clamped(to: 0..<size)
      if file.isVerified(page, page: UInt32(clamping: stretch.offset / size + 1)) { return true }
    }
    return samples.contains { sample in
      sample.bytes.count >= size
        && file.isVerified(unsafe sample.bytes.span.bytes, page: sample.page)
    }
  }

  /// The keys that SQLCipher derives from a key for a database with this salt: secrets themselves,
  /// which must stand nowhere either.
  package static func derivedKeys(of key: DatabaseKey, salt: [UInt8]) -> [[UInt8]] {
    var derived: [[UInt8]] = []
    for profile in CipherProfile.versions {
      let cipherKey: [UInt8]?
      switch key.material {
      case .passphrase(let text, let stated):
        let salt = stated ?? salt
        cipherKey = CipherCrypto.derive(
          text, salt: salt, iterations: profile.iterations, hash: profile.kdf)
        if let cipherKey { derived.append(cipherKey) }
      case .raw(let raw), .rawWithSalt(let raw, _), .rawWithHMACKey(let raw, _, _):
        cipherKey = raw
      case .old: cipherKey = nil
      }
      guard let cipherKey, profile.hmac != nil else { continue }
      let hmacKey = CipherCrypto.derive(
        cipherKey, salt: salt.map { $0 ^ 0x3a }, iterations: 2, hash: profile.kdf)
      if let hmacKey { derived.append(hmacKey) }
    }
    var unique: [[UInt8]] = []
    for key in derived where !unique.contains(key) { unique.append(key) }
    return unique
  }
}
