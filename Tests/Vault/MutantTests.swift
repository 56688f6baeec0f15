import CrashImages
import Testing
import Vault
import VaultFaults
import VaultKeys

/// The crash tests must be able to fail: programs that forget one thing are caught by them.
@Suite struct `A mutant` {
  @Test(arguments: ["/keys", "/s.2"])
  func `that does not sync one file in a rotation is caught`(name: String) async {
    await #expect(throws: Failed.self) {
      try await proveRotation { log in
        guard let sync = log.changes.firstIndex(where: { $0.isSync(of: name) }) else { return log }
        return log.forgetting(sync)
      }
    }
  }

  @Test func `that does not sync the folder before the commit is caught`() async {
    await #expect(throws: Failed.self) {
      try await proveRotation { log in
        let commit = log.changes.firstIndex { $0.isSync(of: "/keys") } ?? 0
        var log = log
        for index in (0..<commit).reversed() {
          if case .syncFolder(let path) = log.changes[index], path.contains("/spaces/") {
            log = log.forgetting(index)
          }
        }
        return log
      }
    }
  }

  @Test func `that removes the old database before the commit is caught`() async {
    await #expect(throws: Failed.self) {
      try await proveRotation { log in
        var log = log
        guard let commit = log.changes.firstIndex(where: { $0.isWrite(to: "/keys") }),
          let removal = log.changes.firstIndex(where: {
            if case .remove(let path) = $0 { path.hasSuffix("/s.1") } else { false }
          })
        else { return log }
        let change = log.changes.remove(at: removal)
        log.changes.insert(change, at: commit)
        return log
      }
    }
  }

  @Test func `that does not overwrite the old wrapped key is caught`() async throws {
    #expect(try await oldKeyIsLeft { $0 } == false)
    #expect(
      try await oldKeyIsLeft { log in
        guard let last = log.changes.lastIndex(where: { $0.isWrite(to: "/keys") }) else {
          return log
        }
        return log.forgetting(last)
      })
  }

  /// Whether the key that was wrapped before a rotation can be found after it.
  private func oldKeyIsLeft(_ mutate: (WriteLog) -> WriteLog) async throws -> Bool {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 1)
    let log = try await WriteLog.record(scratch.root) {
      let session = try await vault.unlock(password: secret("one"))
      try await session.rotateDatabaseKey()
      try await session.lock()
    }
    let changed = log.changes.compactMap { change -> String? in
      if case .write(let path, _, _) = change, path.hasSuffix("/keys") { path } else { nil }
    }
    let path = try #require(changed.first)
    let before = try #require(log.before.files[path])
    // The sealed database key: after magic, header and manifest, behind its generation.
    let start = 8 + 8 + 8 + ItemSealer.sealedCount + 8
    let wrapped = Array(before[start..<start + ItemSealer.sealedCount])
    #expect(before.contains(wrapped))
    let mutant = mutate(log)
    let after = mutant.killed(after: mutant.changes.count, torn: false)
    return after.files.values.contains { $0.contains(wrapped) }
  }
}

extension FileChange {
  func isSync(of suffix: String) -> Bool {
    if case .sync(let path) = self { path.hasSuffix(suffix) } else { false }
  }

  func isWrite(to suffix: String) -> Bool {
    if case .write(let path, _, _) = self { path.hasSuffix(suffix) } else { false }
  }
}
