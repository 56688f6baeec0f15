import SecretBytes
import VaultKeys

/// Makes the folder of a new profile: beside the others first, and in its place in one step when it
/// is whole, so that a half-made one is never taken for one that lost something.
struct ProfileMaker {
  let layout: Layout
  let vfs: String?

  /// Folders that were not finished.
  static let prefix = "new."

  /// Makes profile number `index` of a space. `next` is the space that this one can open for a decoy;
  /// it is kept inside the encrypted database.
  func make(
    _ index: Int, of space: borrowing SpaceKey, next: borrowing SpaceKey?,
    schema: Int = Schema.newest
  ) throws(VaultError) {
    let identifier = space.profileIdentifier(index)
    let final = layout.profile(identifier)
    guard !Disk.exists(final.folder) else { throw .taken }
    let draft = ProfileLayout(
      folder: "\(layout.root)/\(Self.prefix)\(Random.bytes(16).hexDigits)", identifier: identifier)
    try onDisk { () throws(DiskFailure) in
      for folder in [draft.folder, draft.attachments, draft.cache, draft.temporary] {
        try Disk.makeFolder(folder)
      }
    }
    let format = try SQLiteLibrary.checked().newestFormat
    let key = KeySpecification()
    try makeDatabase(at: draft.database(1), key: key, format: format, next: next, schema: schema)
    let pageCount = (Disk.size(draft.database(1)) ?? 0) / CipherFormat.pageSize
    var ring = KeyRing(
      manifest: Manifest(
        fileGeneration: 1, cipherFormat: format.rawValue, schema: UInt32(schema),
        pageCount: UInt64(pageCount)))
    let sealer = ItemSealer(space: space, profile: identifier)
    try mapping { () throws(KeyError) in
      try ring.replace(.database, by: key.encoded(), with: sealer)
      try ring.replace(.attachments, by: SecretBytes(randomCount: 32), with: sealer)
    }
    _ = try RingFile(creating: ring, at: draft, with: sealer)
    try onDisk { () throws(DiskFailure) in
      try Disk.syncFolder(draft.folder)
      try Disk.syncFolder(layout.root)
      try Disk.rename(draft.folder, to: final.folder)
      try Disk.syncFolder(layout.spaces)
      try Disk.syncFolder(layout.root)
    }
  }

  private func makeDatabase(
    at path: String, key: borrowing KeySpecification, format: CipherFormat,
    next: borrowing SpaceKey?, schema: Int
  ) throws(VaultError) {
    let connection = try Connection(
      path: path, key: key.duplicate(), format: format, creating: true, vfs: vfs)
    try connection.execute("PRAGMA temp_store=2; PRAGMA secure_delete=1")
    try SearchTerms.register(on: connection)
    try connection.execute("BEGIN IMMEDIATE")
    for statement in Schema.statements(from: 0, to: schema) { try connection.execute(statement) }
    try connection.noteVersion(schema)
    let link = next.encodedOrPadding()
    try connection.statement("INSERT INTO settings(name, value) VALUES(?,?)")
      .bind(.text(SpaceLink.name), .blob(link.withBytes { Array($0) })).run()
    try connection.statement("INSERT INTO settings(name, value) VALUES(?,?)")
      .bind(.text(ProfileList.name), .blob(ProfileList().bytes)).run()
    try connection.execute("COMMIT")
    try connection.useLog()
    try connection.close()
    try onDisk { () throws(DiskFailure) in try Disk.sync(path) }
  }
}

/// The space that a space can open for a decoy: kept in the settings of its first profile.
enum SpaceLink {
  static let name = "vault/next"
}

extension Optional where Wrapped == SpaceKey {
  /// The key, or as many zero bytes: the databases of all spaces are of one size.
  fileprivate borrowing func encodedOrPadding() -> SecretBytes {
    switch self {
    case .some(let space): space.encoded()
    case .none: SecretBytes(zeroCount: SpaceKey.encodedCount)
    }
  }
}

extension Connection {
  func noteVersion(_ version: Int) throws(VaultError) {
    try statement("INSERT OR REPLACE INTO migrations(version, made) VALUES(?,?)")
      .bind(.int(version), .int(Clock.milliseconds())).run()
  }
}
