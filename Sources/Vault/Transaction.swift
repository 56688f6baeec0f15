import CSQLCipher

/// A profile's records, as one transaction sees them.
///
/// A transaction is lent to a synchronous closure and cannot leave it, so that nothing waits in the
/// middle of one. The closure's result is what is committed; if it throws, nothing is.
///
/// ```swift
/// let message = try await profile.write { transaction throws(VaultError) in
///   let talk = try transaction.conversation(named: "…")
///   return try transaction.send("Hello", in: talk, sender: "me", sent: now, envelope: envelope, idempotencyKey: key)
/// }
/// ```
public struct Transaction: ~Copyable {
  let connection: Connection

  package enum Kind: Sendable {
    case read, write
  }

  // Swift 6.3's optimizer crashes while it specializes this for a type of result.
  @_semantics("optimize.sil.specialize.generic.never")
  static func run<Result>(
    _ kind: Kind, on connection: Connection,
    _ body: (borrowing Transaction) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    try connection.statement(kind == .read ? "BEGIN" : "BEGIN IMMEDIATE").run()
    let result: Result
    do throws(VaultError) {
      result = try body(Transaction(connection: connection))
      try connection.statement("COMMIT").run()
    } catch {
      connection.rollBack()
      throw error
    }
    return result
  }
}

extension Connection {
  /// Some errors (a full disk, a failed read) have ended the transaction already.
  func rollBack() {
    guard isInTransaction else { return }
    sqlite3_exec(pointer, "ROLLBACK", nil, nil, nil)
  }
}
