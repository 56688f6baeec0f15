import CrashImages
import SecretBytes
import Synchronization
import Testing
import Vault
import VaultFaults
import VaultKeys

import struct Vault.Attachment

@Suite struct `A decoy` {
  @Test func `shares nothing, asks the same of the secret store, and can have a decoy too`()
    async throws
  {
    let scratch = Scratch()
    let store = FakeSecretStore()
    let vault = try await Vault.create(
      at: scratch.root, password: secret("one"), secrets: store, hashing: .weakest)
    func session(_ password: String) async throws -> (Session, calls: Int) {
      let before = store.callCount
      let session = try await vault.unlock(password: secret(password))
      try await session.openProfile().close()
      return (session, store.callCount - before)
    }
    let (first, _) = try await session("one")
    try await first.openProfile().fill(3)
    await #expect(throws: VaultError.key(.passwordTaken)) {
      try await first.setDecoyPassword(current: secret("one"), decoy: secret("one"))
    }
    try await first.setDecoyPassword(current: secret("one"), decoy: secret("two"))
    try await first.lock()

    let (decoy, decoyCalls) = try await session("two")
    try await decoy.expect(messages: 0, in: 0)
    try await decoy.setDecoyPassword(current: secret("two"), decoy: secret("three"))
    try await decoy.lock()
    let (real, realCalls) = try await session("one")
    #expect(realCalls == decoyCalls)
    try await real.expect(messages: 3, in: 0)
    try await real.lock()

    let (third, _) = try await session("three")
    try await third.setDecoyPassword(current: secret("three"), decoy: secret("four"))
    try await third.lock()
    let (last, _) = try await session("four")
    await #expect(throws: VaultError.self) {
      try await last.setDecoyPassword(current: secret("four"), decoy: secret("five"))
    }
    try await last.lock()
  }

  @Test func `is unlocked, opened and closed by the same file changes as the other space`()
    async throws
  {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 30)
    let setup = try await vault.unlock(password: secret("one"))
    try await setup.setDecoyPassword(current: secret("one"), decoy: secret("two"))
    try await setup.lock()
    func changes(_ password: String) async throws -> [String] {
      let counter = Counter()
      let judge: @Sendable (FileChange) -> FaultInjector.Verdict = {
        _ = counter.next($0)
        return .pass
      }
      try await FaultInjector.watching(scratch.root, judge: judge) {
        let session = try await vault.unlock(password: secret(password))
        _ = try await session.openProfile()
        try await session.lock()
      }
      // What is done, not to which space: the names are random.
      return (1...max(1, counter.count)).map { number in
        String(counter.last(number).prefix { $0 != "(" })
      }
    }
    // Once each before it counts: the first opening may tidy up.
    for password in ["one", "two"] { _ = try await changes(password) }
    let (real, decoy) = (try await changes("one"), try await changes("two"))
    #expect(real == decoy)
    // A space that does more is seen by this: the control.
    let session = try await vault.unlock(password: secret("one"))
    try await session.openProfile().fill(1)
    let fuller = Counter()
    let judge: @Sendable (FileChange) -> FaultInjector.Verdict = {
      _ = fuller.next($0)
      return .pass
    }
    try await FaultInjector.watching(scratch.root, judge: judge) { try await session.lock() }
    #expect(fuller.count > 0)
  }

  @Test func `cannot be told from an unused space by its files`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let before = try files(below: scratch.root)
    let sizes = Dictionary(grouping: before.filter { $0.key.hasSuffix("/s.1") }, by: \.value.count)
    #expect(sizes.count == 1 && sizes.values.first?.count == 4)
    let session = try await vault.unlock(password: secret("one"))
    try await session.setDecoyPassword(current: secret("one"), decoy: secret("two"))
    try await session.lock()
    let after = try files(below: scratch.root)
    let changed = after.filter { before[$0.key] != $0.value }.keys
    // Only the slots: no file of any space says that one is in use now.
    #expect(changed.allSatisfy { $0.hasSuffix("/slots") }, "\(changed)")
  }

  @Test func `locked secret store is never taken for an empty one`() async throws {
    let scratch = Scratch()
    let store = FakeSecretStore()
    let vault = try await Vault.create(
      at: scratch.root, password: secret("one"), secrets: store, hashing: .weakest)
    let before = try files(below: scratch.root)
    for (state, expected) in [
      (FakeSecretStore.State.locked, SecretStoreError.locked),
      (.beforeFirstUnlock, .beforeFirstUnlock),
    ] {
      store.enter(state)
      await #expect(throws: VaultError.secrets(expected)) {
        _ = try await vault.unlock(password: secret("one"))
      }
    }
    let isUnchanged = try files(below: scratch.root) == before
    #expect(isUnchanged)
    store.enter(.unlocked)
    try await vault.unlock(password: secret("one")).lock()
  }
}

