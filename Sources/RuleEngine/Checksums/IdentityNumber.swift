/// Numbers that states give to people.
enum IdentityNumber {
  /// Provinces and regions of the first two digits (GB/T 2260).
  private static let provinces: Set = [
    11, 12, 13, 14, 15, 21, 22, 23, 31, 32, 33, 34, 35, 36, 37, 41, 42, 43, 44, 45, 46, 50, 51, 52,
    53, 54, 61, 62, 63, 64, 65, 71, 81, 82, 83, 91,
  ]

  /// China, GB 11643: region, day of birth, order and (in the form of 18) a check character of ISO 7064
  /// MOD 11-2; the old form of 15 has a two-digit year and no check.
  static func isChineseResident(_ text: [UInt8]) -> Bool {
    var characters = text
    var check = 0
    if characters.count == 18 {
      switch characters.removeLast() {
      case UInt8(ascii: "X"), UInt8(ascii: "x"): check = 10
      case let last:
        guard let digit = digits(in: [last])?.first else { return false }
        check = digit
      }
    } else if characters.count != 15 {
      return false
    }
    guard let number = digits(in: characters), number.count == characters.count,
      provinces.contains(number[0] * 10 + number[1]), isRegion(number)
    else { return false }
    if number.count == 15 { return isDay(1900 + value(number[6..<8]), number[8..<12]) }
    guard (1900...2099).contains(value(number[6..<10])),
      isDay(value(number[6..<10]), number[10..<14])
    else { return false }
    let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
    let sum = zip(number, weights).reduce(0) { $0 + $1.0 * $1.1 }
    return (12 - sum % 11) % 11 == check
  }

  /// Cities and counties are numbered from 01; only the residence permits of Hong Kong, Macao and Taiwan have none.
  private static func isRegion(_ number: [Int]) -> Bool {
    number[0] == 8 || number[2] + number[3] > 0 && number[4] + number[5] > 0
  }

  private static func value(_ digits: ArraySlice<Int>) -> Int {
    digits.reduce(0) { $0 * 10 + $1 }
  }

  private static func isDay(_ year: Int, _ monthAndDay: ArraySlice<Int>) -> Bool {
    CalendarDay.exists(
      year: year, month: value(monthAndDay.prefix(2)), day: value(monthAndDay.suffix(2)))
  }

  /// Hong Kong: one or two letters, six digits, a check character modulo 11, in brackets or not.
  static func isHongKong(_ text: [UInt8]) -> Bool {
    let characters = text.filter { $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: ")") }
    guard (8...9).contains(characters.count) else { return false }
    var sum = characters.count == 8 ? 36 * 9 : 0  // a missing first letter counts as a blank
    for (place, character) in characters.reversed().enumerated() {
      guard let value = alphanumericValue(of: character) else { return false }
      guard value < 10 || place == 0 && value == 10 || place >= 7 else { return false }
      sum += value * (place + 1)
    }
    return sum.isMultiple(of: 11)
  }

  /// Taiwan: a letter for the region, then nine digits of which the last checks, modulo 10.
  static func isTaiwan(_ text: [UInt8]) -> Bool {
    let order = Array("ABCDEFGHJKLMNPQRSTUVXYWZIO".utf8)
    guard text.count == 10, let letter = order.firstIndex(of: text[0]),
      let digits = digits(in: Array(text.dropFirst())), digits.count == 9, digits[0] < 3
    else { return false }
    let region = letter + 10
    let weights = [8, 7, 6, 5, 4, 3, 2, 1, 1]
    let sum = zip(digits, weights).reduce(region / 10 + region % 10 * 9) { $0 + $1.0 * $1.1 }
    return sum.isMultiple(of: 10)
  }

  /// India: twelve digits with Verhoeff's check digit (multiplication in the dihedral group of ten).
  static func isAadhaar(_ text: [UInt8]) -> Bool {
    guard let digits = digits(in: text), digits.count == 12, digits[0] > 1 else { return false }
    let permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]
    var check = 0
    for (place, digit) in digits.reversed().enumerated() {
      var permuted = digit
      for _ in 0..<place % 8 { permuted = permutation[permuted] }
      check = dihedralProduct(check, permuted)
    }
    return check == 0
  }

  private static func dihedralProduct(_ one: Int, _ other: Int) -> Int {
    switch (one < 5, other < 5) {
    case (true, true): (one + other) % 5
    case (true, false): (one + other - 5) % 5 + 5
    case (false, true): (one - 5 - other + 5) % 5 + 5
    case (false, false): (one - other + 5) % 5
    }
  }

  /// Brazil: eleven digits, the last two check, modulo 11.
  static func isCPF(_ text: [UInt8]) -> Bool {
    guard let digits = digits(in: text), digits.count == 11, Set(digits).count > 2 else {
      return false
    }
    return [9, 10].allSatisfy { count in
      let sum = digits.prefix(count).enumerated().reduce(0) {
        $0 + $1.element * (count + 1 - $1.offset)
      }
      return sum * 10 % 11 % 10 == digits[count]
    }
  }

  /// Digits for themselves, letters from A = 10.
  static func alphanumericValue(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A")) + 10
    default: nil
    }
  }
}

/// A day of the Gregorian calendar.
enum CalendarDay {
  static func exists(year: Int, month: Int, day: Int) -> Bool {
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return switch month {
    case 1, 3, 5, 7, 8, 10, 12: (1...31).contains(day)
    case 4, 6, 9, 11: (1...30).contains(day)
    case 2: (1...(isLeap ? 29 : 28)).contains(day)
    default: false
    }
  }
}
