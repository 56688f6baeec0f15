import CSQLCipher
import Glibc

/// A database that SQLite itself writes, in a folder of its own: settings first, then statements,
/// then a copy of its files as they lie at that moment.
package final class SQLiteBuilder {
  /// What a database is built with.
  package struct Settings: Sendable, CustomStringConvertible {
    package var pageSize: Int
    package var encoding: String
    package var reserved: Int
    package var autoVacuum: Int

    package init(
      pageSize: Int = 4096, encoding: String = "UTF-8", reserved: Int = 0, autoVacuum: Int = 0
    ) {
      self.pageSize = pageSize
      self.encoding = encoding
      self.reserved = reserved
      self.autoVacuum = autoVacuum
    }

    package var description: String {
      "\(pageSize)-byte pages, \(encoding), \(reserved) reserved"
    }

    /// Text as this database stores it.
    package func stored(_ text: String) -> [UInt8] {
      switch encoding {
      case "UTF-16le": text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
      case "UTF-16be": text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
      default: Array(text.utf8)
      }
    }
  }

  /// SQLite refused something: its message.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
  }

  package let settings: Settings
  private let folder: String
  private var database: OpaquePointer?

  package init(_ settings: Settings = Settings(), key: String? = nil) throws {
    self.settings = settings
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/vestige-fixture-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw Failure(description: "mkdtemp failed") }
    folder = String(cString: made)
    guard sqlite3_open(folder + "/store.db", &database) == SQLITE_OK else {
      throw Failure(description: "open failed")
    }
    if settings.reserved > 0 { reserve(settings.reserved) }
    if let key { try execute("PRAGMA key = '\(key)'") }
    // Debian's build overwrites what is deleted unless told not to.
    try execute("PRAGMA secure_delete = OFF")
    try execute("PRAGMA synchronous = OFF")
    // Which size SQLCipher takes by itself depends on its version.
    try execute("PRAGMA \(key == nil ? "" : "cipher_")page_size = \(settings.pageSize)")
    try execute("PRAGMA encoding = '\(settings.encoding)'")
    try execute("PRAGMA auto_vacuum = \(settings.autoVacuum)")
  }

  deinit {
    sqlite3_close(database)
    for name in ["store.db", "store.db-wal", "store.db-shm", "store.db-journal"] {
      unlink(folder + "/" + name)
    }
    rmdir(folder)
  }

  /// Runs statements; rows they give are dropped.
  package func execute(_ sql: String) throws {
    guard sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure(description: String(cString: sqlite3_errmsg(database)) + ": " + sql)
    }
  }

  /// Leaves bytes free at the end of every page, beside those that a cipher needs.
  package func reserve(_ count: Int) {
    _ = vestige_sqlite3_reserve(database, Int32(count))
  }

  /// The files by name, as they lie now: with the connection open, so that logs and journals are
  /// what a crash would leave.
  package func files() -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in ["store.db", "store.db-wal", "store.db-shm", "store.db-journal"] {
      files[name] = Self.bytes(of: folder + "/" + name)
    }
    return files
  }

  private static func bytes(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { return bytes }
      bytes.append(contentsOf: buffer[..<count])
    }
  }
}
