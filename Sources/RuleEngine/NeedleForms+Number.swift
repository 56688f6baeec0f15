import Bytes

extension Needle {
  /// The forms of a number: its digits, grouped digits, and the binary forms of databases and memory.
  func numberForms() throws(NeedleError) -> [NeedleForm] {
    let text = value.filter { $0 != "," && $0 != "_" && $0 != " " }
    if let whole = Int64(text) { return digitForms(text) + integerForms(whole, name: "int") }
    guard let real = Double(text), real.isFinite else {
      throw NeedleError(
        id: id, problem: "needle \"\(id)\" is not a number",
        remedy: "write it in decimal, with a point before the fraction")
    }
    return digitForms(text) + realForms(real, name: "real")
  }

  /// The digits as text, in one run and in the groups people write.
  private func digitForms(_ text: String) -> [NeedleForm] {
    var forms = [plainNumber("decimal", text)]
    for (name, wide) in [
      ("decimal-utf16le", text.utf8.map { [$0, 0] }),
      ("decimal-utf16be", text.utf8.map { [0, $0] }),
    ] {
      forms.append(NeedleForm(name, wide.flatMap(\.self), boundary: .number, bits: forms[0].bits))
    }
    let digits = text.filter(\.isNumber)
    guard digits.count == text.count, digits.count >= 7 else { return forms }
    if let whole = UInt64(digits) {
      let hexadecimal = "0x" + String(whole, radix: 16)
      forms.append(
        NeedleForm(
          "hex-literal", Array(hexadecimal.utf8), ignoresCase: true, boundary: .number,
          bits: Double(hexadecimal.count) * 4))
    }
    for separator in [" ", "-"] {
      forms.append(plainNumber("decimal-grouped", Self.grouped(digits, fromStart: 4, separator)))
    }
    for separator in [",", ".", " ", "'", "_", "\u{a0}", "\u{202f}"] {
      let reversed = String(digits.reversed())
      let grouped = String(Self.grouped(reversed, fromStart: 3, separator).reversed())
      forms.append(plainNumber("decimal-grouped", grouped))
    }
    return forms
  }

  func plainNumber(_ name: String, _ text: String) -> NeedleForm {
    NeedleForm(
      name, Array(text.utf8), boundary: .number, bits: Double(text.filter(\.isNumber).count) * 3.3)
  }

