import Bytes

/// What the sample container leaks. All of it is made up: the person does not exist, the telephone
/// number is from a range set aside for fiction, and keys and tokens come from a fixed generator, so
/// that none stands in the source.
package enum SampleValues {
  package static let name = "Marisol Quennevik"
  package static let birthDate = "1991-07-23"
  /// The birth date's midnight in UTC, as Core Data stores it: seconds since 2001.
  package static let birthDateSince2001 = -298_080_000.0
  package static let phone = "+442079460958"
  package static let groupedPhone = "+44 20 7946 0958"
  package static let memberNumber = 7_305_518_264

  package static let databaseKey = bytes(32, seed: 1)
  /// Key and salt of the store that is encrypted as it should be. No needle: nothing may show it.
  package static let vaultKey = hexadecimal(bytes(48, seed: 2))

  /// A GitHub token: its last six characters are the CRC-32 of the thirty before, in base62.
  package static let accessToken: String = {
    let body = bytes(30, seed: 3).map { base62[Int($0) % 62] }
    return "ghp_" + String(body) + checkCharacters(DeflateFixture.crc32(Array(String(body).utf8)))
  }()

  /// The same shape with a wrong checksum, as documentation shows tokens.
  package static let accessTokenLookAlike: String = {
    let body = bytes(30, seed: 4).map { base62[Int($0) % 62] }
    let wrong = ~DeflateFixture.crc32(Array(String(body).utf8))
    return "ghp_" + String(body) + checkCharacters(wrong)
  }()

  /// An Ed25519 key pair's private half (RFC 8410: any 32 bytes are a key).
  package static let privateKey = armored(
    "PRIVATE KEY", [0x30, 0x2E, 2, 1, 0, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 4, 0x22, 4, 0x20], seed: 5
  )
  package static let publicKey = armored(
    "PUBLIC KEY", [0x30, 0x2A, 0x30, 5, 6, 3, 0x2B, 0x65, 0x70, 3, 0x21, 0], seed: 6)

  /// The needles as a person would list them for `vestige scan --needles`.
  package static let needles = """
    # The values that must not lie around in clear.
    - {id: name, kind: text, value: "\(name)"}
    - {id: birth-date, kind: date, value: "\(birthDate)"}
    - {id: phone, kind: phone, value: "\(phone)"}
    - {id: member-number, kind: number, value: "\(memberNumber)"}
    - {id: database-key, kind: key-hex, value: "\(hexadecimal(databaseKey))", severity: critical}

    """

  /// Bytes from SplitMix64, the same ones for the same seed.
  package static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    return (0..<count).map { _ in
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
    }
  }

  package static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  package static func base64(_ bytes: [UInt8]) -> String {
    let missing = (3 - bytes.count % 3) % 3
    let whole = bytes + [UInt8](repeating: 0, count: missing)
    let characters = BaseEncoding.base64.encode(whole, shift: 0).dropLast(missing)
    return String(decoding: characters, as: UTF8.self) + String(repeating: "=", count: missing)
  }

  private static let base62 = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

  private static func checkCharacters(_ sum: UInt32) -> String {
    var rest = Int(sum)
    var characters: [Character] = []
    for _ in 0..<6 {
      characters.insert(base62[rest % 62], at: 0)
      rest /= 62
    }
    return String(characters)
  }

  private static func armored(_ label: String, _ head: [UInt8], seed: UInt64) -> String {
    "-----BEGIN \(label)-----\n\(base64(head + bytes(32, seed: seed)))\n-----END \(label)-----\n"
  }
}
