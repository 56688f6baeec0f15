package import SecretBytes

/// Four key slots of equal look: each holds the wrapped key of a space, or random bytes.
///
///     offset  size  field
///          0     4  magic, `VKS1`
///          4     2  version
///          6     1  derivation: 1, Argon2id
///          7     1  number of slots
///          8     4  memory, KiB
///         12     4  passes
///         16    16  salt, shared by the slots, so that one derivation tries them all
///         32    16  name of the device secret in its store
///         48    16  check value of the device secret
///         64     …  slots: nonce 24 ‖ sealed 64 + tag 16 ‖ commitment 32
///
/// The key of slot i is BLAKE2b-512(device secret, label ‖ i ‖ Argon2id output): half seals, half
/// commits. The commitment makes it impossible to craft a slot that two passwords open. The header and
/// the slot's number are authenticated with each slot.
package struct SlotTable: Equatable, Sendable {
  package static let slotCount = 4
  private static let headerCount = 64
  private static let payloadCount = 64
  private static let sealedCount = Primitives.nonceCount + payloadCount + Primitives.tagCount
  private static let wholeSlotCount = sealedCount + Primitives.digestCount
  private static let magic = Array("VKS1".utf8)
  private static let version: UInt16 = 1

  package let hashing: PasswordHashing
  /// The account under which the secret store keeps the device secret: random, it says nothing.
  package let deviceName: [UInt8]
  private let header: [UInt8]
  private var slots: [[UInt8]]

  /// A table in which no slot opens.
  package init(hashing: PasswordHashing, deviceName: [UInt8], deviceSecret: borrowing SecretBytes) {
    precondition(deviceName.count == 16)
    let salt = Random.bytes(PasswordHashing.saltCount)
    var header = Self.magic
    header.append(littleEndian: Self.version)
    header.append(1)
    header.append(UInt8(Self.slotCount))
    header.append(littleEndian: UInt32(hashing.kibibytes))
    header.append(littleEndian: UInt32(hashing.passes))
    header += salt + deviceName + Self.check(of: deviceSecret, salt: salt)
    self.header = header
    self.hashing = hashing
    self.deviceName = deviceName
    slots = (0..<Self.slotCount).map { _ in Random.bytes(Self.wholeSlotCount) }
  }

  /// Reads a table; the bytes are only trusted once a slot has opened.
  package init(parsing body: [UInt8]) throws(KeyError) {
    let count = Self.headerCount + Self.slotCount * Self.wholeSlotCount
    guard body.count >= count, Array(body[0..<4]) == Self.magic else { throw .slotsDamaged }
    let version: UInt16 = body.littleEndian(at: 4)
    guard version == Self.version, body[6] == 1 else { throw .slotsTooNew(version: version) }
    guard body[7] == UInt8(Self.slotCount) else { throw .slotsDamaged }
    header = Array(body[..<Self.headerCount])
    hashing = try PasswordHashing(
      storedKibibytes: body.littleEndian(at: 8), storedPasses: body.littleEndian(at: 12))
    deviceName = Array(body[32..<48])
    slots = (0..<Self.slotCount).map { index in
      let start = Self.headerCount + index * Self.wholeSlotCount
      return Array(body[start..<start + Self.wholeSlotCount])
    }
  }

  package var encoded: [UInt8] { header + slots.flatMap { $0 } }

  private var salt: [UInt8] { Array(header[16..<32]) }

  private static func check(of deviceSecret: borrowing SecretBytes, salt: [UInt8]) -> [UInt8] {
    Primitives.tag(16, key: deviceSecret, Array("vault/device/v1".utf8) + salt)
  }

  /// What the password gives, once, for all slots.
  package func derive(
    password: borrowing SecretBytes, deviceSecret: borrowing SecretBytes
  ) throws(KeyError) -> PasswordKey {
    guard Self.check(of: deviceSecret, salt: salt).elementsEqual(header[48..<64]) else {
      throw .wrongDevice
    }
    let derived = try hashing.derive(from: password, salt: salt)
    return PasswordKey(derived: derived, deviceSecret: deviceSecret)
  }

  /// The space that the password opens. All slots are tried, whichever fits, so that the time does
  /// not tell which it was.
  package func open(_ key: borrowing PasswordKey) throws(KeyError) -> SpaceKey {
    var found: SpaceKey?
    for index in 0..<Self.slotCount {
      if let space = open(slot: index, with: key) { found = consume space }
    }
    guard let found else { throw .wrongPassword }
    return found
  }

  private func open(slot index: Int, with key: borrowing PasswordKey) -> SpaceKey? {
    let slot = slots[index]
    let sealed = Array(slot[..<Self.sealedCount])
    let commitment = Primitives.tag(
      Primitives.digestCount, key: key.commitKey(index), sealed)
    let isCommitted = commitment.withUnsafeBytes { computed in
      slot[Self.sealedCount...].withUnsafeBytes { Random.areEqual(computed, $0) }
    }
    let payload = Primitives.open(
      sealed, key: key.sealKey(index), authenticating: header + [UInt8(index)])
    guard isCommitted, let payload, let space = SpaceKey(encoded: payload), space.slot == index
    else { return nil }
    return space
  }

  /// Puts the space into its slot, wrapped for the password.
  package mutating func store(_ space: borrowing SpaceKey, for key: borrowing PasswordKey) {
    let payload = SecretBytes(zeroCount: Self.payloadCount)
    let encoded = space.encoded()
    payload.withMutableBytes { payload in encoded.withBytes { payload.copyMemory(from: $0) } }
    let index = space.slot
    let sealed = Primitives.seal(
      payload, key: key.sealKey(index), authenticating: header + [UInt8(index)])
    slots[index] =
      sealed + Primitives.tag(Primitives.digestCount, key: key.commitKey(index), sealed)
  }

  /// Makes a slot like one that was never used.
  package mutating func clear(slot index: Int) {
    slots[index] = Random.bytes(Self.wholeSlotCount)
  }
}

/// What a password and the device secret give together: the keys of the slots.
package struct PasswordKey: ~Copyable, Sendable {
  private let derived: SecretBytes
  private let deviceSecret: SecretBytes

  init(derived: consuming SecretBytes, deviceSecret: borrowing SecretBytes) {
    self.derived = derived
    self.deviceSecret = deviceSecret.duplicate()
  }

  func sealKey(_ index: Int) -> SecretBytes { half(0, index) }
  func commitKey(_ index: Int) -> SecretBytes { half(1, index) }

  private func half(_ number: Int, _ index: Int) -> SecretBytes {
    let both = Primitives.derive(
      64, key: deviceSecret, label: Array("vault/slot/v1".utf8) + [UInt8(index)], input: derived)
    return both.withBytes { both in
      SecretBytes(
        copying: UnsafeRawBufferPointer(rebasing: both[number * 32..<number * 32 + 32]))
    }
  }
}
