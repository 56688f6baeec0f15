import CSQLCipher
import Synchronization
import VaultKeys

/// One open database, used by one thread at a time: the owner is an actor.
package final class Connection {
  private let handle: OpaquePointer
  let path: String
  private var isOpen = true
  private var cache: [UnsafePointer<UInt8>: Statement] = [:]
  /// Set from any thread to stop the running statement and refuse the next.
  let stop: StopFlag
  private(set) var ticket: UInt64 = 0

  /// Opens an existing file, or makes one when `creating`, and applies its key before anything else.
  ///
  /// Without a key the file is plain: for the benchmark's comparison, never for a vault.
  package init(
    path: String, key: borrowing KeySpecification?, format: CipherFormat, creating: Bool = false,
    readOnly: Bool = false, vfs: String? = nil, stop: StopFlag = StopFlag()
  ) throws(VaultError) {
    let library = try SQLiteLibrary.checked()
    var opened: OpaquePointer?
    var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    flags |= readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    if creating { flags |= SQLITE_OPEN_CREATE }
    let result = sqlite3_open_v2(path, &opened, flags, vfs)
    guard result == SQLITE_OK, let opened else {
      let failure = VaultError(sqlite: sqlite3_extended_errcode(opened), path: path)
      sqlite3_close(opened)
      throw result == SQLITE_NOMEM ? .outOfMemory : failure
    }
    if !readOnly {
      // SQLite opens for reading what it may not write, and says so at the first change or never.
      guard sqlite3_db_readonly(opened, "main") != 1 else {
        sqlite3_close(opened)
        throw .io(code: Int(SQLITE_READONLY), path: path)
      }
      Disk.restrict(path)
    }
    handle = opened
    self.path = path
    self.stop = stop
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 5000)
    switch key {
    case .some(let key):
      let keyed = key.apply(to: handle)
      guard keyed == SQLITE_OK else { throw VaultError(sqlite: keyed, path: path) }
      try configureCipher(format, library)
    case .none: try execute("PRAGMA page_size=4096")
    }
    stop.attach(handle)
  }

  /// Before the first read, which is what these decide about.
  private func configureCipher(
    _ format: CipherFormat, _ library: SQLiteLibrary
  ) throws(VaultError) {
    switch (library.newestFormat, format) {
    case (.three, .three): break
    case (.three, .four):
      throw .cipherFormatUnsupported(stored: 4, library: library.cipherVersion)
    case (.four, .three): try execute("PRAGMA cipher_compatibility=3")
    case (.four, .four): try execute("PRAGMA cipher_compatibility=4")
    }
    try execute("PRAGMA cipher_page_size=4096")
    // SQLCipher 4 tells standard error of each page it refuses, and starts over with that when the
    // first connection takes a key.
    if library.newestFormat == .four { try execute("PRAGMA cipher_log_level=NONE") }
  }

  deinit {
    // Open still only where opening or using it failed half-way.
    if isOpen { shut() }
  }

  @discardableResult
  private func shut() -> Int32 {
    stop.detach()
    cache.removeAll()
    isOpen = false
    return sqlite3_close(handle)
  }

  /// Finalizes every kept statement and closes the file; one that is still alive is a fault.
  package func close() throws(VaultError) {
    guard isOpen else { return }
    guard shut() == SQLITE_OK else { throw .leakedStatement }
  }
}

extension Connection {
  /// Attaches another database under the name `copy`. Its key is bound as bytes: in the text of the
  /// statement it would stay in memory that nobody wipes.
  package func attach(_ path: String, key: borrowing KeySpecification) throws(VaultError) {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let prepared = sqlite3_prepare_v2(handle, "ATTACH ? AS copy KEY ?", -1, &statement, nil)
    guard prepared == SQLITE_OK else { throw failure(prepared) }
    let stepped = key.withText { text in
      sqlite3_bind_text(statement, 1, path, -1, Statement.transient)
      sqlite3_bind_text(
        statement, 2, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
      return sqlite3_step(statement)
    }
    guard stepped == SQLITE_DONE else { throw failure(stepped) }
  }
}

// MARK: Statements

extension Connection {
  /// A compiled statement, kept for the next use: the text's address is its name.
  func statement(_ sql: StaticString) throws(VaultError) -> Statement {
    if let cached = cache[sql.utf8Start], !cached.isInUse { return cached }
    let statement = try Statement(prepare("\(sql)", isKept: true), on: self)
    cache[sql.utf8Start] = statement
    return statement
  }

