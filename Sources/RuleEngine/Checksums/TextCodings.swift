/// Base64 in either alphabet, padded or not; nothing where another character stands in it.
func base64Decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
  var bytes: [UInt8] = []
  var pending: UInt32 = 0
  var bits = 0
  var padding = 0
  for character in text {
    if character == UInt8(ascii: "=") {
      padding += 1
      continue
    }
    guard padding == 0, let value = base64Value(of: character) else { return nil }
    pending = pending << 6 | value
    bits += 6
    if bits >= 8 {
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
    }
  }
  return padding <= 2 && bits < 6 ? bytes : nil
}

/// What a character of either base64 alphabet stands for.
func base64Value(of character: UInt8) -> UInt32? {
  switch character {
  case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
  case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a") + 26)
  case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0") + 52)
  case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
  case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
  default: nil
  }
}

/// Base32 of RFC 4648, upper case, without padding.
func base32Decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
  var bytes: [UInt8] = []
  var pending: UInt32 = 0
  var bits = 0
  for character in text {
    let value: UInt8
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
    case UInt8(ascii: "2")...UInt8(ascii: "7"): value = character - UInt8(ascii: "2") + 26
    default: return nil
    }
    pending = pending << 5 | UInt32(value)
    bits += 5
    if bits >= 8 {
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
    }
  }
  return bytes
}

/// What a hexadecimal digit stands for.
func hexValue(of character: UInt8) -> UInt8? {
  switch character {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
  default: nil
  }
}

/// Bytes from pairs of hexadecimal digits.
func hexDecoded(_ text: [UInt8]) -> [UInt8]? {
  guard text.count.isMultiple(of: 2) else { return nil }
  var bytes: [UInt8] = []
  for index in stride(from: 0, to: text.count, by: 2) {
    guard let high = hexValue(of: text[index]), let low = hexValue(of: text[index + 1]) else {
      return nil
    }
    bytes.append(high << 4 | low)
  }
  return bytes
}

/// The values of the digits; blanks, dashes and dots between groups do not count, anything else spoils it.
func digits(in text: [UInt8]) -> [Int]? {
  var digits: [Int] = []
  for character in text {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(Int(character - UInt8(ascii: "0")))
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."): continue
    default: return nil
    }
  }
  return digits
}

extension [UInt8] {
  /// Whether `text` stands somewhere in it.
  func contains(_ text: StaticString) -> Bool {
    let wanted = Array("\(text)".utf8)
    guard count >= wanted.count else { return false }
    return (0...count - wanted.count).contains { self[$0...].starts(with: wanted) }
  }

  /// Whether every byte is a printable ASCII character or a blank.
  var isPrintable: Bool {
    allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
  }
}
