/// An AES key as programs keep it in memory, expanded (FIPS 197, §5.2), and in the order of the inverse
/// cipher (§5.3.5). The S-box is worked out here, not copied from what is tested.
package struct ExpandedKey {
  package var words: [[UInt8]]

  package init(_ key: [UInt8]) {
    let count = key.count / 4
    words = (0..<count).map { Array(key[4 * $0..<4 * $0 + 4]) }
    var constant: UInt8 = 1
    for index in count..<4 * (count + 7) {
      var word = words[index - 1]
      if index % count == 0 {
        word = [word[1], word[2], word[3], word[0]].map(Self.substituted)
        word[0] ^= constant
        constant = Self.product(constant, 2)
      } else if count == 8, index % 8 == 4 {
        word = word.map(Self.substituted)
      }
      words.append(zip(words[index - count], word).map { $0 ^ $1 })
    }
  }

  package var bytes: [UInt8] { words.flatMap(\.self) }

  /// Each word in the other byte order, as table implementations hold them.
  package var swapped: [UInt8] { words.flatMap { $0.reversed() } }

  /// Rounds last to first, all but the outer two through InvMixColumns.
  package var reversed: [UInt8] {
    let rounds = stride(from: 0, to: words.count, by: 4).map { Array(words[$0..<$0 + 4]) }
    return rounds.enumerated().reversed().flatMap { index, columns in
      index == 0 || index == rounds.count - 1
        ? columns.flatMap(\.self) : columns.flatMap(Self.unmixed)
    }
  }

  private static func unmixed(_ column: [UInt8]) -> [UInt8] {
    (0..<4).map { row in
      let factors: [UInt8] = [14, 11, 13, 9]
      return (0..<4).reduce(0) { $0 ^ product(factors[$1], column[(row + $1) % 4]) }
    }
  }

  /// The inverse in GF(2^8), then the affine map (§5.1.1).
  private static func substituted(_ byte: UInt8) -> UInt8 {
    let inverse = (0...255).map { UInt8($0) }.first { product($0, byte) == 1 } ?? 0
    return (0..<5).reduce(0x63) { $0 ^ (inverse << UInt8($1) | inverse >> UInt8(8 - $1)) }
  }

  private static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
    var (result, factor, rest): (UInt8, UInt8, UInt8) = (0, one, other)
    while rest != 0 {
      if rest & 1 != 0 { result ^= factor }
      factor = factor << 1 ^ (factor >> 7) &* 0x1b
      rest >>= 1
    }
    return result
  }
}
