import Findings
import Glibc
import Languages
import SecretBytes
import Vault
import VaultKeys

/// The commands of `vestige vault`, each a short function over the library.
enum VaultCommands {
  static func run(_ command: String, _ arguments: [String]) async throws {
    switch command {
    case "create": try await create(arguments)
    case "unlock": try await unlock(arguments)
    case "status": try await status(arguments)
    case "put": try await put(arguments)
    case "get": try await get(arguments)
    case "list": try await list(arguments)
    case "search": try await search(arguments)
    case "delete": try await delete(arguments)
    case "attach": try await attach(arguments)
    case "rotate": try await rotate(arguments)
    case "passwd": try await changePassword(arguments)
    case "decoy": try await decoy(arguments)
    case "migrate": try await migrate(arguments)
    case "erase": try await erase(arguments)
    case "format": try await format(arguments)
    case "bench": try await bench(arguments)
    default: throw VaultUsage(problem: "there is no command \(command)")
    }
  }

  // MARK: Opening

  static func vault(_ arguments: VaultArguments) throws -> Vault {
    Vault(at: arguments.root, secrets: try secrets(arguments))
  }

  private static func secrets(_ arguments: VaultArguments) throws -> (any SecretStore)? {
    switch arguments.value("--secrets") {
    case nil, "file": return nil
    case .some(let name) where name.hasPrefix("file:"):
      let path = String(name.dropFirst(5))
      guard !path.isEmpty else { throw VaultUsage(problem: "file: needs a path") }
      return FileSecretStore(path: path, keyPath: path + ".key")
    case "secret-service": return SecretServiceStore()
    case "tpm": return TPMSecretStore(folder: arguments.root + ".tpm")
    case .some(let name):
      throw VaultUsage(problem: "there is no secret store \(name)")
    }
  }

  static func passwords(_ arguments: VaultArguments) throws -> PasswordInput {
    PasswordInput(descriptor: try arguments.number("--password-fd"), say: arguments.say)
  }

  static func session(_ arguments: VaultArguments) async throws -> Session {
    let vault = try vault(arguments)
    guard vault.exists else { throw VaultError.notAVault(path: arguments.root) }
    let password = try passwords(arguments).next("password: ")
    return try await vault.unlock(password: password)
  }

  /// Opens the profile, does the work, and closes everything whatever happened.
  static func withProfile(
    _ arguments: VaultArguments, _ body: (Profile) async throws -> Void
  ) async throws {
    let session = try await session(arguments)
    do {
      try await body(session.openProfile(arguments.number("--profile") ?? 0))
    } catch {
      try? await session.lock()
      throw error
    }
    try await session.lock()
  }

  // MARK: Commands

