/// Symmetric key material written as text: as long as a key is, and looking random.
enum KeyText {
  /// Sizes in bytes of keys and key pairs: AES-128/192/256, with a salt or a second half, HMAC keys.
  private static let sizes: Set = [16, 24, 32, 48, 64]

  static func isBase64OfKey(_ text: [UInt8]) -> Bool {
    guard let bytes = base64Decoded(text) else { return false }
    return sizes.contains(bytes.count) && looksRandom(bytes)
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
