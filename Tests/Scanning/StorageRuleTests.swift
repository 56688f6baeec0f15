import Bytes
import Findings
import FixtureKit
import Glibc
import RuleEngine
import RulePacks
import SQLiteFormat
import Scanning
import Testing

@Suite struct `Storage rules` {
  static let rules = (try? RulePack.storageRules(in: RulePacks.files)) ?? []

  /// Scans files with the storage rules alone.
  private func report(
    _ files: [String: [UInt8]], _ change: (inout ScanOptions) -> Void = { _ in }
  ) async throws -> Report {
    let folder = try TemporaryFolder()
    for (name, bytes) in files { try folder.write(name, bytes: bytes) }
    return try await folder.scan(needles: []) { options in
      options.storageRules = Self.rules
      change(&options)
    }
  }

  private func passphrase(_ text: String) -> DatabaseKey { .passphrase(Array(text.utf8)) }

  private func encrypted(_ key: String = "first") throws -> [String: [UInt8]] {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: key)
    try builder.execute("CREATE TABLE t(a TEXT)")
    for row in 1...40 {
      try builder.execute(
        "INSERT INTO t VALUES('row \(row) \(String(repeating: "x", count: 200))')")
    }
    return builder.files()
  }

  private func plain(_ statements: String...) throws -> [String: [UInt8]] {
    let builder = try SQLiteBuilder()
    for sql in statements { try builder.execute(sql) }
    return builder.files()
  }

  @Test func `that ship parse, and get their own examples right`() throws {
    #expect(!(try RulePack.storageRules(in: RulePacks.files)).isEmpty)
    #expect(Self.rules.flatMap(\.failures).map(\.description) == [])
  }

  @Test func `an ordinary database is no reason to fail a scan`() async throws {
    let files = try plain(
      "PRAGMA journal_mode = WAL", "PRAGMA wal_autocheckpoint = 0", "CREATE TABLE t(a TEXT)",
      "INSERT INTO t VALUES('a long enough text to be seen when it is gone')",
      "INSERT INTO t VALUES('another')", "PRAGMA wal_checkpoint(FULL)",
      "DELETE FROM t WHERE rowid = 1", "PRAGMA wal_checkpoint(FULL)",
      "INSERT INTO t VALUES('third')")
    let report = try await report(files)
    #expect(report.findings.map(\.rule).contains("storage.residue"))
    #expect(report.findings.map(\.rule).contains("storage.stale-generation"))
    #expect(report.findings.allSatisfy { $0.severity == .low })
    #expect(report.run.status == 0)
  }

  @Test func `a readable page among ciphertext is named, and memory is no ciphertext`() async throws
  {
    let page = 4096
    var random = SplitMix(seed: 64)
    var store = random.bytes(64 * page)
    let text = Array(String(repeating: "readable as day, ", count: 256).utf8.prefix(page))
    store.replaceSubrange(9 * page..<10 * page, with: text)
    var memory = store
    // Every other page of what a process holds is empty.
    for number in stride(from: 12, to: 64, by: 2) {
      memory.replaceSubrange(
        number * page..<(number + 1) * page, with: [UInt8](repeating: 0, count: page))
    }
    let report = try await report(["memory.bin": memory, "store.db": store])
    let named = report.findings.filter { $0.rule == "storage.plaintext-page" }
    #expect(named.map(\.path) == ["store.db"])
    #expect(named.map(\.context.page) == [10])
    #expect(report.inputs.map(\.encrypted.rawValue) == ["unknown", "mixed"])
  }

  @Test func `deleted content is shown where it lies, and overwritten content is none`()
    async throws
  {
    let statements = [
      "CREATE TABLE t(a TEXT)", "INSERT INTO t VALUES('a long enough text to be seen when gone')",
      "INSERT INTO t VALUES('another')", "DELETE FROM t WHERE rowid = 1",
    ]
    func files(_ secureDelete: String) throws -> [String: [UInt8]] {
      let builder = try SQLiteBuilder()
      try builder.execute("PRAGMA secure_delete = \(secureDelete)")
      for sql in statements { try builder.execute(sql) }
      return builder.files()
    }
    let left = try await report(files("OFF"))
    let finding = try #require(left.findings.first { $0.rule == "storage.residue" })
    #expect(finding.context.page == 2)
    #expect(finding.liveness == .deleted)
    #expect(finding.ranges.count == 1)
    let clean = try await report(files("ON"))
    #expect(clean.findings.isEmpty)
    #expect(clean.results.contains { $0.rule == "storage.residue" && $0.outcome == .pass })
  }

  @Test func `a readable page among ciphertext is named`() async throws {
    var files = try encrypted()
    let clear = try plain("CREATE TABLE p(a TEXT)", "INSERT INTO p VALUES('in the clear')")
    let page = try #require(clear["store.db"]).dropFirst(4096).prefix(4096)
    // A page of its own size, whole, over four of the database's.
    let bytes = try #require(files["store.db"])
    files["store.db"] = Array(bytes[..<4096]) + page + Array(bytes[8192...])
    let report = try await report(files)
    let finding = try #require(report.findings.first { $0.rule == "storage.plaintext-page" })
    #expect(finding.severity == .high)
    #expect(finding.locator.contains("page/"))
    #expect(finding.ranges.first.map { 4096..<8192 ~= $0.offset } == true)
    #expect(report.run.status == 1)
  }

  @Test func `ciphertext throughout passes every rule`() async throws {
    let report = try await report(encrypted())
    #expect(report.findings.isEmpty)
    let pages = try #require(report.results.first { $0.rule == "storage.plaintext-page" })
    #expect(pages.outcome == .pass)
    let old = try #require(report.results.first { $0.rule == "storage.old-key" })
    #expect(old.outcome == .notEvaluated)
    #expect(old.reason.contains("--key old="))
  }

  @Test func `a readable log beside ciphertext is told with its frames`() async throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024))
    try builder.execute("PRAGMA journal_mode = WAL")
    try builder.execute("PRAGMA wal_autocheckpoint = 0")
    try builder.execute("CREATE TABLE t(a TEXT)")
    try builder.execute("INSERT INTO t VALUES('before the migration')")
    var files = try encrypted()
    files["store.db-wal"] = builder.files()["store.db-wal"]
    let report = try await report(files)
    let finding = try #require(report.findings.first { $0.rule == "storage.plaintext-beside" })
    #expect(finding.path == "store.db-wal")
    #expect(finding.context.frame == 1)
    #expect(finding.ranges.first?.length == 1024)
  }

  @Test(arguments: [
    "store.db.bak", "store-backup.db", "store.bak", "store_old.db", "store copy.db", "store.db~",
  ])
  func `a readable copy beside ciphertext is told by its name`(name: String) async throws {
    var files = try encrypted()
    let clear = try plain("CREATE TABLE p(a TEXT)")
    files[name] = clear["store.db"]
    let report = try await report(files)
    let copies = report.findings.filter { $0.rule == "storage.clear-copy" }
    #expect(copies.map(\.path) == [name])
    // Beside a readable database it is a copy like any other.
    let plainReport = try await self.report([
      name: files[name] ?? [], "store.db": files[name] ?? [],
    ])
    #expect(!plainReport.findings.contains { $0.rule == "storage.clear-copy" })
  }

  @Test func `a database that is called encrypted and is not is told`() async throws {
    let clear = try plain("CREATE TABLE p(a TEXT)")["store.db"] ?? []
    let report = try await report([
      "notes.encrypted.db": clear, "notes-unencrypted.db": clear, "notes.db": clear,
      "licence.db": clear,
    ])
    let named = report.findings.filter { $0.rule == "storage.named-encrypted" }
    #expect(named.map(\.path) == ["notes.encrypted.db"])
  }

  @Test func `a journal whose database is gone is told, one beside it is not`() async throws {
    let files = try plain(
      "PRAGMA journal_mode = PERSIST", "CREATE TABLE t(a TEXT)", "INSERT INTO t VALUES('x')",
      "UPDATE t SET a = 'y'")
    let whole = try await report(files)
    #expect(whole.findings.map(\.rule).contains("storage.persisted-journal"))
    #expect(!whole.findings.map(\.rule).contains("storage.orphan-sidecar"))
    let journal = try #require(files["store.db-journal"])
    let alone = try await report(["store.db-journal": journal])
    #expect(alone.findings.map(\.rule).contains("storage.orphan-sidecar"))
  }

  /// Whether everybody may look into the folders that temporary folders are made in: where not (a
  /// system in a folder of root's own), nothing in them is readable by all.
  static let othersReachTemporaryFolders: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    var path = folder.path
    while let slash = path.lastIndex(of: "/"), path != "/" {
      path = slash == path.startIndex ? "/" : String(path[..<slash])
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & 0o001 != 0 else { return false }
    }
    return true
  }()

  @Test(
    .enabled(
      if: othersReachTemporaryFolders, "temporary folders lie where nobody else may look"))
  func `a store that all may read is told only where its folders let them`() async throws {
    let clear = try plain("CREATE TABLE p(a TEXT)")["store.db"] ?? []
    let folder = try TemporaryFolder()
    try folder.write("open.db", bytes: clear)
    try folder.write("own.db", bytes: clear)
    chmod(folder["own.db"], 0o600)
    chmod(folder["open.db"], 0o644)
    func scan() async throws -> [String] {
      try await folder.scan(needles: []) { $0.storageRules = Self.rules }.findings
        .filter { $0.rule == "storage.world-readable" }.map(\.path)
    }
    // The folder is mode 700 as it was made.
    #expect(try await scan() == [])
    chmod(folder.path, 0o755)
    #expect(try await scan() == ["open.db"])
    // Ciphertext of a store is one by its name; without, random bytes may be anything.
    var source = SplitMix(seed: 9)
    let random = source.bytes(8192)
    try folder.write("z/firmware.bin", bytes: random)
    try folder.write("z/other.db", bytes: random)
    // One finding says it of all.
    #expect(try await scan() == ["open.db"])
    let report = try await folder.scan(needles: []) { $0.storageRules = Self.rules }
    let finding = try #require(report.findings.first { $0.rule == "storage.world-readable" })
    #expect(finding.also == ["z/other.db"])
  }

  @Test func `an archive's databases are looked at like others`() async throws {
    var files = try encrypted()
    let clear = try plain("CREATE TABLE p(a TEXT)", "INSERT INTO p VALUES('in the clear')")
    let page = try #require(clear["store.db"]).dropFirst(4096).prefix(4096)
    let bytes = try #require(files["store.db"])
    let mixed = Array(bytes[..<4096]) + page + Array(bytes[8192...])
    files = ["backup.zip": ZipBuilder([.init("a/store.db", mixed)]).bytes()]
    let report = try await report(files)
    let finding = try #require(report.findings.first { $0.rule == "storage.plaintext-page" })
    #expect(finding.locator.hasPrefix("backup.zip!/a/store.db!/page/"))
  }
}

