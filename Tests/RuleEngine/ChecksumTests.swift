import Bytes
import RuleEngine
import Testing

@Suite struct `Checksums` {
  static func verifies(_ name: String, _ text: String) throws -> Bool {
    try verifies(name, bytes: Array(text.utf8))
  }

  static func verifies(_ name: String, bytes: [UInt8]) throws -> Bool {
    let checksum = try #require(Checksum.named(name))
    return checksum.verifies(bytes.span.bytes)
  }

  /// Made-up values that hold together: their kind and their text.
  static let real: [(name: String, text: String)] = [
    ("github-crc32", "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"),
    ("npm-crc32", "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"),
    ("grafana-crc32", "glsa_su9mI4ROnl89Sm995ytbxAk7jqevt0ML_7580f439"),
    ("gitlab-crc32", "glpat-bzoxCnU6ZGU3Na0hnrWc9qFe9vFaHYMLt84Q.01.101mtj1x4"),
    ("aws-key-id", "AKIA7ODYNH5IYDHBSSSW"),
    (
      "jwt",
      "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.6BKgBO-Vj4ymN6nJCUM4awlEvl3ce1lgTc8ZlCQeW9c"
    ),
    ("basic-auth", "ZGVwbG95OnI3Vy1xUHo5M3hL"),
    ("base64-key", "gT5PMpYheB4T8XfBP4v/Phbk/e3ETcrRxsgp8TcXU3Y="),
    ("base64-key", "GGgpWFrwMoMyutNayLaI5A=="),
    ("hex-key", "15f65202d028ec73f74ef60b3ca52fb54ebd502e27a8ab9f73ab86f44e3253f4"),
    ("bech32", "AGE-SECRET-KEY-1PXQP6YXC6VGDG7W7WWWS4PGUV6VX5C9VS3X6HTT6TKKDZJAC0JJQ25V2SM"),
    ("bech32", "nsec1pxqp6yxc6vgdg7w7wwws4pguv6vx5c9vs3x6htt6tkkdzjac0jjqr45krx"),
    ("base58check", "KwYBJjY8PHBmXu4b6hz2fUxrBaJP2Dw9ruvpyYXbnLt2VtMPFGrK"),
    ("stellar-seed", "SAEYAHIQ3DJRBVDZ3ZZZ2CUFDRTJQ2TAVSCE3K5NPJO2ZUKLXB6KI3E4"),
    ("nats-seed", "SUAOFA6OIC27GHCDJXIT6MJ4JGLVSWWRJJVKH73XQM6LSXZFSMCRRLGWEQ"),
    ("cn-resident-id", "330106198704123153"),
    ("cn-resident-id", "11010519491231002X"),
    ("cn-resident-id", "810000199203140196"),
    ("cn-resident-id", "330106870412315"),
    ("cn-bank-card", "6228480741936258101"),
    ("bank-card", "6228 4807 4193 6258 101"),
    ("bank-card", "4539-0511-7320-8468"),
    ("bank-card", "376548901234678"),
    ("luhn", "864719035827468"),
    ("iban", "DE60500105175491830267"),
    ("iban", "FR51 2004 1010 0507 2001 3M02 606"),
    ("hk-id", "G484189(0)"),
    ("tw-id", "F129069614"),
    ("in-aadhaar", "5979 7645 9794"),
    ("br-cpf", "410.977.600-73"),
    (
      "mrz",
      "P<CHNZHAO<<MINGYUE<<<<<<<<<<<<<<<<<<<<<<<<<<\nE471930820CHN8704120F3101182<<<<<<<<<<<<<<<2"
    ),
    (
      "mrz",
      "IDD<<C01X0006H1<<<<<<<<<<<<<<<\\n9103074M3306301D<<<<<<<<<<<<<4\\nBRANDT<<JONAS<PETER<<<<<<<<<<<"
    ),
  ]

  @Test(arguments: real)
  func `a value that holds together is let through`(name: String, text: String) throws {
    #expect(try Self.verifies(name, text))
  }