  private func prepare(_ sql: String, isKept: Bool) throws(VaultError) -> OpaquePointer {
    var statement: OpaquePointer?
    let result = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    guard result == SQLITE_OK, let statement else { throw failure(result) }
    return statement
  }

  /// Runs statements whose rows nobody reads.
  package func execute(_ sql: String) throws(VaultError) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw failure(result) }
  }

  /// The first column of the first row, as a number.
  package func number(_ sql: String) throws(VaultError) -> Int? {
    try values(sql) { $0.int(0) }.first
  }

  /// The first column of the first row, as text.
  package func text(_ sql: String) throws(VaultError) -> String? {
    try values(sql) { $0.text(0) }.first
  }

  package func values<Value>(
    _ sql: String, _ read: (borrowing Row) -> Value
  ) throws(VaultError) -> [Value] {
    let statement = try Statement(prepare(sql, isKept: false), on: self)
    return try statement.rows(read)
  }

  /// What the last failing call means.
  func failure(_ code: Int32) -> VaultError {
    let extended = sqlite3_extended_errcode(handle)
    // That the log's index found no room is an error like any other of reading and writing: what it was
    // is only said by the system.
    let cause = DiskFailure(errno: sqlite3_system_errno(handle), path: path)
    if (extended == SQLITE_OK ? code : extended) & 0xff == SQLITE_IOERR, VaultError(cause) == .full
    {
      return .full
    }
    return VaultError(sqlite: extended, or: code, path: path)
  }

  /// Marks what runs now, so that it alone can be stopped.
  func begin(_ ticket: UInt64) {
    self.ticket = ticket
    stop.begin(ticket)
  }

  func end() {
    ticket = 0
    stop.end()
  }

  var isStopped: Bool { stop.isStopped(ticket) }

  var lastRowIdentifier: Int64 { sqlite3_last_insert_rowid(handle) }
  package var changeCount: Int { Int(sqlite3_changes(handle)) }
  var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
  /// For the functions of SQLite that take two connections.
  package var pointer: OpaquePointer { handle }
}

/// Stops a connection from another thread: while it is open, and only the operation that is meant.
package final class StopFlag: Sendable {
  private struct State {
    var handle: Handle?
    /// The operation that runs now.
    var running: UInt64 = 0
    var next: UInt64 = 0
  }
  /// sqlite3_interrupt may be called from any thread as long as the connection is open: `detach`
  /// takes the same lock before it closes.
  private struct Handle: @unchecked Sendable {
    let pointer: OpaquePointer
  }
  private let state = Mutex(State())
  private let stopped = Atomic<UInt64>(0)

  package init() {}

  func attach(_ handle: OpaquePointer) {
    let handle = Handle(pointer: handle)
    state.withLock { $0.handle = handle }
  }

  func detach() {
    state.withLock { $0.handle = nil }
  }

  /// A number for an operation that is about to be queued.
  package func ticket() -> UInt64 {
    state.withLock { state in
      state.next += 1
      return state.next
    }
  }

  func begin(_ ticket: UInt64) { state.withLock { $0.running = ticket } }
  func end() { state.withLock { $0.running = 0 } }

  /// Interrupts the operation if it is the one that runs; `nil` means whichever does.
  package func interrupt(_ ticket: UInt64?) {
    state.withLock { state in
      guard let handle = state.handle, state.running != 0 else { return }
      guard ticket == nil || ticket == state.running else { return }
      stopped.store(state.running, ordering: .relaxed)
      sqlite3_interrupt(handle.pointer)
    }
  }

  /// Whether the running operation was told to stop.
  func isStopped(_ ticket: UInt64) -> Bool {
    ticket != 0 && stopped.load(ordering: .relaxed) == ticket
  }
}
