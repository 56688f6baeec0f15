import CSQLCipher
import DriverProtocol
import Glibc

/// One profile's database: items with their fields as JSON, a full-text index, attachments.
final class Table {
  private let handle: OpaquePointer
  let path: String
  private static let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  /// - Parameter key: 64 hexadecimal digits; nothing for a plain file.
  init(_ path: String, key: String?, creating: Bool, keepsDeleted: Bool, sortsInFiles: Bool)
    throws(Refusal)
  {
    self.path = path
    guard creating || Files.exists(path) else { throw Refusal(.missing, "there is no database") }
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | (creating ? SQLITE_OPEN_CREATE : 0)
    let result = sqlite3_open_v2(path, &opened, flags, nil)
    guard result == SQLITE_OK, let opened else {
      sqlite3_close(opened)
      throw Refusal(.io, "the database cannot be opened: \(result)")
    }
    handle = opened
    sqlite3_busy_timeout(handle, 2000)
    if let key {
      let text = "x'\(key)'"
      sqlite3_key(handle, text, Int32(text.utf8.count))
      try run("PRAGMA cipher_page_size=4096")
    }
    if creating { try make() }
    _ = try rows("SELECT count(*) FROM sqlite_master")
    guard try rows("SELECT name FROM sqlite_master WHERE name='items'").count == 1 else {
      throw Refusal(.damaged, "the database has no tables")
    }
    try run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
    try run("PRAGMA secure_delete=\(keepsDeleted ? 0 : 1)")
    try run("PRAGMA temp_store=\(sortsInFiles ? 1 : 2); PRAGMA cache_size=-2000")
  }

  private func make() throws(Refusal) {
    try run(
      """
      CREATE TABLE items(id TEXT PRIMARY KEY, name TEXT, fields TEXT NOT NULL);
      CREATE VIRTUAL TABLE words USING fts4(id, body);
      CREATE TABLE attachments(id TEXT PRIMARY KEY, name TEXT NOT NULL, body TEXT NOT NULL);
      """)
  }

  private(set) var isOpen = true
  /// Whether something was refused. SQLite 3.15, which SQLCipher 3.4 is made of, crashes where a log is
  /// emptied whose shared index could not be made; closing empties it too, and does not.
  private var wasRefused = false

  /// - Parameter leavesLog: Whether the log stays beside the database.
  func close(leavesLog: Bool = false) {
    guard isOpen else { return }
    isOpen = false
    if !leavesLog, !wasRefused { try? run("PRAGMA wal_checkpoint(TRUNCATE)") }
    sqlite3_close(handle)
  }

  deinit { close() }

  func run(_ sql: String) throws(Refusal) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw refusal(result) }
  }

  @discardableResult
  func rows(_ sql: String, _ values: [String] = []) throws(Refusal) -> [[String]] {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let prepared = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard prepared == SQLITE_OK else { throw refusal(prepared) }
    for (index, value) in values.enumerated() {
      sqlite3_bind_text(statement, Int32(index + 1), value, -1, Self.transient)
    }
    var rows: [[String]] = []
    while true {
      let result = sqlite3_step(statement)
      if result == SQLITE_DONE { return rows }
      guard result == SQLITE_ROW else { throw refusal(result) }
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        })
    }
  }

  private func refusal(_ code: Int32) -> Refusal {
    wasRefused = true
    let kind: Refusal.Kind =
      switch code & 0xff {
      case SQLITE_NOTADB, SQLITE_CORRUPT: .damaged
      case SQLITE_FULL: .full
      case SQLITE_BUSY, SQLITE_LOCKED: .busy
      case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY: .io
      default: .refused
      }
    return Refusal(kind, "the database refused it with code \(code)")
  }

  /// Everything, copied to a file without a key. SQLCipher 4 refuses `sqlite3_backup_init` for that.
  func copyPlain(to path: String) throws(Refusal) {
    try attachEmpty(path, key: "")
    try run("SELECT sqlcipher_export('copy'); DETACH copy")
  }

  func rekey(_ key: String) throws(Refusal) {
    let text = "x'\(key)'"
    let result = sqlite3_rekey(handle, text, Int32(text.utf8.count))
    guard result == SQLITE_OK else { throw refusal(result) }
  }

  /// Everything, copied to a new database under another key.
  func copy(to path: String, key: String) throws(Refusal) {
    try attachEmpty(path, key: "x'\(key)'")
    try run("PRAGMA copy.cipher_page_size=4096; SELECT sqlcipher_export('copy'); DETACH copy")
  }

  /// This connection may make no files: it is given an empty one.
  private func attachEmpty(_ path: String, key: String) throws(Refusal) {
    try Files.write([], to: path)
    try rows("ATTACH ? AS copy KEY ?", [path, key])
  }
}
