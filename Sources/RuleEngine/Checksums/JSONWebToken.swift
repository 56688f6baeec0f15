/// A signed token in compact form (RFC 7515 §7.1): three base64url parts with dots between.
enum JSONWebToken {
  /// Both the header and the claims must be JSON objects, and the header must name an algorithm.
  static func isSigned(_ token: [UInt8]) -> Bool {
    let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = jsonObject(parts[0]), jsonObject(parts[1]) != nil else {
      return false
    }
    return header.contains("\"alg\"") && parts[2].count >= 16 && base64Decoded(parts[2]) != nil
  }

  private static func jsonObject(_ part: ArraySlice<UInt8>) -> [UInt8]? {
    guard let bytes = base64Decoded(part), bytes.count >= 2,
      let first = bytes.first(where: { $0 > 0x20 }), let last = bytes.last(where: { $0 > 0x20 }),
      first == UInt8(ascii: "{"), last == UInt8(ascii: "}"), bytes.contains(UInt8(ascii: ":")),
      String(validating: bytes, as: UTF8.self) != nil
    else { return nil }
    return bytes
  }
}

/// What follows `Authorization: Basic` (RFC 7617 §2): base64 of a name, a colon and a password.
enum BasicCredentials {
  static func areWhole(_ text: [UInt8]) -> Bool {
    guard let bytes = base64Decoded(text), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
      String(validating: bytes, as: UTF8.self) != nil
    else { return false }
    return colon > 0 && bytes.count - colon > 3
  }
}
