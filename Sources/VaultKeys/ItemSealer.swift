package import SecretBytes

/// Wraps and unwraps the keys of one profile. What a wrapped key belongs to is authenticated with it:
/// an item that was moved to another profile, purpose or generation does not open.
package struct ItemSealer: ~Copyable {
  private let space: SpaceKey
  private let profile: ProfileIdentifier

  /// Longest secret an item holds; all items are of one size.
  package static let capacity = 510
  package static let sealedCount = Primitives.nonceCount + capacity + 2 + Primitives.tagCount
  private static let version: UInt16 = 1

  package init(space: borrowing SpaceKey, profile: ProfileIdentifier) {
    self.space = space.duplicate()
    self.profile = profile
  }

  package func wrap(
    _ secret: borrowing SecretBytes, purpose: Purpose, generation: UInt64
  ) throws(KeyError) -> [UInt8] {
    let count = secret.count
    guard count <= Self.capacity else { throw .tooLong(limit: Self.capacity) }
    let padded = SecretBytes(zeroCount: Self.capacity + 2)
    padded.withMutableBytes { padded in
      padded[0] = UInt8(truncatingIfNeeded: count)
      padded[1] = UInt8(count >> 8)
      secret.withBytes { secret in
        UnsafeMutableRawBufferPointer(rebasing: padded[2...]).copyMemory(from: secret)
      }
    }
    return Primitives.seal(
      padded, key: wrapKey(purpose), authenticating: context(purpose, generation))
  }

  package func unwrap(
    _ sealed: [UInt8], purpose: Purpose, generation: UInt64
  ) throws(KeyError) -> SecretBytes {
    let padded = Primitives.open(
      sealed, key: wrapKey(purpose), authenticating: context(purpose, generation))
    guard let padded, padded.count == Self.capacity + 2 else { throw .itemRefused(purpose) }
    let secret: SecretBytes? = padded.withBytes { padded in
      let count = Int(padded[0]) | Int(padded[1]) << 8
      guard count <= Self.capacity else { return nil }
      return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: padded[2..<2 + count]))
    }
    guard let secret else { throw .itemRefused(purpose) }
    return secret
  }

  private func wrapKey(_ purpose: Purpose) -> SecretBytes {
    Primitives.subkey(of: space.master, id: UInt64(purpose.rawValue), context: "vltwrap1")
  }

  private func context(_ purpose: Purpose, _ generation: UInt64) -> [UInt8] {
    var context = Array("vault/item/v1".utf8)
    // The identifier is a secret; what authenticates is its tag, which no one can compute without it.
    context += Primitives.tag(16, key: space.identifier, Array("vault/space/v1".utf8))
    context += profile.bytes
    context.append(purpose.rawValue)
    context.append(littleEndian: generation)
    context.append(littleEndian: Self.version)
    return context
  }
}
