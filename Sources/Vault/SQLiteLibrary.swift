import CSQLCipher
import CVaultSQLite

/// The SQLCipher in this process: which version it is, and whether it is really the one that answers.
///
/// libsqlite3 and libsqlcipher export the same names. If the wrong one comes first, keys are accepted
/// and ignored, and files are plain (STORE.md §1.6). So nothing is opened before this was checked.
package struct SQLiteLibrary: Sendable {
  /// SQLCipher's version, `3.4.1` or `4.6.1`.
  package let cipherVersion: String
  /// SQLite's version.
  package let version: String

  /// The format that new files get.
  package var newestFormat: CipherFormat { cipherVersion.hasPrefix("3.") ? .three : .four }

  /// Whether files of a format can be read.
  package func reads(_ format: CipherFormat) -> Bool { format.rawValue <= newestFormat.rawValue }

  /// The checked library; the check runs once.
  package static func checked() throws(VaultError) -> SQLiteLibrary {
    try result.get()
  }

  private static let result = Result<SQLiteLibrary, VaultError> { () throws(VaultError) in
    try SQLiteLibrary()
  }

  private init() throws(VaultError) {
    guard vault_sqlite_configured() == SQLITE_OK else {
      throw .wrongLibrary(reason: "another part of the program initialised it first")
    }
    guard vault_sqlite_is_one_library() == 1 else {
      throw .wrongLibrary(reason: "libsqlite3 answers in place of libsqlcipher")
    }
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw .wrongLibrary(reason: "it opens nothing")
    }
    guard let cipher = Self.text(handle, "PRAGMA cipher_version"), !cipher.isEmpty else {
      throw .wrongLibrary(reason: "it is not SQLCipher")
    }
    let number = cipher.prefix { $0 != " " }
    guard number.hasPrefix("3.4") || number.hasPrefix("4.") else {
      throw .wrongLibrary(reason: "SQLCipher \(number) was not tried with this program")
    }
    cipherVersion = String(number)
    version = String(cString: sqlite3_libversion())
  }

  private static func text(_ handle: OpaquePointer?, _ sql: String) -> String? {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
    else { return nil }
    return String(cString: text)
  }
}
