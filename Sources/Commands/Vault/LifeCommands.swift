import Languages
import SecretBytes
import Vault

/// The commands that change keys, passwords and what exists.
extension VaultCommands {
  static func rotate(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init(flags: ["--master"]))
    let password = try passwords(arguments).next("password: ")
    let session = try await vault(arguments).unlock(password: password)
    do {
      if arguments.has("--master") { try await session.rotateMasterKey(password: password) }
      try await session.rotateDatabaseKey(of: arguments.number("--profile") ?? 0)
    } catch {
      try? await session.lock()
      throw error
    }
    try await session.lock()
  }

  static func migrate(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init())
    let session = try await session(arguments)
    do {
      try await session.migrate(arguments.number("--profile") ?? 0)
    } catch {
      try? await session.lock()
      throw error
    }
    try await session.lock()
  }

  static func changePassword(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init())
    let input = try passwords(arguments)
    let current = try input.next("current password: ")
    let session = try await vault(arguments).unlock(password: current)
    do {
      try await session.changePassword(from: current, to: input.new("new password: "))
    } catch {
      try? await session.lock()
      throw error
    }
    try await session.lock()
  }

  static func decoy(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init())
    let input = try passwords(arguments)
    let current = try input.next("password: ")
    let session = try await vault(arguments).unlock(password: current)
    do {
      try await session.setDecoyPassword(current: current, decoy: input.new("decoy password: "))
    } catch {
      try? await session.lock()
      throw error
    }
    try await session.lock()
  }

  static func erase(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init(flags: ["--yes"]))
    try confirm(arguments)
    let vault = try vault(arguments)
    if try vault.finishErasures() {
      let done = "finished the erasure that was begun"
      print(arguments.say.help(done) ?? done)
      return
    }
    let session = try await session(arguments)
    do {
      if let number = try arguments.number("--profile"), number > 0 {
        try await session.eraseProfile(number)
      } else {
        try await session.eraseSpace()
      }
    } catch {
      try? await session.lock()
      throw error
    }
    try await session.lock()
  }

  static func format(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init(flags: ["--yes"]))
    try confirm(arguments)
    try vault(arguments).format()
  }

  private static func confirm(_ arguments: VaultArguments) throws {
    guard arguments.has("--yes") else {
      throw VaultUsage(problem: "this cannot be undone", remedy: "add --yes if it is meant")
    }
  }
}
