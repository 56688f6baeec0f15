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
}