  @Test(
    arguments: real.filter {
      !["jwt", "basic-auth", "base64-key", "hex-key", "mrz", "aws-key-id"].contains($0.name)
        && $0.text.count != 15
    })
  func `one changed character spoils it`(name: String, text: String) throws {
    // Not the last one: that is the check character itself as often as not, and any other will do.
    var bytes = Array(text.utf8)
    let place = try #require(
      bytes.indices.last { (0x30...0x39).contains(bytes[$0]) && $0 + 1 < bytes.count })
    bytes[place] = bytes[place] == UInt8(ascii: "2") ? UInt8(ascii: "3") : UInt8(ascii: "2")
    #expect(try !Self.verifies(name, bytes: bytes))
  }

  @Test(arguments: real)
  func `a value cut short anywhere never traps`(name: String, text: String) throws {
    let bytes = Array(text.utf8)
    for length in bytes.indices { _ = try Self.verifies(name, bytes: Array(bytes[..<length])) }
    #expect(try !Self.verifies(name, bytes: []))
  }

  @Test(arguments: Checksum.builtIn.map(\.name))
  func `bytes that are no text never trap`(name: String) throws {
    for byte in UInt8.min...UInt8.max {
      #expect(try !Self.verifies(name, bytes: [UInt8](repeating: byte, count: 90)))
    }
  }

  @Test func `names are given once`() {
    let names = Checksum.builtIn.map(\.name)
    #expect(Set(names).count == names.count)
    #expect(Checksum.named("no-such") == nil)
  }

  @Test(arguments: [
    ("aws-key-id", "AKIAIOSFODNN7EXAMPLE"),  // Amazon's documentation
    ("aws-key-id", "AKIA1234567890123456"),  // not base32
    ("jwt", "eyJmb28iOiJiYXIifQ.eyJhIjoxfQ.AAAAAAAAAAAAAAAAAAAAAA"),  // no algorithm
    ("basic-auth", "bm8tY29sb24taGVyZQ=="),  // no colon
    ("hex-key", "000102030405060708090a0b0c0d0e0f"),  // counting
    ("hex-key", "00000000000000000000000000000000"),
    ("base64-key", "c2V0dGluZ3Mua2V5cy5tYXN0ZXIua2V5LnBhdGguYWI="),  // text
    ("base64-key", "crypto_aead_chacha20poly1305_ietf_NSECBYTES"),  // an identifier
    ("bank-card", "4111111111111111"),  // the processors' test number
    ("cn-resident-id", "330106198713123152"),  // month 13
    ("cn-resident-id", "990106198704123153"),  // no such province
    ("iban", "XX60500105175491830267"),  // no such country
    ("iban", "AD529C89924EE32CE307F36F"),  // letters where Andorra has digits
  ])
  func `documented and made-up values are not real`(name: String, text: String) throws {
    #expect(try !Self.verifies(name, text))
  }
}

@Suite struct `Private key checks` {
  static let edwards = "MC4CAQAwBQYDK2VwBCIEINiIF4l9NMYGmHuIrU8Ba4iNV0tNmDVsilJwkw5+y447"

  @Test(arguments: [
    "-----BEGIN PRIVATE KEY-----\n\(edwards)\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\\n\(edwards)\\n-----END PRIVATE KEY-----\\n",
    "-----BEGIN PRIVATE KEY-----\r\n    \(edwards)\r\n    -----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\\n\" +\n  \"\(edwards)\\n\" +\n  \"-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n\(edwards.prefix(50))",
  ])
  func `a PEM key is seen through escapes, quotes and cuts`(text: String) throws {
    #expect(try `Checksums`.verifies("pem-private-key", text))
  }

  @Test(arguments: [
    "-----BEGIN PRIVATE KEY-----\n\(edwards.prefix(36))\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n\(edwards.prefix(48))\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n\(String(repeating: "abcd", count: 20))\n-----END PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    edwards,
  ])
  func `a PEM body that is no key is none`(text: String) throws {
    #expect(try !`Checksums`.verifies("pem-private-key", text))
  }

  /// PKCS#8 for Ed25519, then SEC 1 for P-256.
  static let binary: [[UInt8]] = [
    [
      0x30, 0x2E, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x04, 0x22, 0x04,
      0x20,
      0xD8, 0x88, 0x17, 0x89, 0x7D, 0x34, 0xC6, 0x06, 0x98, 0x7B, 0x88, 0xAD, 0x4F, 0x01, 0x6B,
      0x88,
      0x8D, 0x57, 0x4B, 0x4D, 0x98, 0x35, 0x6C, 0x8A, 0x52, 0x70, 0x93, 0x0E, 0x7E, 0xCB, 0x8E,
      0x3B,
    ],
    [
      0x30, 0x31, 0x02, 0x01, 0x01, 0x04, 0x20, 0x4E, 0x70, 0xB5, 0x91, 0x13, 0xC2, 0x27, 0xD7,
      0xC7,
      0xEE, 0x3B, 0x82, 0x8F, 0xD2, 0x45, 0x00, 0xB4, 0x5B, 0x36, 0x69, 0x7A, 0x77, 0x00, 0x10,
      0xF5,
      0x91, 0x42, 0xE4, 0x88, 0x57, 0xA7, 0x1E, 0xA0, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
      0x3D,
      0x03, 0x01, 0x07,
    ],
  ]

  @Test(arguments: binary)
  func `a DER key is known by its structure`(bytes: [UInt8]) throws {
    #expect(try `Checksums`.verifies("der-private-key", bytes: bytes))
    for length in bytes.indices {
      _ = try `Checksums`.verifies("der-private-key", bytes: Array(bytes[..<length]))
    }
  }

  @Test func `a DER key of zeros is a template`() throws {
    let bytes = Self.binary[0].prefix(16) + [UInt8](repeating: 0, count: 32)
    #expect(try !`Checksums`.verifies("der-private-key", bytes: Array(bytes)))
  }
}