@Suite struct `Attachments` {
  @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 200_000])
  func `come back as they were, and refuse any change`(count: Int) async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    let content = Random.bytes(count)
    let id = try await attach(content, to: profile)
    #expect(try await read(id, of: profile) == content)
    let sealed = try files(below: scratch.root).filter { $0.key.contains("/a/") }
    let (path, bytes) = try #require(sealed.first)
    for cut in [0, 10, 24, bytes.count / 2, bytes.count - 1] where cut < bytes.count {
      try Disk.truncate(path, to: cut)
      await #expect(throws: VaultError.attachmentDamaged) { _ = try await read(id, of: profile) }
      try Disk.write(bytes, to: path)
    }
    for place in [0, 30, bytes.count - 1] {
      try Disk.write([bytes[place] ^ 1], to: path, at: place)
      await #expect(throws: VaultError.attachmentDamaged) { _ = try await read(id, of: profile) }
      try Disk.write([bytes[place]], to: path, at: place)
    }
    try Disk.write([0], to: path, at: bytes.count)
    await #expect(throws: VaultError.attachmentDamaged) { _ = try await read(id, of: profile) }
    try await profile.deleteAttachment(id)
    #expect(!Disk.exists(path))
    await #expect(throws: VaultError.notFound) { _ = try await read(id, of: profile) }
    try await session.lock()
  }

  @Test func `open after a rotation, under another wrapping key`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    let id = try await attach([1, 2, 3], to: profile)
    try await profile.close()
    try await session.rotateDatabaseKey()
    try await session.rotateMasterKey(password: secret("one"))
    let again = try await session.openProfile()
    #expect(try await read(id, of: again) == [1, 2, 3])
    try await session.lock()
  }

  @Test func `of an app's own keys are kept, replaced and erased one by one`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    try await session.setKey(secret("identity"), for: .identity)
    try await session.setKey(secret("push"), for: .push)
    try await session.setKey(secret("newer"), for: .push)
    try await session.eraseKey(for: .identity)
    let isNewer = try await session.key(for: .push).isEqual(to: secret("newer"))
    #expect(isNewer)
    await #expect(throws: VaultError.key(.itemMissing(.identity))) {
      _ = try await session.key(for: .identity)
    }
    await #expect(throws: VaultError.self) { _ = try await session.key(for: .database) }
    try await session.lock()
  }

  @Test func `swapped with one another are refused`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    let one = try await attach([1, 2, 3], to: profile)
    let two = try await attach([4, 5, 6], to: profile)
    let paths = try files(below: scratch.root).filter { $0.key.contains("/a/") }.map(\.key)
    try Disk.rename(paths[0], to: scratch.path + "/x")
    try Disk.rename(paths[1], to: paths[0])
    try Disk.rename(scratch.path + "/x", to: paths[1])
    for id in [one, two] {
      await #expect(throws: VaultError.attachmentDamaged) { _ = try await read(id, of: profile) }
    }
    try await session.lock()
  }

  private func attach(_ content: [UInt8], to profile: Profile) async throws -> Attachment.ID {
    let feed = Feed(content)
    return try await profile.attach("file") { count throws(VaultError) in feed.next(count) }
  }

  private func read(_ id: Attachment.ID, of profile: Profile) async throws -> [UInt8] {
    let sink = Feed([])
    try await profile.readAttachment(id) { piece throws(VaultError) in sink.add(piece) }
    return sink.all
  }
}

/// Bytes given out and taken in piece by piece.
private final class Feed: Sendable {
  private let content: Mutex<[UInt8]>
  init(_ content: [UInt8]) { self.content = Mutex(content) }
  var all: [UInt8] { content.withLock { $0 } }
  func add(_ piece: [UInt8]) { content.withLock { $0 += piece } }

  func next(_ count: Int) -> [UInt8] {
    content.withLock { content in
      let piece = Array(content.prefix(min(count, 1000)))
      content.removeFirst(piece.count)
      return piece
    }
  }
}
