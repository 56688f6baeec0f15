import CSodium

/// The random generator and the few operations on bytes that must not be optimised away.
package enum Random {
  /// libsodium picks its implementations once; every use goes through here first.
  private static let isReady: Bool = sodium_init() >= 0

  package static func prepare() {
    precondition(isReady, "libsodium could not be initialised")
  }

  package static func fill(_ bytes: UnsafeMutableRawBufferPointer) {
    prepare()
    guard let start = bytes.baseAddress else { return }
    randombytes_buf(start, bytes.count)
  }

  /// Random bytes that are no secret: salts, nonces, names, padding.
  package static func bytes(_ count: Int) -> [UInt8] {
    prepare()
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
      filled = count
    }
  }

  package static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    sodium_memzero(start, bytes.count)
  }

  package static func areEqual(
    _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
  ) -> Bool {
    guard one.count == other.count else { return false }
    guard let first = one.baseAddress, let second = other.baseAddress else { return true }
    return sodium_memcmp(first, second, one.count) == 0
  }

  /// A random number below `bound`, without bias.
  package static func number(below bound: Int) -> Int {
    prepare()
    return Int(randombytes_uniform(UInt32(bound)))
  }
}
