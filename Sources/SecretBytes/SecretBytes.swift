import Synchronization

/// Key material with one owner: it cannot be copied, is readable only while it is being used, and is
/// wiped when its owner lets go of it.
///
/// There is no way to make a `String`, a `Data` or a description of it, and it does not conform to
/// `Codable`, `Hashable` or `Equatable`, so that no general code path can copy it by accident.
///
/// ```swift
/// let key = SecretBytes(randomCount: 32)
/// key.withBytes { bytes in cipher.start(key: bytes) }
/// // wiped here
/// ```
///
/// The memory is the kernel's `memfd_secret` where there is one (no other process, not even root
/// through `/proc`, can read it), else libsodium's guarded and locked memory. ``Backing`` says which.
public struct SecretBytes: ~Copyable, Sendable {
  private let region: GuardedRegion

  /// How many bytes there are.
  public var count: Int { region.count }

  /// Where the bytes are kept.
  public var backing: Backing { region.backing }

  /// `count` zero bytes, to be filled with ``withMutableBytes(_:)``.
  public init(zeroCount count: Int) {
    region = GuardedRegion(count: count)
  }

  /// `count` bytes of the system's random generator.
  public init(randomCount count: Int) {
    self.init(zeroCount: count)
    withMutableBytes { Random.fill($0) }
  }

  /// A copy of bytes that someone else owns and will wipe.
  public init(copying bytes: UnsafeRawBufferPointer) {
    self.init(zeroCount: bytes.count)
    withMutableBytes { $0.copyMemory(from: bytes) }
  }

  /// Takes over an array's bytes and zeroes the array's storage.
  ///
  /// An array that was grown, copied or bridged before has left bytes elsewhere, which nobody can
  /// find: fill a `SecretBytes` directly where you can.
  public init(wiping bytes: inout [UInt8]) {
    self.init(zeroCount: bytes.count)
    bytes.withUnsafeMutableBytes { source in
      withMutableBytes { $0.copyMemory(from: UnsafeRawBufferPointer(source)) }
      Random.wipe(source)
    }
  }

  /// Lends the bytes for reading. The pointer is valid inside `body` only.
  public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    region.beginAccess(writing: false)
    defer { region.endAccess() }
    return try body(UnsafeRawBufferPointer(region.bytes))
  }

  /// Lends the bytes for writing. The pointer is valid inside `body` only.
  public borrowing func withMutableBytes<Result: ~Copyable, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    region.beginAccess(writing: true)
    defer { region.endAccess() }
    return try body(region.bytes)
  }

  /// Whether both hold the same bytes, in a time that depends on the length only.
  public borrowing func isEqual(to other: borrowing SecretBytes) -> Bool {
    guard count == other.count else { return false }
    return withBytes { mine in other.withBytes { Random.areEqual(mine, $0) } }
  }

  /// A second owner of the same bytes, for the few places that need one; each wipes its own.
  public borrowing func duplicate() -> SecretBytes {
    withBytes { SecretBytes(copying: $0) }
  }
}

extension SecretBytes {
  /// The kinds of memory a secret can be kept in.
  public enum Backing: String, Sendable {
    /// `memfd_secret`: unmapped from the kernel's own map, so no other process can read it.
    case kernelSecret
    /// libsodium's guarded allocation: locked, out of core dumps, between inaccessible pages.
    case sodium
    /// libsodium's allocation where the limit on locked memory (RLIMIT_MEMLOCK) is used up: it could
    /// be written to swap.
    case sodiumUnlocked
  }

  /// How many secrets exist in this process now; 0 after everything was closed.
  public static var liveCount: Int { GuardedRegion.ledger.withLock { $0.live } }

  /// How many secrets of this process were found to be zero just before their memory was given back.
  package static var wipedCount: Int { GuardedRegion.ledger.withLock { $0.wiped } }
}
