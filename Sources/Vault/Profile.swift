import SecretBytes
import Synchronization
public import VaultKeys

/// One open profile: its own database, keys and attachments.
///
/// Writing goes through one connection, reading through others beside it. Close it with ``close(timeout:)``: dropping the last reference closes the files too, but
/// leaves the log for the next opening to read.
public final class Profile: Sendable {
  /// The opaque name of the profile's folder.
  public let identifier: ProfileIdentifier
  let layout: ProfileLayout
  private let writer: Database
  private let readers: [Database]
  private let state = Mutex(State())
  /// The key that wraps the attachments' keys.
  let attachmentKey: SecretBytes
  let vault: Layout

  private struct State {
    var isOpen = true
    var nextReader = 0
    var closing: Task<VaultError?, Never>?
  }

  init(
    layout: ProfileLayout, vault: Layout, writer: Database, readers: [Database],
    attachmentKey: consuming SecretBytes
  ) {
    identifier = layout.identifier
    self.layout = layout
    self.vault = vault
    self.writer = writer
    self.readers = readers
    self.attachmentKey = attachmentKey
  }

  /// Runs a transaction that changes something. Committed means durable.
  @discardableResult
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (borrowing Transaction) throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try checkOpen()
    return try await Self.waiting { () throws(VaultError) in
      try await Self.run(.write, on: self.writer, body)
    }
  }

  /// Runs a transaction that only reads; others read and write meanwhile.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (borrowing Transaction) throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try await Self.run(.read, on: reader(), body)
  }

  /// The waiting envelopes, for the network.
  public var outbox: Outbox { Outbox(self) }

  /// Deletes messages so that nothing of them stays in the store: rows, index, log.
  ///
  /// On a full disk the ballast is given up for it, and the log is emptied every few messages. If even
  /// then there is no room to rewrite the search index, the messages are gone, and `indexNotCleaned`
  /// says that their words are not: delete again when there is room.
  public func delete(_ messages: [Message.ID]) async throws(VaultError) {
    do throws(VaultError) {
      try await write { t throws(VaultError) in try t.delete(messages) }
      try await checkpoint()
    } catch .full {
      try await deleteOnFullDisk(messages)
    }
  }

  private func deleteOnFullDisk(_ messages: [Message.ID]) async throws(VaultError) {
    try onDisk { () throws(DiskFailure) in try Disk.remove(vault.ballast) }
    try await checkpoint()
    let batch = 8
    for start in stride(from: 0, to: messages.count, by: batch) {
      let some = Array(messages[start..<min(start + batch, messages.count)])
      try await write { t throws(VaultError) in try t.delete(some, cleaningIndex: false) }
      try await checkpoint()
    }
    do throws(VaultError) {
      try await write { t throws(VaultError) in try t.cleanIndex() }
      try await checkpoint()
    } catch .full {
      throw .indexNotCleaned
    }
    Ballast.restore(at: vault.ballast)
  }

  /// Moves the log into the database and empties it.
  public func checkpoint() async throws(VaultError) {
    try checkOpen()
    try await Self.waiting { () throws(VaultError) in try await self.writer.checkpoint() }
  }

  /// Stops taking work, lets what runs finish, and closes; after `timeout` what still runs is
  /// interrupted and rolled back. Whoever calls it while it is closing waits for the same end.
  public func close(timeout: Duration = .seconds(5)) async throws(VaultError) {
    let closing = state.withLock { state in
      if let closing = state.closing { return closing }
      state.isOpen = false
      let closing = Task(executorPreference: BlockingWork.shared) { await self.shut(timeout) }
      state.closing = closing
      return closing
    }
    if let failure = await closing.value { throw failure }
  }

  /// The first thing that went wrong; everything is closed all the same.
  private func shut(_ timeout: Duration) async -> VaultError? {
    let databases = readers + [writer]
    let alarm = Task {
      try await Task.sleep(for: timeout)
      for database in databases { database.stop.interrupt(nil) }
    }
    defer { alarm.cancel() }
    var failure: VaultError?
    for database in databases {
      do throws(VaultError) {
        try await database.close(checkpointing: database === writer)
      } catch {
        failure = failure ?? error
      }
    }
    for suffix in ProfileLayout.sidecars where Disk.exists(await writer.path + suffix) {
      failure = failure ?? .busy
    }
    return failure
  }

  /// Whether it still takes work.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  private func checkOpen() throws(VaultError) {
    guard isOpen else { throw .closed }
  }

  private func reader() throws(VaultError) -> Database {
    let index: Int? = state.withLock { state in
      guard state.isOpen else { return nil }
      state.nextReader += 1
      return state.nextReader
    }
    guard let index else { throw .closed }
    return readers.isEmpty ? writer : readers[index % readers.count]
  }

  /// Committing waits for the disk.
  private static func waiting<Result: Sendable>(
    _ body: () async throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try await withTaskExecutorPreference(BlockingWork.shared, operation: body)
  }

  private static func run<Result: Sendable>(
    _ kind: Transaction.Kind, on database: Database,
    _ body: @escaping @Sendable (borrowing Transaction) throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    let ticket = database.stop.ticket()
    let outcome: Swift.Result<Result, VaultError> = await withTaskCancellationHandler {
      do throws(VaultError) {
        return .success(try await database.perform(kind, ticket: ticket, body))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      database.stop.interrupt(ticket)
    }
    return try outcome.get()
  }
}

// MARK: Measuring

extension Profile {
  /// The same code over a database of its own, with a key or plain: what the benchmark compares. No
  /// vault ever has a plain one.
  package static func bare(
    at folder: String, key: borrowing KeySpecification?, creating: Bool, readers: Int = 1
  ) throws(VaultError) -> Profile {
    let identifier = ProfileIdentifier(bytes: [UInt8](repeating: 0, count: 16))
    let layout = ProfileLayout(folder: folder, identifier: identifier)
    let format = try SQLiteLibrary.checked().newestFormat
    let path = layout.database(1)
    if creating {
      let maker = try Connection(path: path, key: key, format: format, creating: true)
      try SearchTerms.register(on: maker)
      for statement in Schema.statements(from: 0, to: Schema.newest) {
        try maker.execute(statement)
      }
      try maker.close()
    }
    var databases: [Database] = []
    for _ in 0...readers {
      let connection = try Connection(path: path, key: key, format: format)
      try connection.configure(readOnly: false)
      databases.append(Database(connection, at: path))
    }
    return Profile(
      layout: layout, vault: Layout(root: folder), writer: databases[0],
      readers: Array(databases.dropFirst()), attachmentKey: SecretBytes(zeroCount: 32))
  }
}
