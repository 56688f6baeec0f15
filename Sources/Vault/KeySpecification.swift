import CSQLCipher
package import SecretBytes
import VaultKeys

/// The key of one database as SQLCipher takes it: 32 bytes of key and 16 of salt, written as
/// `x'96 hexadecimal digits'` in guarded memory only.
package struct KeySpecification: ~Copyable, Sendable {
  /// Key ‖ salt.
  private let raw: SecretBytes

  package static let keyCount = 32
  package static let rawCount = 48
  private static let textCount = 2 * rawCount + 3

  /// A new random key and salt.
  package init() {
    raw = SecretBytes(randomCount: Self.rawCount)
  }

  package init?(raw: consuming SecretBytes) {
    guard raw.count == Self.rawCount else { return nil }
    self.raw = raw
  }

  package func duplicate() -> KeySpecification { KeySpecification(copy: raw.duplicate()) }

  private init(copy raw: consuming SecretBytes) { self.raw = raw }

  package func encoded() -> SecretBytes { raw.duplicate() }

  /// The 32 key bytes, for the page verifier. The salt stands in clear at the start of the file.
  package func key() -> SecretBytes {
    raw.withBytes { SecretBytes(copying: UnsafeRawBufferPointer(rebasing: $0[..<Self.keyCount])) }
  }

  /// Hands the key to an open connection. A digit too few would make SQLCipher take the text for a
  /// passphrase, so the length is fixed by construction.
  package func apply(to handle: OpaquePointer) -> Int32 {
    withText { sqlite3_key_v2(handle, "main", $0.baseAddress, Int32(Self.textCount)) }
  }

  /// The key text, in guarded memory, for as long as `body` runs.
  func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let text = SecretBytes(zeroCount: Self.textCount)
    text.withMutableBytes { text in
      text[0] = UInt8(ascii: "x")
      text[1] = UInt8(ascii: "'")
      raw.withBytes { raw in
        for (index, byte) in raw.enumerated() {
          text[2 + 2 * index] = Self.digit(byte >> 4)
          text[3 + 2 * index] = Self.digit(byte & 15)
        }
      }
      text[Self.textCount - 1] = UInt8(ascii: "'")
    }
    return text.withBytes(body)
  }

  /// Without a table or branch, so that the time does not depend on the digit.
  private static func digit(_ value: UInt8) -> UInt8 {
    let isLetter = (9 &- value) >> 7  // 1 from 10 on
    return UInt8(ascii: "0") &+ value &+ isLetter &* 39
  }
}
