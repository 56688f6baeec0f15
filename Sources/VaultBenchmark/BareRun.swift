import CSQLCipher
import SecretBytes
import Vault
import VaultKeys

/// SQLCipher through its own C interface, with the vault's tables, settings and statements.
struct BareRun {
  let folder: String
  let count: Int
  let rounds: Int

  func measure() throws -> Measurement {
    try Disk.makeFolder(folder)
    let path = folder + "/s"
    let key = KeySpecification()
    var result = Measurement()
    let format = try SQLiteLibrary.checked().newestFormat
    let maker = try Connection(path: path, key: key.duplicate(), format: format, creating: true)
    try maker.configure(readOnly: false)
    for statement in Schema.statements(from: 0, to: Schema.newest) { try maker.execute(statement) }
    try maker.close()
    let connection = try Connection(path: path, key: key.duplicate(), format: format)
    try connection.configure(readOnly: false)
    insert(connection.pointer, &result)
    read(connection.pointer, &result)
    try connection.close()
    result.bytes = Disk.size(path) ?? 0
    result.open = try open(path, key, format, connections: 1)
    result.openWithReader = try open(path, key, format, connections: 2)
    return result
  }

  /// Opens the file and reads through the last connection.
  private func open(
    _ path: String, _ key: borrowing KeySpecification, _ format: CipherFormat, connections: Int
  ) throws -> Measurement.Times {
    var times = Measurement.Times()
    for _ in 0..<60 {
      let start = Stopwatch.Reading()
      let all = try (0..<connections).map { _ in
        let connection = try Connection(path: path, key: key.duplicate(), format: format)
        try connection.configure(readOnly: false)
        return connection
      }
      _ = try all.last?.number("SELECT id FROM conversations WHERE name='c0'")
      times.add(since: start)
      for connection in all { try connection.close() }
    }
    return times
  }

  private func prepare(_ handle: OpaquePointer, _ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    return statement
  }

  private func insert(_ handle: OpaquePointer, _ result: inout Measurement) {
    var source = MessageSource()
    for number in 0..<MessageSource.conversationCount {
      sqlite3_exec(handle, "INSERT INTO conversations(name) VALUES('c\(number)')", nil, nil, nil)
    }
    let message = prepare(
      handle, "INSERT INTO messages(conversation, sent, sender, body, flags) VALUES(?,?,?,?,?)")
    let terms = prepare(handle, "INSERT INTO search(docid, body) VALUES(?,?)")
    defer {
      sqlite3_finalize(message)
      sqlite3_finalize(terms)
    }
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
    for first in stride(from: 0, to: count, by: 1000) {
      let batch = (first..<min(first + 1000, count)).map { number in
        (source.conversation(number), source.text(number), Int64(number) * 1000)
      }
      let (start, startCPU) = (Stopwatch.wall(), Stopwatch.cpu())
      sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil)
      for (talk, text, sent) in batch {
        sqlite3_bind_int64(message, 1, Int64(talk + 1))
        sqlite3_bind_int64(message, 2, sent)
        sqlite3_bind_text(message, 3, "someone", -1, transient)
        sqlite3_bind_text(message, 4, text, -1, transient)
        sqlite3_bind_int64(message, 5, 0)
        sqlite3_step(message)
        sqlite3_reset(message)
        sqlite3_bind_int64(terms, 1, sqlite3_last_insert_rowid(handle))
        sqlite3_bind_text(terms, 2, SearchTerms.expand(text), -1, transient)
        sqlite3_step(terms)
        sqlite3_reset(terms)
      }
      sqlite3_exec(handle, "COMMIT", nil, nil, nil)
      result.insertSeconds += Stopwatch.wall() - start
      result.insertCPU += Stopwatch.cpu() - startCPU
    }
    sqlite3_exec(handle, "PRAGMA wal_checkpoint(TRUNCATE)", nil, nil, nil)
  }

  private func read(_ handle: OpaquePointer, _ result: inout Measurement) {
    var source = MessageSource()
    let page = prepare(
      handle,
      """
      SELECT id, conversation, sent, sender, body, flags FROM messages
      WHERE conversation=1 AND (sent, id) < (?, ?) ORDER BY sent DESC, id DESC LIMIT 50
      """)
    defer { sqlite3_finalize(page) }
    for _ in 0..<rounds {
      let anchor = Int64(source.number(below: count / 10)) * 10
      let start = Stopwatch.Reading()
      sqlite3_bind_int64(page, 1, anchor * 1000)
      sqlite3_bind_int64(page, 2, anchor + 1)
      drain(page)
      result.page.add(since: start)
    }
    let (one, two) = source.common
    result.rare = search("quizzaciously", handle)
    result.two = search("\(one) \(two)", handle)
    result.prefix = search("quizz*", handle)
    result.chinese = search("天气很好", handle)
  }

  private func search(_ query: String, _ handle: OpaquePointer) -> Measurement.Times {
    let statement = prepare(
      handle,
      """
      SELECT id, conversation, sent, sender, body, flags FROM messages
      WHERE id IN (SELECT docid FROM search WHERE search MATCH ? ORDER BY docid DESC LIMIT 50)
      ORDER BY id DESC
      """)
    defer { sqlite3_finalize(statement) }
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type?.self)
    var times = Measurement.Times()
    for _ in 0..<max(rounds / 10, 5) {
      let start = Stopwatch.Reading()
      sqlite3_bind_text(statement, 1, SearchTerms.query(query), -1, transient)
      drain(statement)
      times.add(since: start)
    }
    return times
  }

  /// Reads every column, as any caller would.
  private func drain(_ statement: OpaquePointer?) {
    while sqlite3_step(statement) == SQLITE_ROW {
      for column: Int32 in 0..<6 { _ = sqlite3_column_text(statement, column) }
    }
    sqlite3_reset(statement)
  }
}
