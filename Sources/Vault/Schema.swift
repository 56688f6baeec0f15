/// The tables of a profile's database, one version after the other.
///
/// A version, once released, never changes: the next one changes its tables. `application_id` marks a
/// database as ours, `user_version` says which version it has.
package enum Schema {
  /// The version this program works with.
  package static let newest = 2
  /// The oldest version that can be migrated.
  package static let oldest = 1
  /// "VLT1": tells our databases from others that happen to open.
  package static let applicationIdentifier = 0x564c_5431

  /// Statements that lead from one version to the next; the first makes version 1.
  private static let steps: [[String]] = [first, second]

  /// What leads from `version` to `target`.
  package static func statements(from version: Int, to target: Int) -> [String] {
    steps[version..<target].flatMap { $0 } + ["PRAGMA user_version=\(target)"]
  }

  /// The tables a version has: a database with others is not opened.
  package static func tables(of version: Int) -> Set<String> {
    var names: Set = [
      "settings", "migrations", "records", "protocol_state", "conversations", "messages", "outbox",
      "attachments", "search", "search_segments", "search_segdir", "search_docsize", "search_stat",
    ]
    if version >= 2 { names.insert("drafts") }
    return names
  }

  private static let first = [
    "PRAGMA application_id=\(applicationIdentifier)",
    // What the program itself keeps: its settings, and which versions the database went through.
    "CREATE TABLE settings(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE migrations(version INTEGER PRIMARY KEY, made INTEGER NOT NULL)",
    // Domain records: contacts, verification states, whatever the app keeps by kind and name.
    """
    CREATE TABLE records(kind TEXT, name TEXT, value BLOB NOT NULL, changed INTEGER NOT NULL,
      PRIMARY KEY(kind, name)) WITHOUT ROWID
    """,
    // Opaque state of the protocol, replaced as a whole; the revision refuses a lost update.
    """
    CREATE TABLE protocol_state(session TEXT PRIMARY KEY, state BLOB NOT NULL,
      revision INTEGER NOT NULL) WITHOUT ROWID
    """,
    "CREATE TABLE conversations(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
    """
    CREATE TABLE messages(id INTEGER PRIMARY KEY AUTOINCREMENT,
      conversation INTEGER NOT NULL REFERENCES conversations, sent INTEGER NOT NULL,
      sender TEXT NOT NULL, body TEXT NOT NULL, flags INTEGER NOT NULL)
    """,
    "CREATE INDEX messages_by_time ON messages(conversation, sent, id)",
    """
    CREATE TABLE outbox(id INTEGER PRIMARY KEY AUTOINCREMENT,
      message INTEGER NOT NULL UNIQUE REFERENCES messages ON DELETE CASCADE,
      envelope BLOB NOT NULL, idempotency BLOB NOT NULL UNIQUE, sent INTEGER NOT NULL DEFAULT 0)
    """,
    // What the network was given once must be the same at each further try.
    """
    CREATE TRIGGER outbox_is_immutable BEFORE UPDATE OF id, message, envelope, idempotency ON outbox
      BEGIN SELECT RAISE(ABORT, 'immutable'); END
    """,
    """
    CREATE TABLE attachments(id INTEGER PRIMARY KEY AUTOINCREMENT,
      message INTEGER REFERENCES messages ON DELETE SET NULL, name TEXT NOT NULL,
      file BLOB NOT NULL UNIQUE, key BLOB NOT NULL, size INTEGER NOT NULL)
    """,
    "CREATE INDEX attachments_by_message ON attachments(message)",
    // The index reads the text back through this view when it forgets a message, so the view must
    // give the same words that were indexed: one-time messages are not in it.
    """
    CREATE VIEW message_terms(rowid, body) AS
      SELECT id, search_terms(body) FROM messages WHERE flags & 1 = 0
    """,
    """
    CREATE VIRTUAL TABLE search USING fts4(body, content="message_terms",
      tokenize=unicode61 "remove_diacritics=1")
    """,
  ]

  private static let second = [
    "CREATE TABLE drafts(conversation INTEGER PRIMARY KEY REFERENCES conversations ON DELETE CASCADE, text TEXT NOT NULL)",
    "CREATE INDEX outbox_pending ON outbox(id) WHERE sent = 0",
  ]
}
