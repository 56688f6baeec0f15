import CrashImages
import SecretBytes
import Testing
import Vault
import VaultFaults
import VaultKeys

/// What the disk holds after an operation was cut off at every one of its file changes: by a kill,
/// whole and in the middle of a write, and by a power failure that loses what was not synced.
@Suite struct `A cut at every file change` {
  @Test func `of a key rotation leaves the old or the new database, whole`() async throws {
    try await proveRotation()
  }

  @Test func `of a master key rotation leaves all profiles under one key`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    let setup = try await vault.unlock(password: secret("one"))
    #expect(try await setup.addProfile() == 1)
    try await setup.openProfile(1).fill(5)
    try await setup.lock()
    let log = try await WriteLog.record(scratch.root) {
      let session = try await vault.unlock(password: secret("one"))
      try await session.rotateMasterKey(password: secret("one"))
      try await session.lock()
    }
    try await log.forEachImage(scratch) { image, _ in
      let session = try await image.unlock(password: secret("one"))
      try await session.expect(messages: 20, in: 0)
      try await session.expect(messages: 5, in: 1)
      try await session.lock()
    }
  }

  @Test func `of a password change leaves exactly one password`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    let log = try await WriteLog.record(scratch.root) {
      let session = try await vault.unlock(password: secret("one"))
      try await session.changePassword(from: secret("one"), to: secret("two"))
      try await session.lock()
    }
    try await log.forEachImage(scratch) { image, _ in
      var opened = 0
      for password in ["one", "two"] {
        do {
          let session = try await image.unlock(password: secret(password))
          opened += 1
          try await session.expect(messages: 20, in: 0)
          try await session.lock()
        } catch VaultError.key(.wrongPassword) {}
      }
      try require(opened == 1, "\(opened) passwords open")
    }
  }

  @Test func `of a migration leaves the old or the new tables, whole`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(schema: 1)
    let log = try await WriteLog.record(scratch.root) {
      let session = try await vault.unlock(password: secret("one"))
      try await session.migrate()
      try await session.lock()
    }
    try await log.forEachImage(scratch) { image, number in
      let session = try await image.unlock(password: secret("one"))
      do {
        try await session.expect(messages: 0, in: 0)
      } catch VaultError.migrationNeeded(stored: 1, newest: 2) where number % 8 == 0 {
        try await session.migrate()
        try await session.expect(messages: 0, in: 0)
      } catch VaultError.migrationNeeded(stored: 1, newest: 2) {}
      try await session.lock()
    }
  }

  @Test func `of writing and closing keeps every committed transaction`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    let log = try await WriteLog.record(scratch.root) {
      let session = try await vault.unlock(password: secret("one"))
      let profile = try await session.openProfile()
      try await profile.write { t throws(VaultError) in
        let talk = try t.conversation(named: "talk")
        try t.send(
          "last", in: talk, sender: "me", sent: 99, envelope: [1, 2, 3], idempotencyKey: [9])
      }
      try await profile.delete([Message.ID(number: 1)])
      try await session.lock()
    }
    try await log.forEachImage(scratch) { image, _ in
      let session = try await image.unlock(password: secret("one"))
      let profile = try await session.openProfile(readers: 0)
      let count = try await profile.read { t throws(VaultError) in try t.messageCount() }
      let pending = try await profile.outbox.pending()
      try require((20...21).contains(count), "\(count) messages")
      // The envelope and its message come together or not at all.
      let found = try await profile.read { t throws(VaultError) in try t.search("last") }
      try require(found.count == pending.count, "an envelope without its message")
      try await session.lock()
    }
  }

  @Test func `of erasing a space never harms another one, and can be finished`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    let setup = try await vault.unlock(password: secret("one"))
    try await setup.setDecoyPassword(current: secret("one"), decoy: secret("two"))
    try await setup.lock()
    let log = try await WriteLog.record(scratch.root) {
      let session = try await vault.unlock(password: secret("two"))
      try await session.eraseSpace()
    }
    try await log.forEachImage(scratch) { image, _ in
      let wasPending = try image.finishErasures()
      let session = try await image.unlock(password: secret("one"))
      try await session.expect(messages: 20, in: 0)
      try await session.lock()
      do {
        let decoy = try await image.unlock(password: secret("two"))
        try require(!wasPending, "the erased space opens")
        try await decoy.expect(messages: 0, in: 0)
        try await decoy.lock()
      } catch VaultError.key(.wrongPassword) {}
    }
  }

  @Test func `of formatting leaves the vault whole or lets it be finished`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 20)
    let log = try await WriteLog.record(scratch.root) { try vault.format() }
    try await log.forEachImage(scratch) { image, _ in
      guard try image.finishErasures() else {
        guard image.exists else { return }
        let session = try await image.unlock(password: secret("one"))
        try await session.expect(messages: 20, in: 0)
        try await session.lock()
        return
      }
      try require(!image.exists, "the slots are left")
    }
  }

  @Test func `of making a vault leaves one that opens, or none`() async throws {
    let scratch = Scratch()
    let log = try await WriteLog.record(scratch.path) {
      _ = try await scratch.makeVault()
    }
    try await log.forEachImage(scratch, root: scratch.path, inner: "/vault") { image, _ in
      do {
        let session = try await image.unlock(password: secret("one"))
        try await session.expect(messages: 0, in: 0)
        try await session.lock()
      } catch VaultError.notAVault {
      } catch VaultError.slotsMissing {
      }
    }
  }
}

