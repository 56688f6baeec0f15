import SecretBytes
import VaultKeys

/// Everything that decides how a profile's database is opened, and the order in which it is.
struct DatabaseOpening: ~Copyable, Sendable {
  let layout: ProfileLayout
  let manifest: Manifest
  let key: KeySpecification
  let vfs: String?
  var readOnly = false
  /// The version of the tables that is asked for; migration opens older ones.
  var schema = Schema.newest

  init(
    layout: ProfileLayout, manifest: Manifest, key: consuming KeySpecification, vfs: String?
  ) {
    self.layout = layout
    self.manifest = manifest
    self.key = key
    self.vfs = vfs
  }

  var path: String { layout.database(manifest.fileGeneration) }

  /// STORE.md §4.3: what is expected is checked before the file is touched; what the file says is
  /// checked before anything is read from it.
  func connect(stop: StopFlag = StopFlag()) throws(VaultError) -> sending Connection {
    let library = try SQLiteLibrary.checked()
    guard let format = CipherFormat(rawValue: manifest.cipherFormat), library.reads(format) else {
      throw .cipherFormatUnsupported(
        stored: Int(manifest.cipherFormat), library: library.cipherVersion)
    }
    try checkFile()
    if !readOnly { try checkSidecars(format) }
    let connection = try Connection(
      path: path, key: key.duplicate(), format: format, vfs: vfs, stop: stop)
    do throws(VaultError) {
      try connection.checkIdentity(expecting: schema)
      try connection.configure(readOnly: readOnly)
    } catch {
      // A log of another database makes the right key look wrong.
      if error == .wrongKeyOrCorrupt, (Disk.size(path + "-wal") ?? 0) > 0 { throw .staleSidecar }
      throw error
    }
    return connection
  }

  /// SQLite would write what lies beside the database into it. A rollback journal is never ours: the
  /// database has been in write-ahead mode since it was made.
  private func checkSidecars(_ format: CipherFormat) throws(VaultError) {
    guard (Disk.size(path + "-journal") ?? 0) == 0 else { throw .staleSidecar }
    guard (Disk.size(path + "-wal") ?? 0) > 0 else { return }
    try LogVerifier(format: format).verify(log: path + "-wal", of: path, key: key.key())
  }

  /// An empty file opens with any key, as an empty database: it must not come to that.
  private func checkFile() throws(VaultError) {
    guard let size = Disk.size(path), size > 0 else {
      throw .storeMissing(profile: layout.identifier)
    }
    let start = try onDisk { () throws(DiskFailure) in try Disk.read(path, limit: 16) }
    guard start != Array("SQLite format 3\0".utf8) else { throw .plaintextFound(path: path) }
    guard size >= Int(manifest.pageCount) * CipherFormat.pageSize else { throw .damaged }
  }
}

extension Connection {
  /// Reads the schema with the key, and says whose database it is.
  func checkIdentity(expecting schema: Int) throws(VaultError) {
    let tables = try values("SELECT name FROM sqlite_master WHERE type='table'") { $0.text(0) }
    let version = try number("PRAGMA user_version") ?? 0
    guard try number("PRAGMA application_id") == Schema.applicationIdentifier else {
      throw .schemaUnknown
    }
    guard version <= Schema.newest else {
      throw .schemaTooNew(stored: version, newest: Schema.newest)
    }
    guard version >= Schema.oldest else { throw .schemaUnknown }
    let own = Set(tables).filter { !$0.hasPrefix("sqlite_") }
    guard own == Schema.tables(of: version) else { throw .schemaUnknown }
    guard version == schema else {
      throw .migrationNeeded(stored: version, newest: Schema.newest)
    }
  }

  /// Settings that keep plaintext out of files, each read back: an unknown pragma "succeeds".
  package func configure(readOnly: Bool, isDurable: Bool = true) throws(VaultError) {
    try SearchTerms.register(on: self)
    try set("temp_store", to: 2)
    try set("secure_delete", to: 1)
    try set("foreign_keys", to: 1)
    try set("cell_size_check", to: 1)
    try execute("PRAGMA mmap_size=0; PRAGMA recursive_triggers=1")
    if readOnly { try set("query_only", to: 1) }
    try useLog()
    try set("synchronous", to: isDurable ? 2 : 1)
    try execute("PRAGMA wal_autocheckpoint=1000; PRAGMA journal_size_limit=4194304")
    try execute("PRAGMA cache_size=-8192")
  }

  /// The mode stands in the file itself, from its making on.
  func useLog() throws(VaultError) {
    guard try text("PRAGMA journal_mode=WAL") == "wal" else {
      throw .wrongLibrary(reason: "it does not do write-ahead logging")
    }
  }

  private func set(_ pragma: String, to value: Int) throws(VaultError) {
    _ = try values("PRAGMA \(pragma)=\(value)") { $0.int(0) }
    guard try number("PRAGMA \(pragma)") == value else {
      throw .wrongLibrary(reason: "it does not take \(pragma)=\(value)")
    }
  }
}

extension DatabaseOpening {
  func forReading() -> DatabaseOpening {
    var opening = DatabaseOpening(
      layout: layout, manifest: manifest, key: key.duplicate(), vfs: vfs)
    opening.readOnly = true
    return opening
  }
}
