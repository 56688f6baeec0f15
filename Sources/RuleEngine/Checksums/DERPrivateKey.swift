/// One tag, length and value of DER (X.690 §8.1), in bytes that may end before the value does.
struct DERElement {
  static let integer: UInt8 = 0x02
  static let sequence: UInt8 = 0x30

  let tag: UInt8
  /// The length it states.
  let length: Int
  /// As much of the value as is there.
  let content: ArraySlice<UInt8>
  /// What follows the value.
  let rest: ArraySlice<UInt8>

  var isWhole: Bool { content.count == length }

  init?(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    guard let tag = rest.popFirst(), let first = rest.popFirst() else { return nil }
    var length = Int(first)
    if first >= 0x80 {
      let count = Int(first & 0x7F)
      guard (1...3).contains(count), rest.count >= count else { return nil }
      length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(count)
      guard length >= 0x80 else { return nil }
    }
    self.tag = tag
    self.length = length
    content = rest.prefix(length)
    self.rest = rest.dropFirst(length)
  }
}

/// A private key in DER: PKCS#8 (RFC 5958), PKCS#1 (RFC 8017 §A.1.2) or SEC1 (RFC 5915), found by its
/// bytes alone; the capture may end before the key does.
enum DERPrivateKey {
  static func isPlausible(_ bytes: [UInt8]) -> Bool {
    guard let key = DERElement(bytes[...]), key.tag == DERElement.sequence,
      (32...20_000).contains(key.length),
      let version = DERElement(key.content), version.tag == DERElement.integer,
      version.length == 1, let second = DERElement(version.rest)
    else { return false }
    switch second.tag {
    case DERElement.sequence: return isPKCS8(algorithm: second)
    case DERElement.integer: return isPKCS1(modulus: second)
    case 0x04: return (16...66).contains(second.length) && isKeyLike(second.content)
    default: return false
    }
  }

  /// The key must be an octet string that follows its algorithm.
  private static func isPKCS8(algorithm: DERElement) -> Bool {
    guard let identifier = DERElement(algorithm.content), identifier.tag == 0x06,
      let key = DERElement(algorithm.rest), key.tag == 0x04
    else { return false }
    return key.length >= 32 && isKeyLike(key.content.suffix(24))
  }

  /// The public exponent must stand right behind a modulus of 512 to 16384 bits.
  private static func isPKCS1(modulus: DERElement) -> Bool {
    guard (64...2_049).contains(modulus.length), modulus.isWhole,
      let exponent = DERElement(modulus.rest)
    else { return false }
    return exponent.tag == DERElement.integer && (1...4).contains(exponent.length)
      && isKeyLike(modulus.content.suffix(32))
  }

  /// Keys look random: no byte fills a third of one.
  private static func isKeyLike(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count >= 16 else { return false }
    var counts: [UInt8: Int] = [:]
    for byte in bytes { counts[byte, default: 0] += 1 }
    return (counts.values.max() ?? bytes.count) * 3 < bytes.count
  }
}