  private static func grouped(_ digits: String, fromStart size: Int, _ separator: String) -> String
  {
    var grouped = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, index.isMultiple(of: size) { grouped += separator }
      grouped.append(digit)
    }
    return grouped
  }

  /// Whole numbers in binary: SQLite's serial types (big-endian, 4, 6 and 8 bytes, SQLite file format
  /// §2.1) and the words of property lists and memory.
  func integerForms(_ number: Int64, name: String) -> [NeedleForm] {
    let big = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    let bits = Double(64 - (number < 0 ? ~number : number).leadingZeroBitCount)
    var forms: [NeedleForm] = []
    for size in [4, 6, 8] where number == (number << (64 - size * 8)) >> (64 - size * 8) {
      let stored = Array(big.suffix(size))
      forms.append(NeedleForm("\(name)\(size * 8)-be", stored, bits: bits))
      if size != 6 {
        forms.append(NeedleForm("\(name)\(size * 8)-le", stored.reversed(), bits: bits))
      }
    }
    if number >= 0 {
      forms.append(NeedleForm("\(name)-varint", Self.varint(UInt64(number)), bits: bits))
    }
    if let real = Double(exactly: number) { forms += realForms(real, name: "real") }
    return forms
  }

  /// A number as SQLite stores rowids: seven bits a byte, all but the last marked (SQLite file format,
  /// §1.6); a ninth byte takes eight.
  private static func varint(_ number: UInt64) -> [UInt8] {
    let isLong = number >> 56 != 0
    var bytes = [UInt8(truncatingIfNeeded: isLong ? number : number & 0x7f)]
    var rest = number >> (isLong ? 8 : 7)
    while rest > 0 || isLong && bytes.count < 9 {
      bytes.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return bytes.reversed()
  }

  /// IEEE 754 double precision in both byte orders.
  func realForms(_ number: Double, name: String) -> [NeedleForm] {
    let big = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number.bitPattern >> ($0 * 8)) }
    let bits = 64.0 - Double(number.bitPattern.trailingZeroBitCount)
    return [
      NeedleForm("\(name)-be", big, bits: bits),
      NeedleForm("\(name)-le", big.reversed(), bits: bits),
    ]
  }

  /// Groups in which people write telephone numbers, with and without a country code before them.
  private static let groupings: [[Int]] = {
    let national = [
      [3, 4, 4], [3, 3, 4], [4, 3, 4], [4, 4], [3, 4], [2, 4, 4], [2, 3, 4], [2, 3, 3], [3, 3, 3],
      [2, 2, 2, 2], [2, 2, 2, 2, 2], [1, 2, 2, 2, 2], [4, 3, 3], [5, 6], [5, 5], [3, 2, 2], [3, 3],
      [2, 4, 3], [4, 6], [3, 8], [4, 7], [4, 8],
    ]
    return national + (1...3).flatMap { code in national.map { [code] + $0 } }
  }()

  /// A number as it is dialled inside of most countries: behind a zero, the area apart from the rest.
  private func localForms(_ number: String) -> [NeedleForm] {
    let local = "0" + number
    var forms = [plainNumber("digits", local)] + groupedForms(local)
    for size in 3...5 where local.count > size + 3 {
      let (area, rest) = (local.prefix(size), local.dropFirst(size))
      for text in [
        "\(area) \(rest)", "\(area)/\(rest)", "\(area)-\(rest)", "(\(area)) \(rest)",
        "(\(area))\(rest)",
      ] {
        forms.append(plainNumber("digits-grouped", text))
      }
    }
    return forms
  }

  /// A number in every grouping of its length: with one mark between the groups, and with the first one, the
  /// area, set off from the others, as the contacts of telephones and forms write it.
  private func groupedForms(_ number: String) -> [NeedleForm] {
    var forms: [NeedleForm] = []
    for sizes in Self.groupings where sizes.reduce(0, +) == number.count {
      for separator in [" ", "-", ".", "\u{a0}", "\u{2011}"] {
        forms.append(plainNumber("digits-grouped", Self.split(number, sizes, separator)))
      }
      guard (2...3).contains(sizes.count), (2...5).contains(sizes[0]) else { continue }
      let area = number.prefix(sizes[0])
      let rest = String(number.dropFirst(sizes[0]))
      for (before, between) in [
        (") ", " "), (") ", "-"), (")", " "), (")", "-"), (") ", "."), (")\u{a0}", "\u{2011}"),
        (")\u{a0}", "-"),
      ] {
        let tail = Self.split(rest, Array(sizes.dropFirst()), between)
        forms.append(plainNumber("digits-grouped", "(\(area)\(before)\(tail)"))
      }
      for (before, between) in [(" ", "-"), ("/", " "), ("/", "-"), ("-", " ")] {
        let tail = Self.split(rest, Array(sizes.dropFirst()), between)
        forms.append(plainNumber("digits-grouped", "\(area)\(before)\(tail)"))
      }
    }
    return forms
  }

  /// A telephone number with and without its country code, as digits and as people group them.
  func phoneForms() throws(NeedleError) -> [NeedleForm] {
    let digits = value.filter { $0.isASCII && $0.isNumber }
    guard digits.count >= 7 else {
      throw NeedleError(
        id: id, problem: "needle \"\(id)\" is not a telephone number",
        remedy: "write it with its country code, +8613800001234")
    }
    var numbers = [digits]
    if value.hasPrefix("+"), let code = Self.countryCode(of: digits) {
      numbers.append(String(digits.dropFirst(code)))
    }
    var forms = numbers.count > 1 ? localForms(numbers[1]) : []
    forms.append(plainNumber("digits", "00" + digits))
    for number in numbers {
      forms.append(plainNumber("digits", number))
      forms += groupedForms(number)
      if let whole = Int64(number) { forms += integerForms(whole, name: "int") }
      let bits = Double(number.count) * 3.3
      let little: [UInt8] = number.utf8.flatMap { [$0, 0] }
      let big: [UInt8] = number.utf8.flatMap { [0, $0] }
      forms.append(NeedleForm("digits-utf16le", little, boundary: .number, bits: bits))
      forms.append(NeedleForm("digits-utf16be", big, boundary: .number, bits: bits))
    }
    return forms + encodedForms(Array(digits.utf8))
  }

  private static func split(_ digits: String, _ sizes: [Int], _ separator: String) -> String {
    var rest = Substring(digits)
    return sizes.map { size in
      defer { rest = rest.dropFirst(size) }
      return String(rest.prefix(size))
    }.joined(separator: separator)
  }

  /// Length of the country code (ITU-T E.164): one digit for zones 1 and 7, two for the assigned
  /// two-digit codes, otherwise three.
  private static func countryCode(of digits: String) -> Int? {
    let two: Set<String> = [
      "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46",
      "47",
      "48", "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64",
      "65",
      "66", "81", "82", "84", "86", "90", "91", "92", "93", "94", "95", "98",
    ]
    guard digits.count > 8 else { return nil }
    if digits.hasPrefix("1") || digits.hasPrefix("7") { return 1 }
    return two.contains(String(digits.prefix(2))) ? 2 : 3
  }
}
