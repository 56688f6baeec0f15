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
    switch keys[index] {
    case .passphrase(let text, let stated):
      let salt = stated ?? Array(head[..<16])
      var derived: [String: [UInt8]] = [:]
      for profile in profiles {
        let name = "\(profile.kdf.rawValue) \(profile.iterations)"
        let key =
          derived[name]
          ?? CipherCrypto.derive(
            text, salt: salt, iterations: profile.iterations, hash: profile.kdf)
        guard let key else { continue }
        derived[name] = key
        if let file = fit(profile, key: key, hmacKey: nil, salt: salt, index: index) { return file }
      }
    case .raw(let key):
      return first(key: key, hmacKey: nil, salt: Array(head[..<16]), index: index)
    case .rawWithSalt(let key, let salt):
      return first(key: key, hmacKey: nil, salt: salt, index: index)
    case .rawWithHMACKey(let key, let hmacKey, let salt):
      return first(key: key, hmacKey: hmacKey, salt: salt, index: index)
    }
    return nil
  }

  private func first(
    key: [UInt8], hmacKey: [UInt8]?, salt: [UInt8], index: Int
  ) -> CipherFile? {
    for profile in profiles {
      if let file = fit(profile, key: key, hmacKey: hmacKey, salt: salt, index: index) {
        return file
      }
    }
    return nil
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

  /// Any page that verifies proves the key.
  private func fit(
    _ profile: CipherProfile, key: [UInt8], hmacKey: [UInt8]?, salt: [UInt8], index: Int
  ) -> CipherFile? {
    guard head.count >= profile.pageSize else { return nil }
    var authentication = hmacKey
    if authentication == nil, profile.hmac != nil {
      authentication = CipherCrypto.derive(
        key, salt: salt.map { $0 ^ 0x3a }, iterations: 2, hash: profile.kdf)
    }
    guard
      let file = CipherFile(
        profile: profile, keyIndex: index, cipherKey: key, hmacKey: authentication)
    else { return nil }
    let all = unsafe head.span.bytes
    if profile.hmac == nil {
      let page = all.clamped(to: 0..<profile.pageSize)
      return file.plaintextIsPage(page, page: 1) ? file : nil
    }
    for number in 1...max(1, min(head.count / profile.pageSize, 8)) {
      let offset = (number - 1) * profile.pageSize
      let page = all.clamped(to: offset..<offset + profile.pageSize)
      if file.isVerified(page, page: UInt32(number)) { return file }
    }
    for stretch in spread where stretch.bytes.count >= profile.pageSize {
      let page = unsafe stretch.bytes.span.bytes.clamped(to: 0..<profile.pageSize)
      if file.isVerified(page, page: UInt32(clamping: stretch.offset / profile.pageSize + 1)) {
        return file
      }
    }
    for sample in samples where sample.bytes.count >= profile.pageSize {
      let page = unsafe sample.bytes.span.bytes
      if file.isVerified(page, page: sample.page) { return file }
    }
    return nil
  }

  /// The keys that SQLCipher derives from a key for a database with this salt: secrets themselves,
  /// which must stand nowhere either.
  package static func derivedKeys(of key: DatabaseKey, salt: [UInt8]) -> [[UInt8]] {
    var derived: [[UInt8]] = []
    for profile in CipherProfile.versions {
      let cipherKey: [UInt8]?
      switch key {
      case .passphrase(let text, let stated):
        let salt = stated ?? salt
        cipherKey = CipherCrypto.derive(
          text, salt: salt, iterations: profile.iterations, hash: profile.kdf)
        if let cipherKey { derived.append(cipherKey) }
      case .raw(let raw), .rawWithSalt(let raw, _), .rawWithHMACKey(let raw, _, _):
        cipherKey = raw
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
