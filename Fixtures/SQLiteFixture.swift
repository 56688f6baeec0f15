import CSQLCipher

/// A database in the making, written by the library itself; encrypted only where a key is given.
package struct SQLiteFixture: ~Copyable {
  private let connection: OpaquePointer

  package enum Failure: Error {
    case cannotOpen(path: String)
    case refused(sql: String, message: String)
  }

  /// - Parameter rawKey: 32 bytes of key and 16 of salt in hexadecimal, for SQLCipher.
  package init(at path: String, rawKey: String? = nil) throws(Failure) {
    let connection = try Self.open(path)
    if let rawKey { try Self.run("PRAGMA key = \"x'\(rawKey)'\"", on: connection) }
    self.connection = connection
  }

  deinit {
    sqlite3_close(connection)
  }

  /// Runs statements one after another, each committed on its own unless they say otherwise.
  package func run(_ statements: String...) throws(Failure) {
    for sql in statements { try Self.run(sql, on: connection) }
  }

  private static func open(_ path: String) throws(Failure) -> OpaquePointer {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
      sqlite3_close(handle)
      throw .cannotOpen(path: path)
    }
    return handle
  }

  private static func run(_ sql: String, on connection: OpaquePointer) throws(Failure) {
    guard sqlite3_exec(connection, sql, nil, nil, nil) == SQLITE_OK else {
      throw .refused(sql: sql, message: String(cString: sqlite3_errmsg(connection)))
    }
  }
}

/// What the library writes at random into a log or a journal, replaced by fixed values, so that a
/// fixture has the same bytes every time.
package enum FixedRandomness {
  /// The write-ahead log with `salt` in its header and frames, and its checksums made anew (SQLite file
  /// format, §4.1 and §4.2).
  package static func log(_ log: [UInt8], salt: [UInt8]) -> [UInt8] {
    guard log.count > 32 else { return log }
    let isBigEndian = log[3] & 1 == 1
    let pageSize = Int(word(log, 8, bigEndian: true))
    var sums: (UInt32, UInt32) = (0, 0)
    func add(_ bytes: [UInt8]) {
      for at in stride(from: 0, to: bytes.count, by: 8) {
        sums.0 = sums.0 &+ word(bytes, at, bigEndian: isBigEndian) &+ sums.1
        sums.1 = sums.1 &+ word(bytes, at + 4, bigEndian: isBigEndian) &+ sums.0
      }
    }
    func appendSums(to file: inout [UInt8]) {
      file.appendBigEndian(sums.0)
      file.appendBigEndian(sums.1)
    }
    var fixed = Array(log[..<16]) + salt
    add(fixed)
    appendSums(to: &fixed)
    for start in stride(from: 32, through: log.count - pageSize - 24, by: pageSize + 24) {
      let page = Array(log[start + 24..<start + 24 + pageSize])
      add(Array(log[start..<start + 8]))
      add(page)
      fixed += Array(log[start..<start + 8]) + salt
      appendSums(to: &fixed)
      fixed += page
    }
    return fixed
  }

  /// A rollback journal whose header was zeroed at commit, its page checksums made with a nonce of 0
  /// (SQLite file format, §3).
  package static func journal(_ journal: [UInt8], pageSize: Int) -> [UInt8] {
    let sector = 512
    var fixed = journal
    for start in stride(from: sector, through: journal.count - pageSize - 8, by: pageSize + 8) {
      var sum: UInt32 = 0
      for at in stride(from: pageSize - 200, to: 0, by: -200) {
        sum &+= UInt32(journal[start + 4 + at])
      }
      var stored: [UInt8] = []
      stored.appendBigEndian(sum)
      fixed.replaceSubrange(start + 4 + pageSize..<start + 8 + pageSize, with: stored)
    }
    return fixed
  }

  private static func word(_ bytes: [UInt8], _ offset: Int, bigEndian: Bool) -> UInt32 {
    let four = bytes[offset..<offset + 4]
    return (bigEndian ? Array(four) : four.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
  }
}
