import CSodium
package import SecretBytes

/// How hard a password is to guess offline: the cost of Argon2id (RFC 9106) for each try.
///
/// The parameters are stored beside the slots they protect, and are authenticated by them. What a file
/// asks for is capped, so that a changed file cannot make unlocking use up the machine.
public struct PasswordHashing: Equatable, Sendable {
  /// Memory of one try.
  public let kibibytes: Int
  /// Passes over that memory.
  public let passes: Int

  /// RFC 9106's second recommendation, 64 MiB and three passes, with the one lane libsodium has:
  /// about a quarter of a second.
  public static let standard = PasswordHashing(kibibytes: 64 * 1024, passes: 3)

  /// Four times the memory, for passwords that guard more than a phone's worth: about two seconds.
  public static let strong = PasswordHashing(kibibytes: 256 * 1024, passes: 3)

  /// The least that libsodium computes. It protects nothing: for tests.
  package static let weakest = PasswordHashing(kibibytes: 8, passes: 1)

  package static let saltCount = 16
  private static let mostKibibytes = 1024 * 1024
  private static let mostPasses = 10

  private init(kibibytes: Int, passes: Int) {
    self.kibibytes = kibibytes
    self.passes = passes
  }

  /// Parameters as a file asks for them.
  package init(storedKibibytes: UInt32, storedPasses: UInt32) throws(KeyError) {
    self.init(kibibytes: Int(storedKibibytes), passes: Int(storedPasses))
    guard (8...Self.mostKibibytes).contains(kibibytes), (1...Self.mostPasses).contains(passes)
    else { throw .parametersRefused(mebibytes: kibibytes / 1024, passes: passes) }
  }

  /// 32 bytes that only this password and salt give. They unwrap a random key and are never a
  /// database key themselves.
  package func derive(
    from password: borrowing SecretBytes, salt: [UInt8]
  ) throws(KeyError) -> SecretBytes {
    precondition(salt.count == Self.saltCount)
    Random.prepare()
    let output = SecretBytes(zeroCount: 32)
    let result = output.withMutableBytes { output in
      password.withBytes { password in
        crypto_pwhash(
          output.bound, 32, UnsafeRawPointer(password.bound).assumingMemoryBound(to: CChar.self),
          UInt64(password.count), salt, UInt64(passes), kibibytes * 1024,
          crypto_pwhash_alg_argon2id13())
      }
    }
    guard result == 0 else { throw .outOfMemory(mebibytes: kibibytes / 1024) }
    return output
  }
}
