import Bytes

/// Text with a readable prefix, the digit 1 and a check sum of six characters (BIP 173; BIP 350 for the
/// later constant): age identities, Nostr keys.
enum Bech32 {
  private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
  private static let generator: [UInt32] = [
    0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3,
  ]

  static func isValid(_ text: [UInt8]) -> Bool {
    let lower = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    let upper = text.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
    guard text == lower || text == upper,
      let separator = lower.lastIndex(of: UInt8(ascii: "1")), separator > 0,
      lower.count - separator > 7
    else { return false }
    let prefix = lower[..<separator]
    var values = prefix.map { $0 >> 5 } + [0] + prefix.map { $0 & 31 }
    for character in lower[(separator + 1)...] {
      guard let value = alphabet.firstIndex(of: character) else { return false }
      values.append(UInt8(value))
    }
    let remainder = polynomialRemainder(values)
    return remainder == 1 || remainder == 0x2BC8_30A3
  }

  private static func polynomialRemainder(_ values: [UInt8]) -> UInt32 {
    var sum: UInt32 = 1
    for value in values {
      let top = sum >> 25
      sum = (sum & 0x1FF_FFFF) << 5 ^ UInt32(value)
      for bit in 0..<5 where top >> UInt32(bit) & 1 == 1 { sum ^= generator[bit] }
    }
    return sum
  }
}

/// Bitcoin's alphabet with four bytes of double SHA-256 at the end: wallet import format, extended keys.
enum Base58 {
  private static let alphabet = Array(
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz".utf8)

  static func isChecked(_ text: [UInt8]) -> Bool {
    guard text.count <= 128, let bytes = decoded(text), bytes.count > 4 else { return false }
    let payload = Array(bytes.dropLast(4))
    let digest = SHA256.digest(of: SHA256.digest(of: payload.span.bytes).span.bytes)
    return bytes.suffix(4).elementsEqual(digest.prefix(4))
  }

  private static func decoded(_ text: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []  // little-endian
    for character in text {
      guard var carry = alphabet.firstIndex(of: character) else { return nil }
      for index in bytes.indices {
        carry += Int(bytes[index]) * 58
        bytes[index] = UInt8(carry & 0xFF)
        carry >>= 8
      }
      while carry > 0 {
        bytes.append(UInt8(carry & 0xFF))
        carry >>= 8
      }
    }
    let zeros = text.prefix { $0 == UInt8(ascii: "1") }.count
    return [UInt8](repeating: 0, count: zeros) + bytes.reversed()
  }
}

/// A Stellar account's secret seed: base32 of a version byte, 32 bytes and CRC-16 (SEP 23).
enum StellarSeed {
  static func isValid(_ text: [UInt8]) -> Bool {
    guard text.count == 56, let bytes = base32Decoded(text), bytes.count == 35,
      bytes[0] == 18 << 3
    else { return false }
    let stated = UInt16(bytes[33]) | UInt16(bytes[34]) << 8
    return crc16XModem(bytes.prefix(33)) == stated
  }
}

/// A seed of NATS (nkeys): base32 of two bytes that say seed and whose, 32 bytes and CRC-16.
enum NATSSeed {
  static func isValid(_ text: [UInt8]) -> Bool {
    guard text.count == 58, let bytes = base32Decoded(text), bytes.count == 36,
      bytes[0] & 0xF8 == 18 << 3
    else { return false }
    let stated = UInt16(bytes[34]) | UInt16(bytes[35]) << 8
    return crc16XModem(bytes.prefix(34)) == stated
  }
}
