public import VaultKeys

/// Why the vault did not do what it was asked. Nothing is ever deleted or recreated on the way to one
/// of these.
public enum VaultError: Error, Equatable, Sendable {
  // What is there and what is not.
  /// There is no vault in this folder.
  case notAVault(path: String)
  /// The folder holds something already.
  case alreadyExists(path: String)
  /// The key slots are gone, or making the vault was cut off before they were written.
  case slotsMissing(path: String)
  /// The keys expect a database file that is gone or empty. None is made in its place.
  case storeMissing(profile: ProfileIdentifier)
  /// Files of a profile whose keys are gone. They are kept.
  case orphanStore(profile: ProfileIdentifier)
  /// There is no profile of this number.
  case noSuchProfile(Int)
  /// There is no such record, message or attachment.
  case notFound
  /// A name or key that must be unique is in use.
  case taken

  // Keys.
  /// A password, slot or wrapped key.
  case key(KeyError)
  /// The store of the device secret; `locked` means wait, never replace.
  case secrets(SecretStoreError)

  // Content.
  /// The database does not open with its key: swapped, changed at its start, or beside a log that is
  /// not its own. Which of these cannot be told apart.
  case wrongKeyOrCorrupt
  /// A page's authentication failed.
  case pageDamaged(page: Int)
  /// The structure of the database is damaged.
  case damaged
  /// A write-ahead log that does not belong to the database lies beside it.
  case staleSidecar
  /// An attachment was changed, cut off or replaced.
  case attachmentDamaged
  /// Written by a newer program.
  case schemaTooNew(stored: Int, newest: Int)
  /// Tables that no version of this program made.
  case schemaUnknown
  /// Older than this program reads, or not yet migrated.
  case migrationNeeded(stored: Int, newest: Int)
  /// The linked SQLCipher cannot read this page format.
  case cipherFormatUnsupported(stored: Int, library: String)
  /// Bytes that should be ciphertext are not.
  case plaintextFound(path: String)

  // The system.
  /// Someone else has the vault, or a reader is still at work.
  case busy
  /// The disk is full; what was committed is intact.
  case full
  /// Messages are deleted, their words are still in the search index: the disk is too full.
  case indexNotCleaned
  /// There is not enough room for a second copy of the database.
  case notEnoughSpace(needed: Int, free: Int)
  /// A read or write failed.
  case io(code: Int, path: String)
  /// Memory ran out.
  case outOfMemory
  /// The SQLite in this process is not the SQLCipher it should be.
  case wrongLibrary(reason: String)

  // Life.
  /// The session or profile was closed.
  case closed
  /// The operation was cancelled and rolled back.
  case cancelled
  /// The caller's own reason to roll a transaction back.
  case abandoned(code: Int)
  /// An erasure was begun and not finished; it goes on with the next `erase` or `format`.
  case erasePending
  /// An erasure left something behind.
  case eraseIncomplete(paths: [String])
  /// A statement was still in use when its connection closed.
  case leakedStatement
  /// A limit of the interface: too long, too many, no room in a fixed table.
  case limit(String)
  /// SQLite refused a statement for a reason of its own.
  case refused(code: Int)
}

