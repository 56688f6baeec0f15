/// What the network side of an app is given: the envelopes that wait, and a way to say that one was
/// sent. It reaches no message, no key and no other state.
public struct Outbox: Sendable {
  private let profile: Profile

  init(_ profile: Profile) {
    self.profile = profile
  }

  /// Envelopes in the order in which their messages were written.
  public func pending(limit: Int = 100) async throws(VaultError) -> [Envelope] {
    try await profile.read { transaction throws(VaultError) in
      try transaction.connection.statement(
        """
        SELECT message, envelope, idempotency FROM outbox WHERE sent = 0 ORDER BY id LIMIT ?
        """
      ).bind(.int(limit)).rows {
        Envelope(
          message: Message.ID(row: $0.int64(0)), bytes: $0.blob(1), idempotencyKey: $0.blob(2))
      }
    }
  }

  /// Records that the server has this envelope; saying it twice does no harm.
  public func markSent(idempotencyKey: [UInt8]) async throws(VaultError) {
    try await profile.write { transaction throws(VaultError) in
      try transaction.connection.statement("UPDATE outbox SET sent=1 WHERE idempotency=?")
        .bind(.blob(idempotencyKey)).run()
    }
  }
}
