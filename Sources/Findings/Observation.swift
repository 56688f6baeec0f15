/// Something about a source, or a part of it, that no single value shows: what its pages are worth, what
/// lies beside it. Rules of kind `storage` decide on it.
package struct Observation: Equatable, Sendable {
  /// Raw values are the words of rule files.
  package enum Kind: String, CaseIterable, Sendable {
    /// No page is ciphertext.
    case plaintext
    /// Every page that is not empty is ciphertext.
    case encrypted
    /// Some pages are ciphertext and some are not.
    case mixed
    /// Dense bytes among others, and no page of a database: it cannot be told what this is.
    case undecided
    /// A readable page in a file that is otherwise ciphertext.
    case plaintextPage = "plaintext-page"
    /// An unreadable page in a file that is otherwise plaintext.
    case encryptedPage = "encrypted-page"
    /// The first bytes are a readable header, the rest is ciphertext.
    case plaintextHeader = "plaintext-header"
    /// A key opened the source.
    case keyFits = "key-fits"
    /// No page verifies under a key.
    case wrongKey = "wrong-key"
    /// Some pages verify under a key and some do not: damage, or frames under another key.
    case damagedPages = "damaged-pages"
    /// Pages still open under a key that was replaced.
    case oldKey = "old-key"
    /// Deleted content is left in pages: secure_delete was off, or did not reach it.
    case residue
    /// Frames of an older generation are left in a write-ahead log.
    case staleGeneration = "stale-generation"
    /// Frames that no commit follows.
    case uncommittedFrames = "uncommitted-frames"
    /// A log that belongs to another database.
    case foreignLog = "foreign-log"
    case hotJournal = "hot-journal"
    case persistedJournal = "persisted-journal"
    /// A log or journal beside which there is no database.
    case orphanSidecar = "orphan-sidecar"
    /// A readable log or journal beside an encrypted database.
    case plaintextBeside = "plaintext-beside"
    /// Pages of a temporary database.
    case temporaryPages = "temporary-pages"
    /// A readable database beside an encrypted one of the same name: a backup, or what a migration left.
    case clearCopy = "clear-copy"
    /// Readable although its own name says that it is encrypted.
    case notEncrypted = "not-encrypted"
    /// Every user of the machine may read it.
    case worldReadable = "world-readable"
  }

  package var kind: Kind
  package var message: String
  /// The place it is about; the whole source where it has no steps.
  package var place: Place
  /// What else is known, by the names that rule files use.
  package var values: [String: String]

  package init(
    _ kind: Kind, _ message: String, at place: Place? = nil, values: [String: String] = [:]
  ) {
    self.kind = kind
    self.message = message
    self.place = place ?? Place(steps: [], origin: .transformed)
    self.values = values
  }
}
