import CrashImages
import Glibc
import Testing
import Vault
import VaultFaults
import VaultKeys

/// What only a process of its own can show.
@Suite struct `Another process` {
  @Test func `that also loads libsqlite3 first is refused`() throws {
    #expect(try Probe.run(["identity"]).status == 0)
    guard
      let other = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
        .map({ $0 + "/libsqlite3.so.0" }).first(where: Disk.exists)
    else { return }
    let mixed = try Probe.run(["identity"], environment: ["LD_PRELOAD=\(other)"])
    #expect(mixed.status == 1)
    #expect(mixed.output.contains("libsqlite3 answers in place of libsqlcipher"))
  }

  @Test func `killed while it rotates keys leaves a vault that opens`() async throws {
    let scratch = Scratch()
    _ = try await scratch.makeVault(messages: 20)
    let image = try DiskImage(of: scratch.root)
    let total = try #require(
      Int(Probe.run(["rotate", scratch.root, "0", "whole"]).output.filter(\.isNumber)))
    #expect(total > 20)
    for target in stride(from: 1, through: total, by: 7) {
      for mode in ["whole", "half"] {
        try Disk.removeTree(scratch.root)
        try image.write(from: scratch.root, to: scratch.root)
        let run = try Probe.run(["rotate", scratch.root, "\(target)", mode])
        #expect(run.status == 128 + 9)
        let session = try await Vault(at: scratch.root).unlock(password: secret("one"))
        try await session.expect(messages: 20, in: 0)
        try await session.lock()
      }
    }
  }

  /// SQLCipher 3.4.1 ends the process where memory runs out while it takes a key: then what counts is
  /// what it leaves behind.
  @Test(arguments: ["open", "passwd", "rotate", "migrate", "erase"])
  func `without memory at any allocation leaves a vault that opens`(verb: String) async throws {
    let scratch = Scratch()
    let isMigration = verb == "migrate"
    _ = try await scratch.makeVault(
      messages: isMigration ? 0 : 20, schema: isMigration ? 1 : Schema.newest)
    let image = try DiskImage(of: scratch.root)
    var target = 1
    var wasSpared = false
    var endings: Set<String> = []
    while !wasSpared {
      try Disk.removeTree(scratch.root)
      try image.write(from: scratch.root, to: scratch.root)
      let run = try Probe.run(["starve", verb, scratch.root, "\(target)"])
      let said = run.output.trimmingPrefix { $0.isWhitespace }.prefix { $0 != "\n" }
      wasSpared = said == "spared"
      endings.insert(run.status == 0 ? String(said) : "ended")
      try await check(scratch.root, verb, "allocation \(target): \(said), \(run.status)")
      target += target < 8 ? 1 : max(1, target / 4)
      try require(target < 2_000_000, "never spared")
    }
    // Changing a password and erasing touch the slots alone, and so SQLite hardly at all.
    #expect(endings.count > 1 || verb == "passwd" || verb == "erase", "\(endings)")
  }

  /// Exactly one password opens the vault, and all of its messages are there; or it was erased.
  private func check(_ root: String, _ verb: String, _ what: String) async throws {
    let vault = Vault(at: root)
    let isErased = verb == "erase" ? try vault.finishErasures() : false
    var opened = 0
    for password in ["one", "two"] {
      do {
        let session = try await vault.unlock(password: secret(password))
        opened += 1
        if verb == "migrate" { try await session.migrate() }
        try await session.expect(messages: verb == "migrate" ? 0 : 20, in: 0)
        try await session.lock()
      } catch VaultError.key(.wrongPassword) {
      } catch { throw Failed(description: "\(what): \(error)") }
    }
    let wanted = verb == "erase" ? opened <= 1 && !(isErased && opened > 0) : opened == 1
    try require(wanted, "\(what): \(opened) passwords open")
  }

  @Test(.enabled(if: geteuid() == 0))
  func `on a full disk of 4 MiB keeps what was committed and can delete`() throws {
    let scratch = Scratch()
    let disk = scratch.path + "/disk"
    try Disk.makeFolder(disk)
    guard mount("tmpfs", disk, "tmpfs", 0, "size=4m") == 0 else { return }
    defer { umount2(disk, Int32(MNT_DETACH)) }
    let run = try Probe.run(["fill", disk + "/vault"])
    #expect(run.output.contains("full, then deleted"), "\(run.output)")
  }

  /// Opening writes beside the database, and an erasure its list: both need room that is not there.
  @Test(.enabled(if: geteuid() == 0))
  func `on a disk with no room at all opens, deletes and erases`() async throws {
    let scratch = Scratch()
    let disk = scratch.path + "/disk"
    try Disk.makeFolder(disk)
    guard mount("tmpfs", disk, "tmpfs", 0, "size=8m") == 0 else { return }
    defer { umount2(disk, Int32(MNT_DETACH)) }
    let vault = Vault(at: disk + "/vault")
    try await vault.make(password: secret("one"), hashing: .weakest)
    var session = try await vault.unlock(password: secret("one"))
    let number = try await session.addProfile()
    try await session.openProfile().fill(20)
    try await session.lock()
    fill(disk)
    session = try await vault.unlock(password: secret("one"))
    let profile = try await session.openProfile()
    let messages = try await profile.read { transaction throws(VaultError) in
      try transaction.search(Canary.text).map(\.id)
    }
    #expect(messages.count == 20)
    try await profile.delete(messages)
    try await session.lock()
    #expect(Disk.size(disk + "/vault/ballast") == Ballast.byteCount)
    fill(disk)
    session = try await vault.unlock(password: secret("one"))
    try await session.eraseProfile(number)
    #expect(try await session.profileNumbers() == [0])
    try await session.lock()
    // What cannot be done says why.
    fill(disk)
    await #expect(throws: VaultError.secrets(.full)) {
      _ = try await Vault.create(at: disk + "/other", password: secret("x"), hashing: .weakest)
    }
  }

  /// Writes until nothing more goes.
  private func fill(_ disk: String) {
    let file = open(disk + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(file) }
    let block = [UInt8](repeating: 1, count: 4096)
    while write(file, block, block.count) > 0 {}
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a database that may not be changed is refused when it is opened`() async throws {
    let scratch = Scratch()
    let vault = try await scratch.makeVault(messages: 1)
    let home = try await VaultFiles(scratch.root).home
    let session = try await vault.unlock(password: secret("one"))
    // Root may write what nobody may, but not where the disk is read-only.
    let database = home.database(1)
    guard mount(database, database, nil, UInt(MS_BIND), nil) == 0 else { return }
    defer { umount2(database, Int32(MNT_DETACH)) }
    guard mount(nil, database, nil, UInt(MS_BIND | MS_REMOUNT | MS_RDONLY), nil) == 0 else {
      return
    }
    let error = await #expect(throws: VaultError.self) { _ = try await session.openProfile() }
    #expect(error == .io(code: 8, path: database))  // SQLITE_READONLY
    try await session.lock()
  }
}

/// The helper program beside the tests.
enum Probe {
  struct Outcome {
    var status: Int32
    var output: String
  }

  static var path: String {
    let own = (try? readLink("/proc/self/exe")) ?? ""
    let folders = [own.parentFolder, CommandLine.arguments[0].parentFolder]
    let candidates = folders.map { $0 + "/vault-probe" } + [".build/debug/vault-probe"]
    return candidates.first(where: Disk.exists) ?? ""
  }

  private static func readLink(_ path: String) throws -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &buffer, 4095)
    return String(
      decoding: buffer.prefix(max(count, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  static func run(
    _ arguments: [String], environment: [String] = [], program: String = path
  ) throws -> Outcome {
    let started = try start(arguments, environment: environment, program: program)
    defer { close(started.output) }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(started.output, &buffer, buffer.count), count > 0 {
      output += buffer[..<count]
    }
    var status: Int32 = 0
    waitpid(started.process, &status, 0)
    let code = status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f
    return Outcome(status: code, output: String(decoding: output, as: UTF8.self))
  }

  /// How often bytes are found in the memory of a process that did something and waits.
  static func count(
    of bytes: [UInt8], inMemoryAfter arguments: [String], environment: [String] = []
  ) throws -> Int {
    let started = try start(arguments, environment: environment, program: path)
    defer {
      kill(started.process, SIGKILL)
      waitpid(started.process, nil, 0)
      close(started.output)
    }
    var said = [UInt8](repeating: 0, count: 64)
    let count = read(started.output, &said, said.count)
    try require(
      count > 0 && said.starts(with: Array("locked".utf8)), "it ended before it could be looked at")
    return try Memory.count(of: bytes, in: started.process)
  }

  private static func start(
    _ arguments: [String], environment: [String], program: String
  ) throws -> (process: pid_t, output: Int32) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw Failed(description: "no pipe") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    defer { posix_spawn_file_actions_destroy(&actions) }
    // A thread of the pool has its signals blocked; the child would inherit that.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    defer { posix_spawnattr_destroy(&attributes) }
    var process: pid_t = 0
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = (environment + ["PATH=/usr/bin"]).map { strdup($0) } + [nil]
    defer { for word in words + variables { free(word) } }
    let result = posix_spawn(&process, program, &actions, &attributes, words, variables)
    close(ends[1])
    guard result == 0 else {
      close(ends[0])
      throw Failed(description: "cannot start \(program): \(result)")
    }
    return (process, ends[0])
  }
}
