import Foundation
import SecretBytes
import Testing
import Vault

@Suite struct `The example of the documentation` {
  /// As it stands in Vault.md, with a folder of its own.
  private func run(in folder: String) async throws -> [Message] {
    // example
    // From a prompt; making the password wipes it.
    var typed: [UInt8] = Array("correct horse".utf8)
    let password = SecretBytes(wiping: &typed)

    let vault = try await Vault.create(at: folder, password: password)
    let session = try await vault.unlock(password: password)
    let profile = try await session.openProfile()

    let talk = try await profile.write { transaction throws(VaultError) in
      let talk = try transaction.conversation(named: "Ada")
      try transaction.send(
        "See you at eight", in: talk, sender: "me", sent: 1_700_000_000_000,
        envelope: [0x01], idempotencyKey: [1, 2, 3])  // the envelope: what the protocol sealed
      return talk
    }
    let newest = try await profile.read { transaction throws(VaultError) in
      try transaction.messages(in: talk, limit: 50)
    }
    let waiting = try await profile.outbox.pending()
    try await session.lock()
    // end
    #expect(waiting.map(\.idempotencyKey) == [[1, 2, 3]])
    return newest
  }

  @Test func `runs, for who imports what it says`() async throws {
    let scratch = Scratch()
    #expect(try await run(in: scratch.root).map(\.body) == ["See you at eight"])
  }

  @Test func `is the one that runs here`() throws {
    let own = try String(contentsOfFile: #filePath, encoding: .utf8)
    let lines = own.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex(of: "    // example"))
    let end = try #require(lines.firstIndex(of: "    // end"))
    let code = lines[lines.index(after: start)..<end].map { $0.dropFirst(4) }
      .joined(separator: "\n")
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "Sources/Vault/Vault.docc/Vault.md"), encoding: .utf8)
    #expect(page.contains("import SecretBytes\nimport Vault\n\n" + code + "\n```"))
  }
}
