/// A value the app keeps under a kind and a name: a contact, a verification state.
public struct Record: Equatable, Sendable {
  /// Its name, once in a kind.
  public let name: String
  /// The app's own bytes.
  public let value: [UInt8]
}

/// A session's state as the protocol left it; the revision tells whether it changed in between.
public struct ProtocolState: Equatable, Sendable {
  /// The state, opaque to the vault.
  public let bytes: [UInt8]
  /// How often it was replaced; 1 when it was made.
  public let revision: Int64
}

extension Transaction {
  /// Keeps a record, in place of one of the same name.
  public func put(
    _ value: [UInt8], kind: String, name: String, changed: Int64 = 0
  ) throws(VaultError) {
    try connection.statement(
      "INSERT OR REPLACE INTO records(kind, name, value, changed) VALUES(?,?,?,?)"
    ).bind(.text(kind), .text(name), .blob(value), .int(changed)).run()
  }

  /// One record, if there is one.
  public func record(kind: String, name: String) throws(VaultError) -> Record? {
    try connection.statement("SELECT name, value FROM records WHERE kind=? AND name=?")
      .bind(.text(kind), .text(name)).first { Record(name: $0.text(0), value: $0.blob(1)) }
  }

  /// All records of a kind, by name.
  public func records(kind: String) throws(VaultError) -> [Record] {
    try connection.statement("SELECT name, value FROM records WHERE kind=? ORDER BY name")
      .bind(.text(kind)).rows { Record(name: $0.text(0), value: $0.blob(1)) }
  }

  /// Removes a record; one that is not there is as good.
  public func removeRecord(kind: String, name: String) throws(VaultError) {
    try connection.statement("DELETE FROM records WHERE kind=? AND name=?")
      .bind(.text(kind), .text(name)).run()
  }

  /// The kinds there are, with how many records each has.
  public func recordKinds() throws(VaultError) -> [(kind: String, count: Int)] {
    try connection.statement("SELECT kind, count(*) FROM records GROUP BY kind ORDER BY kind")
      .rows { ($0.text(0), $0.int(1)) }
  }

  /// A session's state, with the revision that ``advance(session:from:to:)`` asks for.
  public func protocolState(session: String) throws(VaultError) -> ProtocolState? {
    try connection.statement("SELECT state, revision FROM protocol_state WHERE session=?")
      .bind(.text(session))
      .first { ProtocolState(bytes: $0.blob(0), revision: $0.int64(1)) }
  }

  /// Replaces a session's state. `revision` is the one it was read with, 0 for a new session; if the
  /// stored one is another, someone else was here and nothing is changed.
  public func advance(
    session: String, from revision: Int64, to state: [UInt8]
  ) throws(VaultError) {
    guard try (protocolState(session: session)?.revision ?? 0) == revision else { throw .taken }
    try connection.statement(
      "INSERT OR REPLACE INTO protocol_state(session, state, revision) VALUES(?,?,?)"
    ).bind(.text(session), .blob(state), .int(revision + 1)).run()
  }

  /// The text that was not sent yet. It is not in the search index.
  public func draft(in conversation: Conversation.ID) throws(VaultError) -> String? {
    try connection.statement("SELECT text FROM drafts WHERE conversation=?")
      .bind(.int(conversation.row)).first { $0.text(0) }
  }

  /// Keeps a draft; nothing or an empty text removes it.
  public func setDraft(
    _ text: String?, in conversation: Conversation.ID
  ) throws(VaultError) {
    guard let text, !text.isEmpty else {
      try connection.statement("DELETE FROM drafts WHERE conversation=?")
        .bind(.int(conversation.row)).run()
      return
    }
    try connection.statement("INSERT OR REPLACE INTO drafts(conversation, text) VALUES(?,?)")
      .bind(.int(conversation.row), .text(text)).run()
  }

  /// A setting's value, if there is one.
  public func setting(_ name: String) throws(VaultError) -> [UInt8]? {
    try connection.statement("SELECT value FROM settings WHERE name=?").bind(.text(name))
      .first { $0.blob(0) }
  }

  /// Keeps a setting; nothing removes it. Names that begin with `vault/` are the vault's own.
  public func setSetting(_ name: String, to value: [UInt8]?) throws(VaultError) {
    guard !name.hasPrefix("vault/") else { throw .limit("the name belongs to the vault itself") }
    try keep(value, as: name)
  }

  func keep(_ value: [UInt8]?, as name: String) throws(VaultError) {
    guard let value else {
      try connection.statement("DELETE FROM settings WHERE name=?").bind(.text(name)).run()
      return
    }
    try connection.statement("INSERT OR REPLACE INTO settings(name, value) VALUES(?,?)")
      .bind(.text(name), .blob(value)).run()
  }

  /// When the database reached each of its versions: milliseconds since 1970, by version.
  public func migrations() throws(VaultError) -> [(version: Int, made: Int64)] {
    try connection.statement("SELECT version, made FROM migrations ORDER BY version")
      .rows { ($0.int(0), $0.int64(1)) }
  }
}
