import SecretBytes
import Vault
import VaultKeys

/// How long it takes until a password has opened its space and the newest messages are read: the times
/// of the first space and of a decoy must be one distribution, and those of a wrong password say no more
/// than that it is wrong.
struct UnlockRun {
  let folder: String
  /// Unlockings of each kind, in turn.
  let rounds: Int

  struct Outcome {
    var real = Measurement.Times()
    var decoy = Measurement.Times()
    var wrong = Measurement.Times()
  }

  /// Passwords are hashed as cheaply as can be: the hashing is the same for all, and would hide what
  /// differs.
  func measure() async throws -> Outcome {
    let real = SecretBytes(randomCount: 16)
    let decoy = SecretBytes(randomCount: 16)
    let wrong = SecretBytes(randomCount: 16)
    let vault = try await Vault.create(at: folder, password: real, hashing: .weakest)
    try await fill(vault, real, decoy)
    var outcome = Outcome()
    for _ in 0..<rounds {
      try await unlock(vault, real, &outcome.real)
      try await unlock(vault, decoy, &outcome.decoy)
      try await unlock(vault, wrong, &outcome.wrong)
    }
    return outcome
  }

  /// The first space is in use, the decoy hardly.
  private func fill(
    _ vault: Vault, _ real: borrowing SecretBytes, _ decoy: borrowing SecretBytes
  ) async throws {
    let session = try await vault.unlock(password: real)
    try await session.setDecoyPassword(current: real, decoy: decoy)
    let profile = try await session.openProfile(readers: 0)
    try await profile.write { t throws(VaultError) in
      let talk = try t.conversation(named: "talk")
      for number in 0..<5000 {
        try t.add("message \(number)", to: talk, sender: "someone", sent: Int64(number))
      }
    }
    try await session.lock()
  }

  private func unlock(
    _ vault: Vault, _ password: borrowing SecretBytes, _ times: inout Measurement.Times
  ) async throws {
    let start = Stopwatch.Reading()
    do throws(VaultError) {
      let session = try await vault.unlock(password: password)
      let profile = try await session.openProfile()
      _ = try await profile.read { t throws(VaultError) in
        guard let talk = try t.existingConversation(named: "talk") else { return 0 }
        return try t.messages(in: talk, limit: 50).count
      }
      times.add(since: start)
      try await session.lock()
    } catch .key(.wrongPassword) {
      times.add(since: start)
    }
  }
}
