/// Check sums that providers put into their tokens so that a look-alike can be told without asking them.
enum ProviderToken {
  /// GitHub and npm: after the first `_`, the last six characters are the CRC-32 of the rest, in base62
  /// (digits, capitals, small letters), padded with zeros.
  static func endsInBase62CRC(_ token: [UInt8]) -> Bool {
    guard let underscore = token.firstIndex(of: UInt8(ascii: "_")) else { return false }
    let body = token[(underscore + 1)...]
    guard body.count > 6 else { return false }
    var stated: UInt64 = 0
    for character in body.suffix(6) {
      guard let value = base62Value(of: character) else { return false }
      stated = stated * 62 + UInt64(value)
    }
    return stated == UInt64(crc32(body.dropLast(6)))
  }

  /// Grafana: after the last `_`, the CRC-32 of everything before it, its four bytes little-endian in hex.
  static func endsInHexCRC(_ token: [UInt8]) -> Bool {
    guard let underscore = token.lastIndex(of: UInt8(ascii: "_")),
      let stated = hexDecoded(Array(token[(underscore + 1)...])), stated.count == 4
    else { return false }
    let computed = crc32(token[..<underscore])
    return stated.reversed().reduce(0) { $0 << 8 | UInt32($1) } == computed
  }

  /// GitLab's routable tokens: the last seven characters are the CRC-32 of everything before them, in
  /// base36; the two before those are the length of the payload.
  static func endsInBase36CRC(_ token: [UInt8]) -> Bool {
    guard token.count > 9 else { return false }
    var stated: UInt64 = 0
    for character in token.suffix(7) {
      guard let value = base36Value(of: character) else { return false }
      stated = stated * 36 + UInt64(value)
    }
    return stated == UInt64(crc32(token.dropLast(7)))
  }

  /// Amazon's key ids: four letters for the kind, then base32; the ids of its documentation say EXAMPLE.
  static func isAWSKeyID(_ id: [UInt8]) -> Bool {
    guard id.count >= 16, base32Decoded(id.dropFirst(4)) != nil else { return false }
    return !id.contains("EXAMPLE") && Set(id.dropFirst(4)).count > 5
  }

  private static func base62Value(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character - UInt8(ascii: "A")) + 10
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a")) + 36
    default: nil
    }
  }

  private static func base36Value(of character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character - UInt8(ascii: "0"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character - UInt8(ascii: "a")) + 10
    default: nil
    }
  }
}
