import Bytes

/// Numbers of cards and accounts.
enum BankNumber {
  /// ISO/IEC 7812-1 annex B: every second digit from the right doubled, the sum divisible by ten.
  static func passesLuhn(_ text: [UInt8]) -> Bool {
    guard let digits = digits(in: text), Set(digits).count > 1 else { return false }
    return passesLuhn(digits)
  }

  private static func passesLuhn(_ digits: [Int]) -> Bool {
    var sum = 0
    for (place, digit) in digits.reversed().enumerated() {
      let weighed = place.isMultiple(of: 2) ? digit : digit * 2
      sum += weighed > 9 ? weighed - 9 : weighed
    }
    return sum.isMultiple(of: 10)
  }

  /// A card of any network: issuer range, length and check digit; none of the numbers that processors
  /// publish for tests.
  static func isCard(_ text: [UInt8]) -> Bool {
    guard let digits = digits(in: text), hasIssuer(digits) || isChineseIssuer(digits) else {
      return false
    }
    return passesLuhn(digits) && !isTestNumber(digits)
  }

  /// A UnionPay card, or one of the older Chinese debit ranges.
  static func isChineseCard(_ text: [UInt8]) -> Bool {
    guard let digits = digits(in: text), isChineseIssuer(digits) else { return false }
    return passesLuhn(digits) && !isTestNumber(digits)
  }

  private static func hasIssuer(_ digits: [Int]) -> Bool {
    guard digits.count >= 13 else { return false }
    let four = digits.prefix(4).reduce(0) { $0 * 10 + $1 }
    return switch digits.count {
    case 13, 19: digits[0] == 4
    case 14: 3000...3059 ~= four || four / 100 == 36 || four / 100 == 38
    case 15: four / 100 == 34 || four / 100 == 37
    case 16:
      digits[0] == 4 || 5100...5599 ~= four || 2221...2720 ~= four || 3528...3589 ~= four
        || four == 6011 || 6440...6599 ~= four
    default: false
    }
  }

  private static func isChineseIssuer(_ digits: [Int]) -> Bool {
    guard (16...19).contains(digits.count) else { return false }
    let four = digits.prefix(4).reduce(0) { $0 * 10 + $1 }
    return four / 100 == 62 || 8100...8171 ~= four || four == 9558 && digits.count == 19
  }

  private static let testNumbers: Set = [
    "4111111111111111", "4242424242424242", "4012888888881881", "4000056655665556",
    "4000000000000002", "4222222222222", "5555555555554444", "5105105105105100",
    "5200828282828210", "2223003122003222", "5454545454545454", "378282246310005",
    "371449635398431", "378734493671000", "6011111111111117", "6011000990139424",
    "3530111333300000", "3566002020360505", "30569309025904", "38520000023237",
    "6200000000000005", "6205500000000000004", "6250947000000014", "6222021234567890123",
  ]

  private static func isTestNumber(_ digits: [Int]) -> Bool {
    Set(digits).count < 4 || testNumbers.contains(digits.map { String($0) }.joined())
  }

  /// ISO 13616: letters and digits where the country has them, and 97 divides the number with one over
  /// once the first four characters have moved to the end.
  static func isIBAN(_ text: [UInt8]) -> Bool {
    let characters = text.filter { $0 != UInt8(ascii: " ") }
    guard characters.count > 4,
      let layout = accountLayouts[String(decoding: characters.prefix(2), as: UTF8.self)],
      fits(characters.dropFirst(4), layout)
    else { return false }
    var remainder = 0
    for character in characters.dropFirst(4) + characters.prefix(4) {
      switch character {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        remainder = (remainder * 10 + Int(character - UInt8(ascii: "0"))) % 97
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        remainder = (remainder * 100 + Int(character - UInt8(ascii: "A")) + 10) % 97
      default: return false
      }
    }
    return remainder == 1
  }

  /// Whether an account number is laid out like `a4 n14`: four capitals and fourteen digits.
  private static func fits(_ account: ArraySlice<UInt8>, _ layout: String) -> Bool {
    var rest = account
    for part in layout.split(separator: " ") {
      guard let count = Int(part.dropFirst()), rest.count >= count else { return false }
      let isFit = rest.prefix(count).allSatisfy { byte in
        switch part.first {
        case "a": byte.isASCIIUppercase
        case "n": UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        default: true
        }
      }
      guard isFit else { return false }
      rest = rest.dropFirst(count)
    }
    return rest.isEmpty
  }

  /// What follows the check digits in each country, after the registry of ISO 13616: `n` for digits,
  /// `a` for capitals, `c` for either.
  private static let accountLayouts: [String: String] = [
    "AD": "n8 c12", "AE": "n19", "AL": "n8 c16", "AT": "n16", "AZ": "a4 c20", "BA": "n16",
    "BE": "n12", "BG": "a4 n6 c8", "BH": "a4 c14", "BR": "n23 a1 c1", "BY": "c4 n4 c16",
    "CH": "n5 c12", "CR": "n18", "CY": "n8 c16", "CZ": "n20", "DE": "n18", "DK": "n14",
    "DO": "c4 n20", "EE": "n16", "EG": "n25", "ES": "n20", "FI": "n14", "FO": "n14",
    "FR": "n10 c11 n2", "GB": "a4 n14", "GE": "a2 n16", "GI": "a4 c15", "GL": "n14",
    "GR": "n7 c16", "GT": "c24", "HR": "n17", "HU": "n24", "IE": "a4 n14", "IL": "n19",
    "IQ": "a4 n15", "IS": "n22", "IT": "a1 n10 c12", "JO": "a4 n4 c18", "KW": "a4 c22",
    "KZ": "n3 c13", "LB": "n4 c20", "LC": "a4 c24", "LI": "n5 c12", "LT": "n16", "LU": "n3 c13",
    "LV": "a4 c13", "MC": "n10 c11 n2", "MD": "c20", "ME": "n18", "MK": "n3 c10 n2", "MR": "n23",
    "MT": "a4 n5 c18", "MU": "a4 n19 a3", "NL": "a4 n10", "NO": "n11", "PK": "a4 c16", "PL": "n24",
    "PS": "a4 c21", "PT": "n21", "QA": "a4 c21", "RO": "a4 c16", "RS": "n18", "SA": "n2 c18",
    "SC": "a4 n20 a3", "SE": "n20", "SI": "n15", "SK": "n20", "SM": "a1 n10 c12", "ST": "n21",
    "SV": "a4 n20", "TL": "n19", "TN": "n20", "TR": "n6 c16", "UA": "n6 c19", "VA": "n18",
    "VG": "a4 n16", "XK": "n16",
  ]
}