@Suite struct `Replaced keys` {
  private func passphrase(_ text: String) -> DatabaseKey { .passphrase(Array(text.utf8)) }

  private func rotated() throws -> [String: [UInt8]] {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: "the first key")
    try builder.execute("PRAGMA journal_mode = WAL")
    try builder.execute("PRAGMA wal_autocheckpoint = 0")
    try builder.execute("CREATE TABLE t(a TEXT)")
    for row in 1...20 { try builder.execute("INSERT INTO t VALUES('NDL-OLD-KEY \(row)')") }
    try builder.execute("PRAGMA rekey = 'the second key'")
    try builder.execute("INSERT INTO t VALUES('NDL-NEW-KEY')")
    return builder.files()
  }

  private func report(_ files: [String: [UInt8]], keys: [DatabaseKey]) async throws -> Report {
    let folder = try TemporaryFolder()
    for (name, bytes) in files { try folder.write(name, bytes: bytes) }
    return try await folder.scan(needles: []) { options in
      options.storageRules = `Storage rules`.rules
      options.keys = keys
    }
  }

  @Test func `are proven frame by frame where content still opens under them`() async throws {
    let files = try rotated()
    let report = try await report(
      files, keys: [passphrase("the second key"), .old(passphrase("the first key"))])
    let old = report.findings.filter { $0.rule == "storage.old-key" }
    let log = try #require(old.first { $0.path == "store.db-wal" })
    #expect(log.severity == .high)
    #expect(log.message.contains("frames still open under the replaced key 2: 1 to "))
    #expect(log.context.frame == 1)
    #expect(log.ranges.first?.length == 1024)
    #expect(report.run.status == 1)
  }

  @Test func `that open nothing any more pass`() async throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: "the first key")
    try builder.execute("CREATE TABLE t(a TEXT)")
    try builder.execute("INSERT INTO t VALUES('x')")
    try builder.execute("PRAGMA rekey = 'the second key'")
    let report = try await report(
      builder.files(), keys: [passphrase("the second key"), .old(passphrase("the first key"))])
    #expect(!report.findings.contains { $0.rule == "storage.old-key" })
    let result = try #require(report.results.first { $0.rule == "storage.old-key" })
    #expect(result.outcome == .pass)
  }

  @Test func `that open pages between others are told page by page`() async throws {
    func database(_ rekey: Bool) throws -> [UInt8] {
      let builder = try SQLiteBuilder(
        SQLiteBuilder.Settings(pageSize: 1024), key: "the first key")
      try builder.execute("CREATE TABLE t(a TEXT)")
      for row in 1...80 {
        try builder.execute(
          "INSERT INTO t VALUES('row \(row) \(String(repeating: "x", count: 200))')")
      }
      old = builder.files()["store.db"] ?? []
      if rekey { try builder.execute("PRAGMA rekey = 'the second key'") }
      return builder.files()["store.db"] ?? []
    }
    var old: [UInt8] = []
    var bytes = try database(true)
    #expect(old.count == bytes.count && bytes.count > 12 * 1024)
    // A page that the rotation missed, far behind the ones that a key is tried on.
    bytes.replaceSubrange(11 * 1024..<12 * 1024, with: old[11 * 1024..<12 * 1024])
    let report = try await report(
      ["store.db": bytes],
      keys: [passphrase("the second key"), .old(passphrase("the first key"))])
    let finding = try #require(report.findings.first { $0.rule == "storage.old-key" })
    #expect(finding.locator == "store.db!/page/12")
    #expect(finding.ranges == [ByteRange(offset: 11 * 1024, length: 1024)])
    #expect(!report.codes.contains(.formatDamaged))
  }
}

