import Bytes

/// A named test of what a rule captured: check digits, a check sum or an inner structure that a random
/// look-alike does not have. Rules name one with `checksum:`.
package struct Checksum: Sendable {
  package let name: String
  /// Whether the captured bytes hold together.
  package let verifies: @Sendable (RawSpan) -> Bool

  init(_ name: String, _ verifies: @escaping @Sendable (_ captured: [UInt8]) -> Bool) {
    self.name = name
    self.verifies = { verifies($0.copied()) }
  }
}

extension Checksum {
  package static let builtIn: [Checksum] = [
    // Provider tokens
    Checksum("aws-key-id", ProviderToken.isAWSKeyID),
    Checksum("github-crc32", ProviderToken.endsInBase62CRC),
    Checksum("npm-crc32", ProviderToken.endsInBase62CRC),
    Checksum("grafana-crc32", ProviderToken.endsInHexCRC),
    Checksum("gitlab-crc32", ProviderToken.endsInBase36CRC),
    Checksum("jwt", JSONWebToken.isSigned),
    Checksum("basic-auth", BasicCredentials.areWhole),

    // Keys
    Checksum("pem-private-key", PEMPrivateKey.isPlausible),
    Checksum("der-private-key", DERPrivateKey.isPlausible),
    Checksum("base64-key", KeyText.isBase64OfKey),
    Checksum("hex-key", KeyText.isHexOfKey),
    Checksum("no-words", KeyText.isNoWords),
    Checksum("bech32", Bech32.isValid),
    Checksum("base58check", Base58.isChecked),
    Checksum("stellar-seed", StellarSeed.isValid),
    Checksum("nats-seed", NATSSeed.isValid),

    // Numbers of people and accounts
    Checksum("luhn", BankNumber.passesLuhn),
    Checksum("bank-card", BankNumber.isCard),
    Checksum("cn-bank-card", BankNumber.isChineseCard),
    Checksum("iban", BankNumber.isIBAN),
    Checksum("cn-resident-id", IdentityNumber.isChineseResident),
    Checksum("hk-id", IdentityNumber.isHongKong),
    Checksum("tw-id", IdentityNumber.isTaiwan),
    Checksum("in-aadhaar", IdentityNumber.isAadhaar),
    Checksum("br-cpf", IdentityNumber.isCPF),
    Checksum("mrz", TravelDocument.isMachineReadable),
  ]

  /// The test of that name, for a rule file that asks for it.
  package static func named(_ name: String) -> Checksum? {
    builtIn.first { $0.name == name }
  }
}
