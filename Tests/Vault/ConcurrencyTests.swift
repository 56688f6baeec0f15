import CVaultSQLite
import Glibc
import SecretBytes
import Synchronization
import Testing
import Vault
import VaultFaults
import VaultKeys

@Suite struct `Work at the same time` {
  @Test func `by eight tasks that switch and close profiles loses nothing`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    for _ in 1..<4 { _ = try await session.addProfile() }
    let added = Tally()
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<12 {
            let number = (task + round) % 4
            do {
              let profile = try await session.openProfile(number)
              try await profile.fill(1)
              added.add(number)
              _ = try await profile.read { t throws(VaultError) in
                try t.search(Canary.text, limit: 5)
              }
              if round % 5 == task % 5 { try await profile.close() }
            } catch VaultError.closed {
              // Another task closed it in between.
            } catch { Issue.record("\(error)") }
          }
        }
      }
    }
    try await session.lock()
    let again = try await vault.unlock(password: secret("one"))
    for number in 0..<4 {
      let profile = try await again.openProfile(number)
      let count = try await profile.read { t throws(VaultError) in try t.messageCount() }
      #expect(count == added.count(number))
    }
    try await again.lock()
  }

  @Test func `readers see one state while a writer writes`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 10)
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile(readers: 3)
    try await withThrowingTaskGroup { group in
      group.addTask { for _ in 0..<20 { try await profile.fill(10) } }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<20 {
            let count = try await profile.read { t throws(VaultError) in try t.messageCount() }
            #expect(count % 10 == 0)
          }
        }
      }
      try await group.waitForAll()
    }
    try await session.lock()
  }

  @Test func `a cancelled task stops and leaves nothing`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    let started = Tally()
    let task = Task {
      try await profile.write { t throws(VaultError) in
        let talk = try t.conversation(named: "talk")
        while true {
          try t.add("on and on", to: talk, sender: "me", sent: 0)
          started.add(0)
        }
      }
    }
    while started.count(0) == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: VaultError.cancelled) { try await task.value }
    #expect(try await profile.read { t throws(VaultError) in try t.messageCount() } == 0)
    try await session.lock()
  }

  @Test func `closing interrupts what does not end`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    let started = Tally()
    let task = Task {
      try await profile.write { t throws(VaultError) in
        let talk = try t.conversation(named: "talk")
        while true {
          try t.add("on and on", to: talk, sender: "me", sent: 0)
          started.add(0)
        }
      }
    }
    while started.count(0) == 0 { await Task.yield() }
    try await profile.close(timeout: .milliseconds(50))
    await #expect(throws: VaultError.cancelled) { try await task.value }
    await #expect(throws: VaultError.closed) { try await profile.fill(1) }
    try await session.lock()
  }

  @Test func `without memory for SQLite fails cleanly at every allocation`() throws {
    let scratch = Scratch()
    try Disk.makeFolder(scratch.root)
    let path = scratch.root + "/s"
    let key = KeySpecification()
    let format = try SQLiteLibrary.checked().newestFormat
    let maker = try Connection(path: path, key: key.duplicate(), format: format, creating: true)
    try maker.execute("CREATE TABLE t(x); INSERT INTO t VALUES(1)")
    try maker.close()
    var target = 1
    while true {
      // Not earlier: SQLCipher 3.4.1 itself crashes when memory runs out while it takes a key or
      // sets up its pages.
      let connection = try Connection(path: path, key: key.duplicate(), format: format)
      try connection.configure(readOnly: false)
      Refusal.arm(target)
      var failure: VaultError?
      do throws(VaultError) {
        try connection.execute("BEGIN; INSERT INTO t VALUES(2); DELETE FROM t WHERE x=2; COMMIT")
        try connection.checkpoint()
      } catch { failure = error }
      let wasReached = Refusal.disarm()
      try connection.close()
      if let failure {
        let isExpected =
          switch failure {
          case .outOfMemory, .wrongLibrary, .io, .refused, .wrongKeyOrCorrupt: true
          default: false
          }
        #expect(isExpected, "allocation \(target): \(failure)")
      }
      let check = try Connection(path: path, key: key.duplicate(), format: format)
      #expect(try check.number("SELECT count(*) FROM t") == 1, "allocation \(target)")
      try check.close()
      if !wasReached { break }
      target += target < 200 ? 1 : 7
    }
    #expect(target > 30)
  }
}

/// Counts by number, from any task.
final class Tally: Sendable {
  private let counts = Mutex([0, 0, 0, 0])

  func add(_ number: Int) { counts.withLock { $0[number] += 1 } }
  func count(_ number: Int) -> Int { counts.withLock { $0[number] } }
}

/// Refuses one allocation of this thread.
enum Refusal {
  private struct State {
    var thread: pthread_t?
    var left = 0
  }
  private static let state = Mutex(State())

  static func arm(_ target: Int) {
    let thread = pthread_self()
    state.withLock { $0 = State(thread: thread, left: target) }
    vault_sqlite_refuse_memory {
      let thread = pthread_self()
      return Refusal.state.withLock { state in
        guard state.thread == thread, state.left > 0 else { return 0 }
        state.left -= 1
        return state.left == 0 ? 1 : 0
      }
    }
  }

  /// Whether the allocation came.
  static func disarm() -> Bool {
    state.withLock { state in
      defer { state = State() }
      return state.left == 0
    }
  }
}
