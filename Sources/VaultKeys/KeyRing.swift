package import SecretBytes

/// What a profile's files are, sealed among its keys: nothing about them is taken from the files
/// themselves.
package struct Manifest: Equatable, Sendable {
  /// The number in the database file's name; each rotation and migration moves to a new file.
  package var fileGeneration: UInt64
  /// Version of SQLCipher's page format: 3 or 4.
  package var cipherFormat: UInt8
  /// Version of the tables in that file.
  package var schema: UInt32
  /// Pages the file had when it was made: it never shrinks while its generation lives.
  package var pageCount: UInt64

  package init(fileGeneration: UInt64, cipherFormat: UInt8, schema: UInt32, pageCount: UInt64) {
    self.fileGeneration = fileGeneration
    self.cipherFormat = cipherFormat
    self.schema = schema
    self.pageCount = pageCount
  }
}

/// The wrapped keys of one profile, as one copy of its key file holds them.
///
///     offset  size  field
///          0     4  magic, `VKP1`
///          4     2  version
///          6     2  number of items
///          8     …  items, one a purpose, in order: generation 8 ‖ sealed 552
///
/// Items that hold nothing are random bytes. The manifest says which those are; its generation is the
/// copy's sequence number and it holds a digest of the others, so that no item of an older copy can be
/// put back.
package struct KeyRing: Equatable, Sendable {
  private struct Item: Equatable {
    var generation: UInt64
    var sealed: [UInt8]
  }

  package private(set) var manifest: Manifest
  /// Sequence number of the copy this was read from.
  package private(set) var sequence: UInt64
  private var items: [Item]
  private var present: Set<Purpose>

  private static let magic = Array("VKP1".utf8)
  private static let version: UInt16 = 1
  private static let headerCount = 8
  private static let itemCount = 8 + ItemSealer.sealedCount
  private static let manifestCount = 24 + Primitives.digestCount

  /// A ring without keys.
  package init(manifest: Manifest) {
    self.manifest = manifest
    sequence = 0
    items = Purpose.allCases.map { _ in Self.noItem(generation: 0) }
    present = []
  }

  private static func noItem(generation: UInt64) -> Item {
    Item(generation: generation, sealed: Random.bytes(ItemSealer.sealedCount))
  }

  /// Whether there is a key of this purpose.
  package func holds(_ purpose: Purpose) -> Bool { present.contains(purpose) }

  /// How often the key of this purpose was replaced or erased.
  package func generation(of purpose: Purpose) -> UInt64 {
    items[Int(purpose.rawValue)].generation
  }

  package func secret(
    _ purpose: Purpose, with sealer: borrowing ItemSealer
  ) throws(KeyError) -> SecretBytes {
    guard holds(purpose) else { throw .itemMissing(purpose) }
    let item = items[Int(purpose.rawValue)]
    return try sealer.unwrap(item.sealed, purpose: purpose, generation: item.generation)
  }

  /// Wraps a new key of this purpose; the old wrapping is gone from the next written copies.
  package mutating func replace(
    _ purpose: Purpose, by secret: borrowing SecretBytes, with sealer: borrowing ItemSealer
  ) throws(KeyError) {
    let generation = generation(of: purpose) + 1
    let sealed = try sealer.wrap(secret, purpose: purpose, generation: generation)
    items[Int(purpose.rawValue)] = Item(generation: generation, sealed: sealed)
    present.insert(purpose)
  }

  /// Makes the item like one that was never used.
  package mutating func erase(_ purpose: Purpose) {
    items[Int(purpose.rawValue)] = Self.noItem(generation: generation(of: purpose) + 1)
    present.remove(purpose)
  }

  /// Changes what the manifest says; effective once written.
  package mutating func describe(_ manifest: Manifest) { self.manifest = manifest }

  /// Wraps all keys again under another space key: the step of a master key rotation.
  package func rewrapped(
    from old: borrowing ItemSealer, to new: borrowing ItemSealer
  ) throws(KeyError) -> KeyRing {
    var ring = self
    for purpose in Purpose.allCases where holds(purpose) {
      try ring.replace(purpose, by: secret(purpose, with: old), with: new)
    }
    return ring
  }
}

// MARK: The copy

extension KeyRing {
  /// The body of the copy that follows this one.
  package func encoded(
    sequence: UInt64, with sealer: borrowing ItemSealer
  ) throws(KeyError) -> [UInt8] {
    var keys: [UInt8] = []
    for item in items.dropFirst() {
      keys.append(littleEndian: item.generation)
      keys += item.sealed
    }
    var plain: [UInt8] = []
    plain.append(littleEndian: manifest.fileGeneration)
    plain.append(littleEndian: manifest.pageCount)
    plain.append(littleEndian: manifest.schema)
    plain.append(manifest.cipherFormat)
    plain.append(present.reduce(0) { $0 | 1 << $1.rawValue })
    plain.append(littleEndian: UInt16(0))
    plain += Primitives.digest(keys)

    var body = Self.magic
    body.append(littleEndian: Self.version)
    body.append(littleEndian: UInt16(items.count))
    body.append(littleEndian: sequence)
    body += try sealer.wrap(
      SecretBytes(wiping: &plain), purpose: .manifest, generation: sequence)
    return body + keys
  }

  /// Reads a copy; refuses one that another space, profile or sequence number was sealed with.
  package init(parsing copy: TwoCopies.Copy, with sealer: borrowing ItemSealer) throws(KeyError) {
    let body = copy.body
    guard Array(body[..<4]) == Self.magic, body.littleEndian(at: 4) == Self.version,
      body.littleEndian(at: 6, as: UInt16.self) == UInt16(Purpose.allCases.count)
    else { throw .keysDamaged }
    items = Purpose.allCases.map { purpose in
      let start = Self.headerCount + Int(purpose.rawValue) * Self.itemCount
      return Item(
        generation: body.littleEndian(at: start),
        sealed: Array(body[start + 8..<start + Self.itemCount]))
    }
    let plain = try sealer.unwrap(
      items[0].sealed, purpose: .manifest, generation: copy.sequence
    ).withBytes { Array($0) }
    let start = Self.headerCount + Self.itemCount
    let keys = body[start..<start + (Purpose.allCases.count - 1) * Self.itemCount]
    guard plain.count == Self.manifestCount, Primitives.digest(keys).elementsEqual(plain[24...])
    else { throw .itemRefused(.manifest) }
    manifest = Manifest(
      fileGeneration: plain.littleEndian(at: 0), cipherFormat: plain[20],
      schema: plain.littleEndian(at: 16), pageCount: plain.littleEndian(at: 8))
    present = Set(Purpose.allCases.filter { plain[21] & 1 << $0.rawValue != 0 })
    sequence = copy.sequence
  }
}
