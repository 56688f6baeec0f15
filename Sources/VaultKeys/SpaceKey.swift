package import SecretBytes

/// What a key slot holds: the random key of one space, and the space's secret identifier.
///
/// A space is everything that one password opens: the person's own, or a decoy. Nothing on disk says
/// which is which, not even which folders belong together: the folders' names are derived from the
/// identifier, which only the slot holds.
package struct SpaceKey: ~Copyable, Sendable {
  /// 32 bytes; every wrapping key of the space comes from it.
  package let master: SecretBytes
  /// 16 bytes; stays the same when the master key is replaced.
  package let identifier: SecretBytes
  /// The slot that the space's password stands in.
  package let slot: Int

  package static let masterCount = 32
  package static let identifierCount = 16
  package static let encodedCount = masterCount + identifierCount + 1

  package init(master: consuming SecretBytes, identifier: consuming SecretBytes, slot: Int) {
    self.master = master
    self.identifier = identifier
    self.slot = slot
  }

  /// A new space.
  package init(randomForSlot slot: Int) {
    self.init(
      master: SecretBytes(randomCount: Self.masterCount),
      identifier: SecretBytes(randomCount: Self.identifierCount), slot: slot)
  }

  /// The same space with a new master key: what rotation moves to.
  package func replacingMaster() -> SpaceKey {
    SpaceKey(
      master: SecretBytes(randomCount: Self.masterCount), identifier: identifier.duplicate(),
      slot: slot)
  }

  package func duplicate() -> SpaceKey {
    SpaceKey(master: master.duplicate(), identifier: identifier.duplicate(), slot: slot)
  }

  /// master ‖ identifier ‖ slot.
  package func encoded() -> SecretBytes {
    let encoded = SecretBytes(zeroCount: Self.encodedCount)
    encoded.withMutableBytes { encoded in
      master.withBytes { encoded.copyMemory(from: $0) }
      identifier.withBytes { identifier in
        UnsafeMutableRawBufferPointer(rebasing: encoded[Self.masterCount...])
          .copyMemory(from: identifier)
      }
      encoded[Self.encodedCount - 1] = UInt8(slot)
    }
    return encoded
  }

  /// Reads what ``encoded()`` wrote; nothing if it is too short.
  package init?(encoded: borrowing SecretBytes) {
    guard encoded.count >= Self.encodedCount else { return nil }
    let master = SecretBytes(zeroCount: Self.masterCount)
    let identifier = SecretBytes(zeroCount: Self.identifierCount)
    let slot = encoded.withBytes { encoded in
      master.withMutableBytes {
        $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: encoded[..<Self.masterCount]))
      }
      identifier.withMutableBytes {
        $0.copyMemory(
          from: UnsafeRawBufferPointer(
            rebasing: encoded[Self.masterCount..<Self.encodedCount - 1]))
      }
      return Int(encoded[Self.encodedCount - 1])
    }
    self.init(master: master, identifier: identifier, slot: slot)
  }

  /// The name of the space's folder number `index`: 16 bytes that say nothing to anyone else.
  package func profileIdentifier(_ index: Int) -> ProfileIdentifier {
    var input = Array("vault/profile/v1".utf8)
    input.append(littleEndian: UInt32(index))
    return ProfileIdentifier(
      bytes: Primitives.tag(ProfileIdentifier.count, key: identifier, input))
  }
}

/// The opaque name of one profile's folder: derived from a secret, so it tells neither whose it is nor
/// what is inside.
public struct ProfileIdentifier: Hashable, Sendable, CustomStringConvertible {
  package static let count = 16
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) {
    precondition(bytes.count == Self.count)
    self.bytes = bytes
  }

  /// Reads a folder's name; nothing if it is not one of ours.
  package init?(hexDigits: String) {
    let digits = Array(hexDigits.utf8)
    guard digits.count == 2 * Self.count else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = Character(Unicode.Scalar(digits[index])).hexDigitValue,
        let low = Character(Unicode.Scalar(digits[index + 1])).hexDigitValue
      else { return nil }
      bytes.append(UInt8(high << 4 | low))
    }
    self.bytes = bytes
  }

  /// 32 hexadecimal digits.
  public var description: String { bytes.hexDigits }
}

extension Sequence<UInt8> {
  /// Lower-case hexadecimal digits, for names. Never for keys.
  package var hexDigits: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
