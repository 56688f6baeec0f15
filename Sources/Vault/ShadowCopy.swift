import CSQLCipher
import SecretBytes
import VaultKeys

/// Moves a profile to a new database file: with another key (rotation), another page format, or other
/// tables (migration). The old file is not touched before the new one is whole, checked, durable, and
/// named by the key file; `sqlite3_rekey` is never used, since after an error it leaves a database that
/// no key opens (STORE.md §0).
struct ShadowCopy: ~Copyable {
  let files: RingFile
  /// How the old file is opened; its `schema` is the version it has.
  let source: DatabaseOpening
  /// The version of the tables the new file gets.
  let targetSchema: Int

  /// Files beside the copy while it is made need room too.
  private static let spareBytes = 1 << 20
  /// KiB of pages that the check of the copy keeps.
  private static let verifierCache = 65_536

  /// Copies, checks, and commits by writing the key file; then removes the old file.
  consuming func run(with sealer: borrowing ItemSealer) throws(VaultError) -> RingFile {
    let layout = files.layout
    let old = source.manifest
    var new = old
    new.fileGeneration += 1
    new.cipherFormat = try SQLiteLibrary.checked().newestFormat.rawValue
    new.schema = UInt32(targetSchema)
    let key = KeySpecification()
    let attachmentKeys = try AttachmentKeys(replacing: files, with: sealer)
    let path = layout.database(new.fileGeneration)

    try checkSpace()
    try Self.removeDatabase(path)
    do throws(VaultError) {
      try copy(
        to: path, key: key, format: CipherFormat(rawValue: new.cipherFormat) ?? .three,
        attachmentKeys)
      new.pageCount = UInt64((Disk.size(path) ?? 0) / CipherFormat.pageSize)
      try makeDurable(path)
      try verify(new, key: key)
    } catch {
      // The old file counts; half a copy is worth nothing. If even this fails, the next opening
      // removes it.
      try? Self.removeDatabase(path)
      throw error
    }

    var ring = files.ring
    ring.describe(new)
    try mapping { () throws(KeyError) in
      try ring.replace(.database, by: key.encoded(), with: sealer)
      try ring.replace(.attachments, by: attachmentKeys.new, with: sealer)
    }
    var files = files
    try files.replace(by: ring, with: sealer)
    try Self.removeDatabase(layout.database(old.fileGeneration))
    try onDisk { () throws(DiskFailure) in try Disk.syncFolder(layout.folder) }
    return files
  }

  private func checkSpace() throws(VaultError) {
    let size = Disk.size(source.path) ?? 0
    let needed = size + size / 10 + Self.spareBytes
    let folder = files.layout.folder
    let free = try onDisk { () throws(DiskFailure) in try Disk.freeSpace(at: folder) }
    guard free >= needed else { throw .notEnoughSpace(needed: needed, free: free) }
  }

  private static func removeDatabase(_ path: String) throws(VaultError) {
    try onDisk { () throws(DiskFailure) in
      for suffix in [""] + ProfileLayout.sidecars { try Disk.remove(path + suffix) }
    }
  }

  private func copy(
    to path: String, key: borrowing KeySpecification, format: CipherFormat,
    _ attachmentKeys: borrowing AttachmentKeys
  ) throws(VaultError) {
    let old = try source.connect(stop: StopFlag())
    try old.checkpoint()
    let hasSameFormat = source.manifest.cipherFormat == format.rawValue
    if !hasSameFormat { try old.export(to: path, key: key, format: format) }
    let new = try Connection(
      path: path, key: key.duplicate(), format: format, creating: hasSameFormat, vfs: source.vfs)
    // The copy is thrown away if anything goes wrong, so it needs no journal of its own.
    _ = try new.values("PRAGMA journal_mode=OFF") { $0.text(0) }
    try new.execute("PRAGMA synchronous=OFF; PRAGMA temp_store=2; PRAGMA secure_delete=1")
    try SearchTerms.register(on: new)
    if hasSameFormat { try old.copyPages(to: new) }
    let from = Int(source.manifest.schema)
    if from < targetSchema {
      for statement in Schema.statements(from: from, to: targetSchema) {
        try new.execute(statement)
      }
      try new.noteVersion(targetSchema)
    }
    try attachmentKeys.rewrap(in: new, profile: files.layout.identifier)
    try new.useLog()
    try new.close()
    try old.close()
  }

