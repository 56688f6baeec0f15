/// Random numbers that are the same in every run of a test, so that one that fails fails again
/// (Steele, Lea and Flood: Fast Splittable Pseudorandom Number Generators, 2014).
package struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Bytes like those of ciphertext.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  package mutating func bytes(_ count: Int, of alphabet: [UInt8]) -> [UInt8] {
    (0..<count).map { _ in alphabet[Int(next() % UInt64(alphabet.count))] }
  }
}
