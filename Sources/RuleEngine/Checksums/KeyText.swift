/// Symmetric key material written as text: as long as a key is, and looking random.
enum KeyText {
  /// Sizes in bytes of keys and key pairs: AES-128/192/256, with a salt or a second half, HMAC keys.
  private static let sizes: Set = [16, 24, 32, 48, 64]

  static func isBase64OfKey(_ text: [UInt8]) -> Bool {
    guard let bytes = base64Decoded(text), changesOften(text) else { return false }
    return sizes.contains(bytes.count) && looksRandom(bytes)
  }

  /// Identifiers and paths stay within small letters, capitals or digits for whole words; in base64 of random
  /// bytes two neighbours in three differ. A third is asked for: one key in five hundred has fewer.
  private static func changesOften(_ text: [UInt8]) -> Bool {
    let kinds = text.filter { $0 != UInt8(ascii: "=") }.map { character -> Int in
      switch character {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): 0
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): 1
      case UInt8(ascii: "0")...UInt8(ascii: "9"): 2
      default: 3
      }
    }
    let changes = zip(kinds, kinds.dropFirst()).count { $0 != $1 }
    return changes * 20 >= (kinds.count - 1) * 7
  }

  /// Text that is neither put together from words, as names are, nor a placeholder.
  static func isNoWords(_ text: [UInt8]) -> Bool {
    let bytes = text.span.bytes
    return !Wording.isOfWords(bytes) && !Placeholder.covers(bytes)
  }

  static func isHexOfKey(_ text: [UInt8]) -> Bool {
    guard let bytes = hexDecoded(text) else { return false }
    return sizes.union([80]).contains(bytes.count) && looksRandom(bytes)
  }

  /// Text, counting bytes, repeated bytes and the gaps of structures are not keys. Of 16 random bytes 15.5 are
  /// different on average; fewer than three quarters happens once in two million.
  static func looksRandom(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 8, !bytes.isPrintable else { return false }
    let distinct = Set(bytes).count
    guard distinct * 4 >= min(bytes.count, 48) * 3 else { return false }
    let steps = zip(bytes, bytes.dropFirst()).map { $1 &- $0 }
    return Set(steps).count * 2 > min(steps.count, 48)
  }
}