@Suite struct `Keys that a given key becomes` {
  @Test func `are found in a dump beside the database`() async throws {
    let passphrase = "a passphrase of some length"
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: passphrase)
    try builder.execute("CREATE TABLE t(a TEXT)")
    let store = try #require(builder.files()["store.db"])
    let opener = CipherOpener(
      MemorySource(store), keys: [.passphrase(Array(passphrase.utf8))])
    let opened = try #require(opener.open().first)
    let hmacKey = try #require(opened.hmacKey)
    let filler = [UInt8](repeating: 0x5a, count: 3000)
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: store)
    try folder.write("core.bin", bytes: filler + opened.cipherKey + filler + hmacKey + filler)
    try folder.write("notes.txt", "it is \(passphrase), remember")
    try folder.write("clean.bin", bytes: filler)
    func scan(_ keys: [DatabaseKey]) async throws -> [Finding] {
      try await folder.scan(needles: []) { options in
        options.storageRules = `Storage rules`.rules
        options.keys = keys
      }.findings.filter { $0.rule.hasPrefix("needle.") }
    }
    let found = try await scan([.passphrase(Array(passphrase.utf8))])
    #expect(Set(found.map(\.path)) == ["core.bin", "notes.txt"])
    #expect(
      Set(found.compactMap(\.needle)) == [
        "key 1", "cipher key of key 1 for store.db", "HMAC key of key 1 for store.db",
      ])
    #expect(found.allSatisfy { $0.severity == .critical })
    #expect(try await scan([]).isEmpty)
  }
}
