import SecretBytes
import VaultKeys

/// One connection to a profile's database: all that happens in it is one transaction after the other.
///
/// Where its work runs is said by who calls: reading computes, and runs at once on the thread that asks
/// for it; what waits for the disk runs on ``BlockingWork``. A queue of its own would cost two changes of
/// thread a transaction, which is what an opening and a page of messages cost together.
actor Database {
  private var connection: Connection?
  /// Reached from outside without waiting: stopping must not queue behind what it stops.
  nonisolated let stop: StopFlag
  /// The file; empty as long as it has not been opened.
  private(set) var path = ""
  /// How it is opened by the first transaction, where nobody has opened it before.
  private var waiting: DatabaseOpening?

  /// Takes over a connection that nobody else has.
  init(_ connection: sending Connection, at path: String) {
    stop = connection.stop
    self.connection = connection
    self.path = path
  }

  /// Opens the file when the first transaction comes: one connection is enough for who opens a profile
  /// and reads little.
  init(openingLater opening: consuming DatabaseOpening) {
    stop = StopFlag()
    waiting = consume opening
  }

  func checkpoint() throws(VaultError) {
    guard let connection else { throw .closed }
    try connection.checkpoint()
  }

  /// Runs one transaction; what it throws rolls it back.
  // Swift 6.3's optimizer crashes while it specializes this for a type of result.
  @_semantics("optimize.sil.specialize.generic.never")
  func perform<Result: Sendable>(
    _ kind: Transaction.Kind, ticket: UInt64,
    _ body: @Sendable (borrowing Transaction) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    let connection = try opened()
    connection.begin(ticket)
    defer { connection.end() }
    if Task.isCancelled { throw .cancelled }
    return try Transaction.run(kind, on: connection, body)
  }

  private func opened() throws(VaultError) -> Connection {
    if let connection { return connection }
    // It stays until it has worked: the next transaction tries again.
    let opened: Connection
    switch waiting {
    case .some(let opening):
      opened = try opening.connect(stop: stop)
      path = opening.path
    case .none: throw .closed
    }
    connection = opened
    waiting = nil
    return opened
  }

  /// Empties the log into the database and closes it.
  func close(checkpointing: Bool) throws(VaultError) {
    waiting = nil
    guard let connection else { return }
    self.connection = nil
    var failure: VaultError?
    if checkpointing {
      do throws(VaultError) { try connection.checkpoint() } catch { failure = error }
    }
    try connection.close()
    if let failure { throw failure }
  }
}

extension Connection {
  /// Moves everything from the log into the database and cuts the log to nothing; `busy` if a reader
  /// is still in it.
  package func checkpoint() throws(VaultError) {
    let isBlocked = try values("PRAGMA wal_checkpoint(TRUNCATE)") { $0.int(0) }.first
    guard isBlocked == 0 else { throw .busy }
  }
}
