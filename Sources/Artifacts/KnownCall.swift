import Formats

/// Imported functions whose arguments say more than their names: what a number in an argument means, so
/// that a rule written for source decides a call in a program too (<CommonCrypto/*.h>, SecAccessControl.h).
enum KnownCall {
  /// What a constant argument is called.
  private enum Meaning {
    /// One of these, by number.
    case choice([UInt64: String])
    /// Any of these, by bit.
    case flags([(UInt64, String)])
    case number
    /// A pointer: nothing, or something that stands in the program itself.
    case pointer
  }

  private static let operation = Meaning.choice([0: "kCCEncrypt", 1: "kCCDecrypt"])
  private static let algorithm = Meaning.choice([
    0: "kCCAlgorithmAES", 1: "kCCAlgorithmDES", 2: "kCCAlgorithm3DES", 3: "kCCAlgorithmCAST",
    4: "kCCAlgorithmRC4", 5: "kCCAlgorithmRC2", 6: "kCCAlgorithmBlowfish",
  ])
  private static let options = Meaning.flags([
    (1, "kCCOptionPKCS7Padding"), (2, "kCCOptionECBMode"),
  ])
  private static let mode = Meaning.choice([
    1: "kCCModeECB", 2: "kCCModeCBC", 3: "kCCModeCFB", 4: "kCCModeCTR", 7: "kCCModeOFB",
    9: "kCCModeRC4", 10: "kCCModeCFB8",
  ])
  private static let hmac = Meaning.choice([
    0: "kCCHmacAlgSHA1", 1: "kCCHmacAlgMD5", 2: "kCCHmacAlgSHA256", 3: "kCCHmacAlgSHA384",
    4: "kCCHmacAlgSHA512", 5: "kCCHmacAlgSHA224",
  ])
  private static let control = Meaning.flags([
    (1, ".userPresence"), (1 << 1, ".biometryAny"), (1 << 3, ".biometryCurrentSet"),
    (1 << 4, ".devicePasscode"), (1 << 5, ".watch"), (1 << 14, ".or"), (1 << 15, ".and"),
    (1 << 30, ".privateKeyUsage"), (1 << 31, ".applicationPassword"),
  ])

  private static let known: [String: [Int: Meaning]] = [
    "_CCCrypt": [0: operation, 1: algorithm, 2: options, 3: .pointer, 4: .number, 5: .pointer],
    "_CCCryptorCreate": [
      0: operation, 1: algorithm, 2: options, 3: .pointer, 4: .number, 5: .pointer,
    ],
    "_CCCryptorCreateWithMode": [
      0: operation, 1: mode, 2: algorithm, 3: .number, 4: .pointer, 5: .pointer, 6: .number,
    ],
    "_CCHmac": [0: hmac, 1: .pointer, 2: .number],
    "_CCHmacInit": [1: hmac, 2: .pointer, 3: .number],
    "_CCKeyDerivationPBKDF": [2: .number, 3: .pointer, 4: .number, 5: .number, 6: .number],
    "_SecAccessControlCreateWithFlags": [2: control],
  ]

  /// The known functions among stubs.
  static func functions(of stubs: [UInt64: String]) -> [UInt64: String] {
    stubs.filter { known[$0.value] != nil }
  }

  /// The arguments that are constants, by position, as the source audit states those of a call.
  static func arguments(of call: CodeReading.Call, in image: MachOImage) -> [String: [String]] {
    var values: [String: [String]] = [:]
    for (position, meaning) in known[call.function] ?? [:] {
      guard position < call.arguments.count, let value = call.arguments[position] else { continue }
      let key = String(position)
      let words = words(for: value, meaning, in: image)
      if !words.isEmpty { values[key] = words }
      if case .pointer = meaning, value != 0, isConstant(value, in: image) {
        values[key + ".kind"] = ["constant"]
      }
    }
    return values
  }

  private static func words(
    for value: UInt64, _ meaning: Meaning, in image: MachOImage
  ) -> [String] {
    switch meaning {
    case .choice(let names): return names[value & 0xFFFF_FFFF].map { [$0] } ?? []
    case .flags(let bits):
      let names = bits.filter { value & $0.0 != 0 }.map(\.1)
      return names.isEmpty ? ["0"] : names
    case .number: return [String(value)]
    case .pointer: return value == 0 ? ["nil"] : []
    }
  }

  /// What stands in a section of constants is the same in every copy of the program.
  private static func isConstant(_ address: UInt64, in image: MachOImage) -> Bool {
    guard let section = image.section(at: address), section.fileRange != nil else { return false }
    return section.name.hasSuffix("__const") || section.name.hasSuffix("__cstring")
  }
}
