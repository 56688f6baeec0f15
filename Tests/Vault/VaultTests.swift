import Glibc
import SecretBytes
import Testing
import Vault
import VaultKeys

@Suite struct `A vault` {
  @Test func `keeps messages through lock, rotation and unlock`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault()
    let session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    try await profile.write { transaction throws(VaultError) in
      let talk = try transaction.conversation(named: "notes")
      try transaction.add("remember the milk 你好世界", to: talk, sender: "me", sent: 1)
    }
    #expect(try await profile.read { t throws(VaultError) in try t.search("好世") }.count == 1)
    #expect(try await profile.read { t throws(VaultError) in try t.search("mil*") }.count == 1)
    #expect(try await profile.read { t throws(VaultError) in try t.search("界") }.count == 1)
    try await profile.close()
    try await session.rotateDatabaseKey()
    try await session.rotateMasterKey(password: secret("one"))
    try await session.changePassword(from: secret("one"), to: secret("two"))
    try await session.lock()
    await #expect(throws: VaultError.key(.wrongPassword)) {
      _ = try await vault.unlock(password: secret("one"))
    }
    let again = try await vault.unlock(password: secret("two"))
    let reopened = try await again.openProfile()
    #expect(try await reopened.read { t throws(VaultError) in try t.messageCount() } == 1)
    try await again.lock()
  }

  @Test func `keeps every file for its owner alone, made before, now or by a rotation`()
    async throws
  {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 1)
    // An earlier version left databases as open as the umask of the program was.
    for path in try databases(of: scratch) { chmod(path, 0o644) }
    var session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    try await profile.fill(1)
    let home = Layout(root: scratch.root).profile(profile.identifier)
    #expect(try modes(below: home.folder, except: 0o600).isEmpty)
    try await session.lock()
    session = try await vault.unlock(password: secret("one"))
    _ = try await session.addProfile()
    try await session.rotateDatabaseKey()
    try await session.lock()
    let fresh = Scratch()
    _ = try await fresh.makeVault()
    for folder in [home.folder, fresh.root] {
      #expect(try modes(below: folder, except: 0o600).isEmpty)
    }
  }

  private func databases(of scratch: Scratch) throws -> [String] {
    let layout = Layout(root: scratch.root)
    return try Disk.names(in: layout.spaces).compactMap { ProfileIdentifier(hexDigits: $0) }
      .map { layout.profile($0).database(1) }
  }

  /// Files below a folder that others than `expected` says may touch.
  private func modes(below folder: String, except expected: mode_t) throws -> [String] {
    try files(below: folder).keys.filter { path in
      var status = stat()
      let whole = path.hasPrefix("/") ? path : folder + "/" + path
      return lstat(whole, &status) != 0 || status.st_mode & 0o777 != expected
    }
  }
}
