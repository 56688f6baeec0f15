package import Findings

/// What a reader learned about a source that no single value shows.
package struct Observation: Equatable, Sendable {
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
    /// Deleted content is left in pages: secure_delete was off.
    case residue
    /// Frames of an older generation are left in a write-ahead log.
    case staleGeneration = "stale-generation"
    /// Frames that no commit follows.
    case uncommittedFrames = "uncommitted-frames"
    /// A log that belongs to another database.
    case foreignLog = "foreign-log"
    case hotJournal = "hot-journal"
    case persistedJournal = "persisted-journal"
    /// A readable log or journal beside an encrypted database.
    case plaintextBeside = "plaintext-beside"
    /// Pages of a temporary database.
    case temporaryPages = "temporary-pages"
  }

  package var kind: Kind
  package var message: String
  /// The place it is about; the whole source where it has no steps.
  package var place: Place

  package init(_ kind: Kind, _ message: String, at place: Place? = nil) {
    self.kind = kind
    self.message = message
    self.place = place ?? Place(steps: [], origin: .transformed)
  }
}
