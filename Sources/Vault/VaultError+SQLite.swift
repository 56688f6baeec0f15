import CSQLCipher

extension VaultError {
  /// What a result code of SQLite means here.
  init(sqlite extended: Int32, or code: Int32 = SQLITE_ERROR, path: String) {
    let result = extended == SQLITE_OK ? code : extended
    switch result & 0xff {
    case SQLITE_NOTADB: self = .wrongKeyOrCorrupt
    case SQLITE_CORRUPT: self = .damaged
    case SQLITE_FULL: self = .full
    case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
    case SQLITE_NOMEM: self = .outOfMemory
    case SQLITE_INTERRUPT: self = .cancelled
    case SQLITE_CONSTRAINT:
      self =
        result == constraintUnique || result == constraintPrimaryKey
        ? .taken : .refused(code: Int(result))
    case SQLITE_IOERR where result == readOutOfMemory: self = .outOfMemory
    case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM:
      self = .io(code: Int(result), path: path)
    default: self = .refused(code: Int(result))
    }
  }
}

// Extended codes are macros with arithmetic in them, which are not imported.
private let constraintUnique: Int32 = SQLITE_CONSTRAINT | 8 << 8
private let constraintPrimaryKey: Int32 = SQLITE_CONSTRAINT | 6 << 8
private let readOutOfMemory: Int32 = SQLITE_IOERR | 12 << 8
