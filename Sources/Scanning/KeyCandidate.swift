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
