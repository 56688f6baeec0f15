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

  /// ISO 13616: the country's length, and 97 divides it with one over once the first four characters
  /// have moved to the end.
  static func isIBAN(_ text: [UInt8]) -> Bool {
    let characters = text.filter { $0 != UInt8(ascii: " ") }
    guard characters.count > 4,
      ibanLengths[String(decoding: characters.prefix(2), as: UTF8.self)] == characters.count
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

  private static let ibanLengths: [String: Int] = [
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22,
    "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28,
    "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
    "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
    "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20,
    "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
    "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24,
    "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24,
    "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
  ]
}