extension VaultError {
  /// What is wrong, lower case, never a secret.
  public var problem: String {
    switch self {
    case .notAVault(let path): "there is no vault in \(path)"
    case .alreadyExists(let path): "\(path) is not empty"
    case .slotsMissing(let path): "the vault in \(path) has no key slots"
    case .storeMissing(let profile): "the database of profile \(profile) is missing or empty"
    case .orphanStore(let profile): "the keys of profile \(profile) are gone, its database is not"
    case .noSuchProfile(let number): "there is no profile \(number)"
    case .notFound: "there is no such item"
    case .taken: "the name is in use"
    case .key(let error): error.problem
    case .secrets(let error): error.problem
    case .wrongKeyOrCorrupt: "the database does not open with its key"
    case .pageDamaged(let page): "page \(page) of the database was changed"
    case .damaged: "the structure of the database is damaged"
    case .staleSidecar: "a write-ahead log of another database lies beside this one"
    case .attachmentDamaged: "the attachment was changed, cut off or replaced"
    case .schemaTooNew(let stored, let newest):
      "the database is of version \(stored), this program knows \(newest)"
    case .schemaUnknown: "the tables are not those of any version of this program"
    case .migrationNeeded(let stored, let newest):
      "the database is of version \(stored), this program works with \(newest)"
    case .cipherFormatUnsupported(let stored, let library):
      "the database has SQLCipher's format \(stored), which SQLCipher \(library) cannot read"
    case .plaintextFound(let path): "\(path) is not encrypted"
    case .busy: "the vault or profile is in use"
    case .full: "the disk is full"
    case .indexNotCleaned: "the messages are deleted, their words are still in the search index"
    case .notEnoughSpace(let needed, let free):
      "a second copy of the database needs \(needed) bytes, \(free) are free"
    case .io(let code, let path): "reading or writing \(path) failed with code \(code)"
    case .outOfMemory: "memory ran out"
    case .wrongLibrary(let reason): "the SQLite library in this process is the wrong one: \(reason)"
    case .closed: "the vault or profile is closed"
    case .cancelled: "the operation was cancelled"
    case .abandoned(let code): "the transaction was rolled back by its caller, code \(code)"
    case .erasePending: "an erasure was begun and not finished"
    case .eraseIncomplete(let paths):
      "the erasure left \(paths.count) behind, the first is \(paths.first ?? "")"
    case .leakedStatement: "a statement was still in use when its connection closed"
    case .limit(let what): what
    case .refused(let code): "the database refused the operation with code \(code)"
    }
  }

  /// What the person can do.
  public var remedy: String {
    switch self {
    case .notAVault: "give the folder of a vault, or make one with create"
    case .alreadyExists: "choose an empty or new folder"
    case .slotsMissing:
      "restore the file 'slots' from a backup; remove the folder only if the vault was never finished"
    case .storeMissing: "restore the profile's folder from a backup; no empty database is made"
    case .orphanStore: "restore the file 'keys' from a backup; the database is kept"
    case .noSuchProfile: "list the profiles with status"
    case .notFound: "check the name"
    case .taken: "choose another one"
    case .key(let error): error.remedy
    case .secrets(let error): error.remedy
    case .wrongKeyOrCorrupt, .pageDamaged, .damaged, .attachmentDamaged:
      "restore the profile's folder from a backup, whole; nothing was deleted"
    case .staleSidecar: "restore the database together with its -wal; nothing was deleted"
    case .schemaTooNew: "update the program; nothing was changed"
    case .schemaUnknown: "restore the profile's folder from a backup; nothing was changed"
    case .migrationNeeded: "migrate the profile first; the original is kept until that is done"
    case .cipherFormatUnsupported:
      "use a program with SQLCipher 4 or newer; nothing was changed"
    case .plaintextFound: "do not use the file; report this"
    case .busy: "close the other program or reader and try again"
    case .full: "free some space and try again; what was committed is intact"
    case .indexNotCleaned: "free some space and delete again, with no message or any"
    case .notEnoughSpace: "free some space and try again; nothing was changed"
    case .io: "check the disk and the permissions; what was committed is intact"
    case .outOfMemory: "close other programs and try again"
    case .wrongLibrary: "link SQLCipher only, and no other SQLite, into this program"
    case .closed: "unlock the vault and open the profile again"
    case .cancelled, .abandoned: "nothing was changed"
    case .erasePending: "run the erasure again; it goes on where it stopped"
    case .eraseIncomplete: "run the erasure again; the keys are gone already"
    case .leakedStatement: "report this: it is a fault of the program"
    case .limit: "use less of it"
    case .refused: "report this: it is a fault of the program"
    }
  }
}

extension VaultError {
  package init(_ failure: DiskFailure) {
    self =
      switch failure.errno {
      case 28, 122: .full  // ENOSPC, EDQUOT
      case 12: .outOfMemory  // ENOMEM
      default: .io(code: Int(failure.errno), path: failure.path)
      }
  }
}

/// Lets code that throws the lower layers' errors be used where the vault's own is expected.
package func mapping<Result: ~Copyable>(
  _ body: () throws(KeyError) -> Result
) throws(VaultError) -> Result {
  do throws(KeyError) { return try body() } catch { throw .key(error) }
}

package func onDisk<Result>(
  _ body: () throws(DiskFailure) -> Result
) throws(VaultError) -> Result {
  do throws(DiskFailure) { return try body() } catch { throw VaultError(error) }
}