/// A rotation recorded, perhaps with some changes forgotten, and every image of it opened.
func proveRotation(_ mutate: (WriteLog) -> WriteLog = { $0 }) async throws {
  let scratch = Scratch()
  let vault = try await scratch.makeVault(messages: 20)
  let log = try await WriteLog.record(scratch.root) {
    let session = try await vault.unlock(password: secret("one"))
    try await session.rotateDatabaseKey()
    try await session.lock()
  }
  try await mutate(log).forEachImage(scratch) { image, number in
    let session = try await image.unlock(password: secret("one"))
    try await session.expect(messages: 20, in: 0)
    if number % 8 == 0 {
      try await session.rotateDatabaseKey()
      try await session.expect(messages: 20, in: 0)
    }
    try await session.lock()
  }
}

struct Failed: Error, CustomStringConvertible {
  let description: String
}

func require(_ condition: Bool, _ description: @autoclosure () -> String) throws {
  if !condition { throw Failed(description: description()) }
}

extension Session {
  /// Opens a profile, counts and reads its messages, and closes it.
  func expect(messages count: Int, in number: Int) async throws {
    let profile = try await openProfile(number, readers: 0)
    let found = try await profile.read { t throws(VaultError) in
      (try t.messageCount(), try t.search(Canary.text, limit: 1000).count)
    }
    try await profile.close()
    try require(found == (count, count), "\(found) messages in place of \(count)")
  }
}

extension WriteLog {
  /// Builds what the disk holds at every point, each image once, and gives a vault over it.
  func forEachImage(
    _ scratch: Scratch, root: String? = nil, inner: String = "",
    _ body: (Vault, _ number: Int) async throws -> Void
  ) async throws {
    let root = root ?? scratch.root
    let target = scratch.path + ".image"
    defer { try? Disk.removeTree(target) }
    var last: DiskImage?
    var number = 0
    func check(_ image: DiskImage, _ what: @autoclosure () -> String) async throws {
      if image == last { return }
      last = image
      try Disk.removeTree(target)
      try image.write(from: root, to: target)
      do {
        number += 1
        try await body(Vault(at: target + inner), number)
      } catch {
        throw Failed(description: "\(what()): \(error)")
      }
    }
    for count in 0...changes.count {
      for torn in [false, true] {
        try await check(
          killed(after: count, torn: torn),
          "killed at \(count) of \(changes.count)\(torn ? ", torn" : "")")
      }
      for survival in Survival.allCases {
        try await check(
          withoutPower(after: count, survival, seed: UInt64(count)),
          "power lost at \(count) of \(changes.count), \(survival)")
      }
    }
  }
}
