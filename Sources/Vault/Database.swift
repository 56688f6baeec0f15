import SecretBytes
import VaultKeys

/// One connection to a profile's database, on a queue of its own: all that happens in it is one
/// transaction after the other.
actor Database {
  private let executor: QueueExecutor
  private var connection: Connection?
  /// Reached from outside without waiting: stopping must not queue behind what it stops.
  nonisolated let stop: StopFlag

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// How it is opened by the first transaction, where nobody has opened it before.
  private var waiting: DatabaseOpening?

  init(stop: StopFlag = StopFlag()) {
    executor = QueueExecutor(label: "vault.database")
    self.stop = stop
  }

  /// Opens the file when the first transaction comes: one connection is enough for who opens a profile
  /// and reads little.
  init(openingLater opening: consuming DatabaseOpening) {
    executor = QueueExecutor(label: "vault.database")
    stop = StopFlag()
    waiting = consume opening
  }

  private(set) var path = ""

  /// Opens the file as ``DatabaseOpening`` says.
  func open(_ opening: borrowing DatabaseOpening) throws(VaultError) {
    connection = try opening.connect(stop: stop)
    path = opening.path
  }

  /// Takes over a connection that nobody else has.
  func open(_ connection: sending Connection, _ path: String) throws(VaultError) {
    try connection.configure(readOnly: false)
    self.connection = connection
    self.path = path
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
    switch waiting {
    case .some(let opening): try open(opening)
    case .none: throw .closed
    }
    waiting = nil
    guard let connection else { throw .closed }
    return connection
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
