/// What a broken store does wrong; everything else it does as the others do.
enum Fault: String, CaseIterable {
  /// A database without any encryption.
  case plain
  /// SQLCipher is linked, and the key is never given.
  case unkeyed
  /// Some fields are sealed, in a database that is plain: what a tutorial shows.
  case fields
  /// The key lies in a property list beside the database.
  case plist
  /// Rotation is `PRAGMA rekey` in write-ahead mode, and the log is left as it is.
  case rekey
  /// Sorting goes through temporary files, which are not encrypted.
  case temporary = "temp-store"
  /// A backup is made with SQLite's own function, to a file without a key.
  case backup
  /// Every value that is stored is logged.
  case logging
  /// Deleted rows stay where they were, and so do the words in the index.
  case deletion
  /// Erasing removes the files first and the key last.
  case erasure
  /// The second space is called by its name.
  case decoy
  /// Nothing is wrong: what the others are compared with.
  case none

  var usesCipher: Bool {
    switch self {
    case .plain, .unkeyed, .fields: false
    case .plist, .rekey, .temporary, .backup, .logging, .deletion, .erasure, .decoy, .none: true
    }
  }
}