  private static func create(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init(flags: ["--strong"]))
    let password = try passwords(arguments).new("new password: ")
    try await Vault.create(
      at: arguments.root, password: password, secrets: secrets(arguments),
      hashing: arguments.has("--strong") ? .strong : .standard)
    print(arguments.say.help("created \(arguments.root)") ?? "created \(arguments.root)")
  }

  private static func unlock(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init())
    let session = try await session(arguments)
    do {
      for number in try await session.profileNumbers() {
        let profile = try await session.openProfile(number)
        let count = try await profile.read { transaction throws(VaultError) in
          try transaction.messageCount()
        }
        let line =
          "profile \(number): \(profile.identifier), \(counted(count, "message"))"
        print(arguments.say.help(line) ?? line)
      }
    } catch {
      try? await session.lock()
      throw error
    }
    try await session.lock()
  }

  private static func status(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init(flags: ["--open"]))
    let status = try vault(arguments).status()
    func isSo(_ truth: Bool) -> String { arguments.say.inspection(truth ? "yes" : "no") }
    let passes = counted(status.hashing.passes, "pass", "passes")
    arguments.line("vault", arguments.root)
    arguments.line(
      "library", "SQLCipher \(status.cipherVersion), SQLite \(status.libraryVersion)")
    arguments.line(
      "hashing",
      "\(status.hashing.kibibytes / 1024) MiB, \(arguments.say.help(passes) ?? passes)")
    arguments.line("folders", "\(status.folderCount)")
    arguments.line("in use", isSo(status.isInUse))
    arguments.line("erasure pending", isSo(status.isErasurePending))
    guard arguments.has("--open") else { return }
    try await withProfile(arguments) { profile in
      let (messages, conversations) = try await profile.read { t throws(VaultError) in
        (try t.messageCount(), try t.conversations().count)
      }
      let waiting = try await profile.outbox.pending(limit: 1000).count
      arguments.line("messages", "\(messages)")
      arguments.line("conversations", "\(conversations)")
      arguments.line("waiting", "\(waiting)")
      arguments.line("attachments", "\(try await profile.attachments().count)")
    }
  }

  private static func put(_ raw: [String]) async throws {
    let arguments = try VaultArguments(
      raw,
      shape: .init(options: ["--sender", "--record"], flags: ["--view-once"], words: 1...1))
    let input = try standardInput()
    let name = arguments.words[0]
    let isViewOnce = arguments.has("--view-once")
    let sender = arguments.value("--sender") ?? "me"
    try await withProfile(arguments) { profile in
      if let kind = arguments.value("--record") {
        try await profile.write { t throws(VaultError) in
          try t.put(input, kind: kind, name: name, changed: Clock.milliseconds())
        }
        return
      }
      let text = String(decoding: input, as: UTF8.self)
      let id = try await profile.write { t throws(VaultError) in
        try t.add(
          text, to: t.conversation(named: name), sender: sender, sent: Clock.milliseconds(),
          isViewOnce: isViewOnce)
      }
      print(id.number)
    }
  }

  private static func get(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init(options: ["--record"], words: 1...1))
    let word = arguments.words[0]
    try await withProfile(arguments) { profile in
      if let kind = arguments.value("--record") {
        let record = try await profile.read { t throws(VaultError) in
          try t.record(kind: kind, name: word)
        }
        guard let record else { throw VaultError.notFound }
        try output(record.value)
        return
      }
      let id = Message.ID(number: try Self.number(word))
      let message = try await profile.read { t throws(VaultError) in try t.message(id) }
      guard let message else { throw VaultError.notFound }
      try output(Array(message.body.utf8))
    }
  }

  private static func list(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init(options: ["--limit"], words: 0...1))
    let limit = try arguments.number("--limit") ?? 50
    try await withProfile(arguments) { profile in
      guard let name = arguments.words.first else {
        try await profile.read { t throws(VaultError) in
          for conversation in try t.conversations() { print("conversation\t\(conversation.name)") }
          for kind in try t.recordKinds() { print("record\t\(kind.kind)\t\(kind.count)") }
        }
        return
      }
      let page = try await profile.read { t throws(VaultError) -> [Message] in
        guard let id = try t.existingConversation(named: name) else { throw .notFound }
        return try t.messages(in: id, limit: limit)
      }
      show(page)
    }
  }

  private static func search(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init(options: ["--limit"], words: 1...1))
    let limit = try arguments.number("--limit") ?? 50
    try await withProfile(arguments) { profile in
      let query = arguments.words[0]
      show(try await profile.read { t throws(VaultError) in try t.search(query, limit: limit) })
    }
  }

  private static func delete(_ raw: [String]) async throws {
    let arguments = try VaultArguments(raw, shape: .init(words: 1...1000))
    let ids = try arguments.words.map { Message.ID(number: try number($0)) }
    try await withProfile(arguments) { profile in try await profile.delete(ids) }
  }

  // MARK: Text

  static func number(_ word: String) throws -> Int64 {
    guard let number = Int64(word) else {
      throw VaultUsage(problem: "\(word) is not a number", remedy: "list shows the numbers")
    }
    return number
  }

  private static func show(_ messages: [Message]) {
    for message in messages {
      print("\(message.id.number)\t\(message.sent)\t\(message.sender)\t\(message.body)")
    }
  }

  static func standardInput() throws -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(0, &buffer, buffer.count)
      guard count >= 0 else { throw VaultError.io(code: Int(errno), path: "standard input") }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
  }

  static func output(_ bytes: [UInt8]) throws(VaultError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(1, $0.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count > 0 else { throw .io(code: Int(errno), path: "standard output") }
      written += count
    }
  }
}
