import Bytes
import CCrypto
import Findings

/// Whether a keychain item's name can be had from the SHA-1 that the keychain keeps of it: the names of
/// the lexicon, as programmers write them, are few.
enum GuessableHash {
  static let predicate = Predicate(name: "guessable-hash") { fact, lexicon in
    let hashes = (fact.values["service-hash"] ?? []) + (fact.values["account-hash"] ?? [])
    guard !hashes.isEmpty else { return false }
    let wanted = Set(hashes.compactMap { [UInt8](hexadecimal: $0) })
    return candidates(lexicon).contains { wanted.contains(sha1($0)) }
  }

  /// Names beside those of the lexicon: the words a design forbids, and what examples call their items.
  private static let usual = [
    "real", "decoy", "fake_password", "fakePassword", "real_password", "realPassword", "duress",
    "user", "username", "userName", "login", "account", "auth", "session", "pin", "PIN", "key",
    "token", "uuid", "deviceId", "device_id", "userId", "user_id", "database", "db",
  ]

  /// Every name that is tried.
  static func candidates(_ lexicon: Lexicon) -> Set<String> {
    var names = Set(usual)
    for value in lexicon.values { names.insert(String(decoding: value, as: UTF8.self)) }
    for term in lexicon.terms.values.joined() { names.formUnion(spellings(of: term.words)) }
    for term in lexicon.wide { names.formUnion(term.words) }
    return names
  }

  /// The ways in which programmers write some words as one name.
  private static func spellings(of words: [String]) -> [String] {
    guard let first = words.first else { return [] }
    let capitals = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }
    return [
      first + capitals.dropFirst().joined(), capitals.joined(), words.joined(),
      words.joined(separator: "_"), words.joined(separator: "-"), words.joined(separator: "."),
      words.joined(separator: " "), words.joined(separator: "_").uppercased(),
      capitals.joined(separator: " "),
    ]
  }

  static func sha1(_ text: String) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 20)
    var written: UInt32 = 0
    let bytes = Array(text.utf8)
    EVP_Digest(bytes, bytes.count, &digest, &written, EVP_sha1(), nil)
    return digest
  }
}
