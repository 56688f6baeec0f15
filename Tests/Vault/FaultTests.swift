import CrashImages
import SecretBytes
import Synchronization
import Testing
import Vault
import VaultFaults
import VaultKeys

/// Every file change refused once, in turn: the operation says so, and nothing is lost.
@Suite struct `A refused file change` {
  @Test(arguments: [FaultInjector.Verdict.full, .failure])
  func `leaves every committed message`(verdict: FaultInjector.Verdict) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    try await refuseEach(verdict, in: scratch, vault) { session in
      let profile = try await session.openProfile(readers: 1)
      try await profile.write { t throws(VaultError) in
        try t.add("more", to: t.conversation(named: "more"), sender: "me", sent: 1)
      }
      try await profile.checkpoint()
      try await profile.close()
    } check: { session in
      let profile = try await session.openProfile(readers: 0)
      let count = try await profile.read { t throws(VaultError) in
        try t.search(Canary.text, limit: 100).count
      }
      try require(count == 20, "\(count) messages")
      try await profile.close()
    }
  }

  @Test(arguments: [FaultInjector.Verdict.full, .failure])
  func `leaves the old or the new key`(verdict: FaultInjector.Verdict) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    try await refuseEach(verdict, in: scratch, vault) { session in
      try await session.rotateDatabaseKey()
    } check: { session in
      try await session.expect(messages: 20, in: 0)
    }
  }

  @Test(arguments: [FaultInjector.Verdict.full, .failure])
  func `leaves the old or the new master key`(verdict: FaultInjector.Verdict) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    try await refuseEach(verdict, in: scratch, vault) { session in
      try await session.rotateMasterKey(password: secret("one"))
    } check: { session in
      try await session.expect(messages: 20, in: 0)
    }
  }

  /// The key in force may be the new one then, and the session still has the old.
  @Test func `of the slots does not let the session go on with a key that may be out of force`()
    async throws
  {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    let session = try await vault.unlock(password: secret("one"))
    let slotWrites = Counter()
    let judge: @Sendable (FileChange) -> FaultInjector.Verdict = { change in
      guard case .write(let path, _, _) = change, path.hasSuffix("/slots") else { return .pass }
      // The first copy is the commit; the second fails.
      return slotWrites.next(change) == 2 ? .failure : .pass
    }
    _ = await FaultInjector.watching(scratch.root, judge: judge) {
      await #expect(throws: VaultError.self) {
        try await session.rotateMasterKey(password: secret("one"))
      }
    }
    await #expect(throws: VaultError.closed) { try await session.openProfile() }
    try await session.lock()
    let next = try await vault.unlock(password: secret("one"))
    try await next.expect(messages: 20, in: 0)
    try await next.lock()
  }

  @Test(arguments: [FaultInjector.Verdict.full, .failure])
  func `of a password change leaves exactly one password`(
    verdict: FaultInjector.Verdict
  ) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    try await refuseEachFromTheSameStart(verdict, in: scratch) {
      let session = try await vault.unlock(password: secret("one"))
      do {
        try await session.changePassword(from: secret("one"), to: secret("two"))
      } catch {
        try? await session.lock()
        throw error
      }
      try await session.lock()
    } check: {
      var opened = 0
      for password in ["one", "two"] {
        do {
          let session = try await vault.unlock(password: secret(password))
          opened += 1
          try await session.expect(messages: 20, in: 0)
          try await session.lock()
        } catch VaultError.key(.wrongPassword) {}
      }
      try require(opened == 1, "\(opened) passwords open")
    }
  }

  @Test(arguments: [FaultInjector.Verdict.full, .failure])
  func `of a migration leaves the old or the new tables, and can be done again`(
    verdict: FaultInjector.Verdict
  ) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(schema: 1)
    try await refuseEachFromTheSameStart(verdict, in: scratch) {
      let session = try await vault.unlock(password: secret("one"))
      do {
        try await session.migrate()
      } catch {
        try? await session.lock()
        throw error
      }
      try await session.lock()
    } check: {
      let session = try await vault.unlock(password: secret("one"))
      try await session.migrate()
      try await session.expect(messages: 0, in: 0)
      try await session.lock()
    }
  }

  @Test(arguments: [FaultInjector.Verdict.full, .failure])
  func `of an erasure harms no other space, and the erasure can be finished`(
    verdict: FaultInjector.Verdict
  ) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    let setup = try await vault.unlock(password: secret("one"))
    try await setup.setDecoyPassword(current: secret("one"), decoy: secret("two"))
    try await setup.lock()
    try await refuseEachFromTheSameStart(verdict, in: scratch) {
      let session = try await vault.unlock(password: secret("two"))
      do {
        try await session.eraseSpace()
      } catch {
        try? await session.lock()
        throw error
      }
    } check: {
      let wasPending = try vault.finishErasures()
      let session = try await vault.unlock(password: secret("one"))
      try await session.expect(messages: 20, in: 0)
      try await session.lock()
      do {
        let decoy = try await vault.unlock(password: secret("two"))
        try require(!wasPending, "the erased space opens")
        try await decoy.expect(messages: 0, in: 0)
        try await decoy.lock()
      } catch VaultError.key(.wrongPassword) {}
    }
  }

  /// The same with the files put back before each change, for what can be done only once.
  private func refuseEachFromTheSameStart(
    _ verdict: FaultInjector.Verdict, in scratch: Scratch, _ operation: () async throws -> Void,
    check: () async throws -> Void
  ) async throws {
    let image = try DiskImage(of: scratch.root)
    for target in 1...2000 {
      try Disk.removeTree(scratch.root)
      try image.write(from: scratch.root, to: scratch.root)
      let counter = Counter()
      let judge: @Sendable (FileChange) -> FaultInjector.Verdict = {
        counter.next($0) == target ? verdict : .pass
      }
      do {
        try await FaultInjector.watching(scratch.root, judge: judge, during: operation)
      } catch let error as VaultError {
        let isExpected =
          switch error {
          case .full, .io, .busy, .eraseIncomplete, .erasePending: true
          default: false
          }
        try require(isExpected, "change \(target), \(counter.last(target)): \(error)")
      }
      do {
        try await check()
      } catch {
        throw Failed(
          description: "after change \(target), \(counter.last(target)), was refused: \(error)")
      }
      if counter.count < target { return }
    }
  }

  /// Runs the operation with change 1, 2, 3 … refused until nothing is refused any more.
  private func refuseEach(
    _ verdict: FaultInjector.Verdict, in scratch: Scratch, _ vault: Vault,
    _ operation: (Session) async throws -> Void, check: (Session) async throws -> Void
  ) async throws {
    for target in 1...2000 {
      let counter = Counter()
      do {
        let judge: @Sendable (FileChange) -> FaultInjector.Verdict = {
          counter.next($0) == target ? verdict : .pass
        }
        try await FaultInjector.watching(scratch.root, judge: judge) {
          let session = try await vault.unlock(password: secret("one"))
          do { try await operation(session) } catch {
            try? await session.lock()
            throw error
          }
          try await session.lock()
        }
        // SQLite does not mind if it cannot remove an emptied log; the vault removes it later.
        let isEmptyLog = counter.last(target).hasSuffix("-wal\")")
        try require(
          counter.count < target || isEmptyLog,
          "change \(target) was refused in silence: \(counter.last(target))")
      } catch let error as VaultError {
        let isExpected =
          switch error {
          case .full, .io, .busy: true
          default: false
          }
        try require(isExpected, "change \(target): \(error)")
      }
      do {
        let session = try await vault.unlock(password: secret("one"))
        try await check(session)
        try await session.lock()
      } catch { throw Failed(description: "after change \(target) was refused: \(error)") }
      if counter.count < target { return }
    }
  }
}

final class Counter: Sendable {
  private let changes = Mutex<[String]>([])
  var count: Int { changes.withLock { $0.count } }

  func next(_ change: FileChange) -> Int {
    changes.withLock { changes in
      changes.append(String("\(change)".prefix(120)))
      return changes.count
    }
  }

  func last(_ number: Int) -> String {
    changes.withLock { $0.count < number ? "" : $0[number - 1] }
  }
}