  private func makeDurable(_ path: String) throws(VaultError) {
    let start = try onDisk { () throws(DiskFailure) in try Disk.read(path, limit: 16) }
    guard start != Array("SQLite format 3\0".utf8), start.count == 16 else {
      throw .plaintextFound(path: path)
    }
    let folder = files.layout.folder
    try onDisk { () throws(DiskFailure) in
      try Disk.sync(path)
      try Disk.syncFolder(folder)
    }
  }

  /// Every page by its code, every tree by SQLite, every table by its count.
  private func verify(
    _ manifest: Manifest, key: borrowing KeySpecification
  ) throws(VaultError) {
    let path = files.layout.database(manifest.fileGeneration)
    let format = CipherFormat(rawValue: manifest.cipherFormat) ?? .three
    try PageVerifier(format: format).verify(path, key: key.key())
    let copy = try Connection(
      path: path, key: key.duplicate(), format: format, readOnly: true, vfs: source.vfs)
    try SearchTerms.register(on: copy)
    // The check of an index goes to a page for each row: what does not fit is decrypted again and again.
    try copy.execute("PRAGMA cache_size=-\(Self.verifierCache)")
    try copy.checkIdentity(expecting: targetSchema)
    try copy.checkIntegrity()
    let original = try source.connect(stop: StopFlag())
    for table in Schema.tables(of: Int(source.manifest.schema)).sorted()
    where !table.hasPrefix("search") && table != "migrations" {
      let count = "SELECT count(*) FROM \(table)"
      guard try copy.number(count) == original.number(count) else { throw .damaged }
    }
    try original.close()
    try copy.close()
  }
}

/// The key that wraps the attachments' keys, before and after: the new one goes with the new database,
/// so that one commit is enough for both.
private struct AttachmentKeys: ~Copyable {
  let old: SecretBytes
  let new = SecretBytes(randomCount: 32)

  init(replacing files: RingFile, with sealer: borrowing ItemSealer) throws(VaultError) {
    old = try mapping { () throws(KeyError) in
      try files.ring.secret(.attachments, with: sealer)
    }
  }

  func rewrap(in copy: Connection, profile: ProfileIdentifier) throws(VaultError) {
    let rows = try copy.values("SELECT id, file, key FROM attachments") {
      (id: $0.int64(0), file: $0.blob(1), key: $0.blob(2))
    }
    for row in rows {
      let context = AttachmentCipher.context(profile, file: row.file)
      guard let key = Primitives.open(row.key, key: old, authenticating: context) else {
        throw .attachmentDamaged
      }
      let wrapped = Primitives.seal(key, key: new, authenticating: context)
      try copy.statement("UPDATE attachments SET key=? WHERE id=?")
        .bind(.blob(wrapped), .int(row.id)).run()
    }
  }
}

extension Connection {
  /// SQLite's own check of every tree and index, and the search index against the messages.
  package func checkIntegrity() throws(VaultError) {
    let result = try values("PRAGMA integrity_check") { $0.text(0) }
    guard result == ["ok"] else { throw .damaged }
  }

  /// Copies every page to an open, keyed, empty database of the same page format.
  fileprivate func copyPages(to other: Connection) throws(VaultError) {
    guard let backup = sqlite3_backup_init(other.pointer, "main", pointer, "main") else {
      throw other.failure(SQLITE_ERROR)
    }
    let stepped = sqlite3_backup_step(backup, -1)
    let finished = sqlite3_backup_finish(backup)
    guard stepped == SQLITE_DONE, finished == SQLITE_OK else {
      throw VaultError(sqlite: stepped == SQLITE_DONE ? finished : stepped, path: other.path)
    }
  }

  /// Copies table by table into an attached database: pages of one format do not fit into the other.
  /// What this leaves behind (version, identifier) is set by hand.
  fileprivate func export(
    to path: String, key: borrowing KeySpecification, format: CipherFormat
  ) throws(VaultError) {
    // The connection may not make files, so that it can never make a blank database: an empty file is
    // what it is given instead.
    try onDisk { () throws(DiskFailure) in try Disk.write([], to: path) }
    try attach(path, key: key)
    try execute("PRAGMA copy.cipher_compatibility=\(format.rawValue)")
    try execute("PRAGMA copy.cipher_page_size=\(CipherFormat.pageSize)")
    try execute("SELECT sqlcipher_export('copy')")
    for pragma in ["user_version", "application_id"] {
      try execute("PRAGMA copy.\(pragma)=\(number("PRAGMA main.\(pragma)") ?? 0)")
    }
    try execute("DETACH copy")
  }
}
