import Bytes
import Findings
import RuleEngine
import SQLiteFormat

/// A value seen in clear that may be the key of a database that the same scan reads.
struct KeyCandidate: Sendable {
  var key: DatabaseKey
  /// The finding that says where it lies.
  var finding: Finding

  /// More are not tried: a hostile file may hold nothing but keys.
  static let most = 256
  /// Passphrases cost a derivation of hundreds of milliseconds each.
  static let mostPassphrases = 8

  /// The key that a value seen by a rule for keys, or as a needle that is one, stands for.
  static func key(_ value: RawSpan, of subject: Sighting.Subject, in engine: Engine) -> DatabaseKey?
  {
    switch subject {
    case .rule(let index):
      guard engine.rules[index].id.hasPrefix("keys.") else { return nil }
      return key(written: value)
    case .needle(let index):
      let needle = engine.needles[index]
      switch needle.kind {
      case .keyHex: return DatabaseKey(hexadecimal: needle.value)
      case .passphrase: return .passphrase(Array(needle.value.utf8))
      case .text, .date, .number, .phone, .email, .bytesHex: return nil
      }
    }
  }

  /// Raw bytes, hexadecimal digits with or without `x'…'`, or base64 of 32, 48 or 80 bytes.
  private static func key(written value: RawSpan) -> DatabaseKey? {
    guard value.byteCount <= 170 else { return nil }
    if [32, 48, 80].contains(value.byteCount), value.utf8Text() == nil {
      return DatabaseKey(hexadecimal: value.copied().hexadecimal)
    }
    guard let text = value.utf8Text() else { return nil }
    if let key = DatabaseKey(hexadecimal: text) { return key }
    let bytes = Base64.decode(value)
    guard [32, 48, 80].contains(bytes.count) else { return nil }
    return DatabaseKey(hexadecimal: bytes.hexadecimal)
  }
}

/// Keys that SQLCipher derives from a key that was given: secrets themselves, which must stand nowhere
/// either. They depend on the salt of each database, so the databases are looked for first.
struct DerivedKeys {
  private static let mostDatabases = 64

  /// One needle for every key that opens one of the files and for all that follows from it.
  static func needles(for options: ScanOptions) -> [Needle] {
    guard !options.keys.isEmpty else { return [] }
    var walk = Walk(include: options.include, exclude: options.exclude)
    guard (try? walk.add(options.paths)) != nil else { return [] }
    var values: [(note: String, bytes: [UInt8])] = []
    var opened = 0
    for file in walk.files where file.sameAs == nil && opened < mostDatabases {
      guard let source = source(of: file) else { continue }
      let found = CipherOpener(source, keys: options.keys).open()
      if !found.isEmpty { opened += 1 }
      for cipher in found {
        values.append(("cipher key of \(file.name)", cipher.cipherKey))
        if let key = cipher.hmacKey { values.append(("HMAC key of \(file.name)", key)) }
      }
    }
    let known = Set(options.needles.filter { $0.kind == .keyHex }.map { $0.value.lowercased() })
    var seen = known
    return values.compactMap { note, bytes in
      let digits = bytes.hexadecimal
      guard seen.insert(digits).inserted else { return nil }
      return Needle(
        id: "derived-key-\(seen.count - known.count)", kind: .keyHex, value: digits,
        severity: .critical, note: note)
    }
  }

  /// A file that may be an encrypted database, by its size and first bytes.
  private static func source(of file: WalkedFile) -> FileSource? {
    guard file.status.byteCount >= 1024, file.status.byteCount % 512 == 0,
      let source = try? FileSource(file.path), source.status.kind == .file,
      let head = try? source.bytes(at: 0, count: 4096)
    else { return nil }
    let isCiphertext =
      CipherStatistics.verdict(of: head.span.bytes) == .encrypted
      || CipherStatistics.verdict(of: head.span.bytes.clamped(to: 0..<1024)) == .encrypted
    let hasPlainHeader = head.span.bytes.hasBytes(DatabaseHeader.magic) && head[20] >= 16
    return isCiphertext || hasPlainHeader ? source : nil
  }
}
