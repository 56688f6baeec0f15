import Bytes

/// The key under which fingerprints are made: with a key of one's own they tell nobody anything about
/// the values.
///
/// Without one the published key is used, so that two machines agree. A value that can be guessed (a
/// date, a telephone number, a password) must not be confirmed by its fingerprint then: of such values
/// only `publishedBits` bits go in, enough to notice a change, too few to tell which value it was.
package enum FingerprintKey: Sendable, Equatable {
  case published
  case secret([UInt8])

  /// Values with less entropy than this, in bits, count as guessable.
  static let guessableBelow = 72.0
  static let publishedBits = 8

  /// What tells reports that were made under different keys apart, and nothing about the key.
  package var name: String {
    switch self {
    case .published: "published"
    case .secret(let key): HMAC.sha256(key: key, Array("name".utf8)).prefix(8).hexadecimal
    }
  }

  private var bytes: [UInt8] {
    switch self {
    case .published: Array("vestige fingerprint 1".utf8)
    case .secret(let bytes): bytes
    }
  }

  /// The fingerprint of a finding: which rule or needle, in which container and record, of which
  /// value; no offset, page or line, so that moving the value changes nothing.
  ///
  /// - Parameter value: SHA-256 of the value, or nothing for a needle, whose id says which value it is.
  func fingerprint(of parts: [String], value: [UInt8]?, bitsOfValue: Double) -> String {
    var message: [UInt8] = []
    for part in parts { message += Array(part.utf8) + [0] }
    if var value {
      if self == .published, bitsOfValue < Self.guessableBelow {
        value = [value[0]]
      }
      message += value
    }
    return HMAC.sha256(key: bytes, message).prefix(16).hexadecimal
  }

  /// The fingerprint of a finding that is not about a value.
  package func fingerprint(of parts: [String]) -> String {
    fingerprint(of: parts, value: nil, bitsOfValue: 0)
  }
}
