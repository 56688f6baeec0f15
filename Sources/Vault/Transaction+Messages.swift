extension Transaction {
  /// The conversation of this name; a new one if there is none.
  public func conversation(named name: String) throws(VaultError) -> Conversation.ID {
    if let known = try existingConversation(named: name) { return known }
    try connection.statement("INSERT INTO conversations(name) VALUES(?)").bind(.text(name)).run()
    return Conversation.ID(row: connection.lastRowIdentifier)
  }

  /// The conversation of this name, if there is one.
  public func existingConversation(named name: String) throws(VaultError) -> Conversation.ID? {
    try connection.statement("SELECT id FROM conversations WHERE name=?").bind(.text(name))
      .first { Conversation.ID(row: $0.int64(0)) }
  }

  /// All conversations, by name.
  public func conversations() throws(VaultError) -> [Conversation] {
    try connection.statement("SELECT id, name FROM conversations ORDER BY name").rows {
      Conversation(id: Conversation.ID(row: $0.int64(0)), name: $0.text(1))
    }
  }

  /// Adds a message, and its words to the search index unless it may be shown once only.
  @discardableResult
  public func add(
    _ body: String, to conversation: Conversation.ID, sender: String, sent: Int64,
    isViewOnce: Bool = false
  ) throws(VaultError) -> Message.ID {
    try connection.statement(
      "INSERT INTO messages(conversation, sent, sender, body, flags) VALUES(?,?,?,?,?)"
    ).bind(
      .int(conversation.row), .int(sent), .text(sender), .text(body), .int(isViewOnce ? 1 : 0)
    ).run()
    let row = connection.lastRowIdentifier
    if !isViewOnce {
      try connection.statement("INSERT INTO search(docid, body) VALUES(?,?)")
        .bind(.int(row), .text(SearchTerms.expand(body))).run()
    }
    return Message.ID(row: row)
  }

  /// Adds a message to be sent: the message, its envelope and the idempotency key are committed
  /// together or not at all.
  @discardableResult
  public func send(
    _ body: String, in conversation: Conversation.ID, sender: String, sent: Int64,
    envelope: [UInt8], idempotencyKey: [UInt8]
  ) throws(VaultError) -> Message.ID {
    let message = try add(body, to: conversation, sender: sender, sent: sent)
    try connection.statement("INSERT INTO outbox(message, envelope, idempotency) VALUES(?,?,?)")
      .bind(.int(message.row), .blob(envelope), .blob(idempotencyKey)).run()
    return message
  }

  /// The newest messages of a conversation, or the newest before a position: page by page, each as
  /// quick as the first.
  public func messages(
    in conversation: Conversation.ID, before position: Message.Position? = nil, limit: Int = 50
  ) throws(VaultError) -> [Message] {
    guard let position else {
      return try connection.statement(
        """
        SELECT id, conversation, sent, sender, body, flags FROM messages
        WHERE conversation=? ORDER BY sent DESC, id DESC LIMIT ?
        """
      ).bind(.int(conversation.row), .int(limit)).rows { Message($0) }
    }
    return try connection.statement(
      """
      SELECT id, conversation, sent, sender, body, flags FROM messages
      WHERE conversation=? AND (sent, id) < (?, ?) ORDER BY sent DESC, id DESC LIMIT ?
      """
    ).bind(
      .int(conversation.row), .int(position.sent), .int(position.row), .int(limit)
    ).rows { Message($0) }
  }

  /// One message; nothing where it is not, or not any more.
  public func message(_ id: Message.ID) throws(VaultError) -> Message? {
    try connection.statement(
      "SELECT id, conversation, sent, sender, body, flags FROM messages WHERE id=?"
    ).bind(.int(id.row)).first { Message($0) }
  }

  /// How many messages there are in all.
  public func messageCount() throws(VaultError) -> Int {
    try connection.statement("SELECT count(*) FROM messages").first { $0.int(0) } ?? 0
  }

  /// Messages that contain every word of a query, newest first.
  public func search(_ query: String, limit: Int = 50) throws(VaultError) -> [Message] {
    let terms = SearchTerms.query(query)
    guard !terms.isEmpty else { return [] }
    return try connection.statement(
      """
      SELECT id, conversation, sent, sender, body, flags FROM messages
      WHERE id IN (SELECT docid FROM search WHERE search MATCH ? ORDER BY docid DESC LIMIT ?)
      ORDER BY id DESC
      """
    ).bind(.text(terms), .int(limit)).rows { Message($0) }
  }

  /// Deletes messages, their envelopes, and their words from the index. The index is rewritten, since
  /// it would keep the words otherwise; ``Profile/delete(_:)`` also empties the log.
  public func delete(_ messages: [Message.ID]) throws(VaultError) {
    try delete(messages, cleaningIndex: true)
  }

  func delete(_ messages: [Message.ID], cleaningIndex: Bool) throws(VaultError) {
    for message in messages {
      // The index reads the text back, so it comes first.
      try connection.statement("DELETE FROM search WHERE docid=?").bind(.int(message.row)).run()
      try connection.statement("DELETE FROM messages WHERE id=?").bind(.int(message.row)).run()
    }
    if cleaningIndex { try cleanIndex() }
  }

  /// Rewrites the search index without the words of deleted messages.
  func cleanIndex() throws(VaultError) {
    try connection.statement("INSERT INTO search(search) VALUES('optimize')").run()
  }
}

extension Message {
  init(_ row: borrowing Row) {
    self.init(
      id: ID(row: row.int64(0)), conversation: Conversation.ID(row: row.int64(1)),
      sent: row.int64(2), sender: row.text(3), body: row.text(4),
      isViewOnce: row.int64(5) & 1 != 0)
  }
}
