import Findings
import FixtureKit
import RuleEngine
import SQLiteFormat
import Scanning
import Testing

/// What versions of SQLCipher write differently.
@Suite struct `Encrypted databases of other versions` {
  private static let needle = Needle(id: "row", kind: .text, value: "NDL-PETREL-0001")

  private static func scan(
    _ files: [String: [UInt8]], keys: [String] = []
  ) async throws -> Report {
    let folder = try TemporaryFolder()
    for (name, bytes) in files where !name.hasSuffix("-shm") {
      try folder.write(name, bytes: bytes)
    }
    return try await folder.scan(needles: [needle]) { options in
      options.keys = keys.map { .passphrase(Array($0.utf8)) }
    }
  }

  /// A database in the format of version 1: no HMAC, few rounds.
  private static func first(reserving count: Int?) throws -> [String: [UInt8]] {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: "first")
    // Version 4 knows the whole format by one setting, version 3 by each of them.
    try builder.execute("PRAGMA cipher_compatibility = 1")
    try builder.execute("PRAGMA kdf_iter = 4000")
    try builder.execute("PRAGMA cipher_use_hmac = OFF")
    if let count { builder.reserve(count) }
    try builder.execute("CREATE TABLE t(a TEXT)")
    for row in 1...40 {
      try builder.execute("INSERT INTO t VALUES('a \(needle.value) z \(row)')")
    }
    return builder.files()
  }

  @Test(arguments: [nil, 48, 80])
  func `of the first open however many bytes the library reserved`(count: Int?) async throws {
    let files = try Self.first(reserving: count)
    let closed = try await Self.scan(files)
    #expect(closed.findings.isEmpty && closed.inputs.first?.encrypted == .yes)
    let report = try await Self.scan(files, keys: ["first"])
    #expect(Set(report.findings.compactMap(\.context.rowid)).count == 40)
    #expect(report.findings.allSatisfy { $0.context.table == "t" && $0.ranges.isEmpty })
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
    let wrong = try await Self.scan(files, keys: ["second"])
    #expect(wrong.findings.isEmpty && wrong.codes == [.formatEncrypted])
  }

  /// Of random bytes nobody knows how long the pages are, so a cut is seen with the key only.
  @Test func `that end within a page are called cut once their key is there`() async throws {
    var files = try Self.first(reserving: nil)
    files["store.db"]?.removeLast(512)
    #expect(try await Self.scan(files).diagnostics.isEmpty)
    #expect(try await Self.scan(files, keys: ["first"]).codes.contains(.formatDamaged))
  }

  @Test(arguments: [0, 2, 5, 10, 13])
  func `that start with a readable header are told whatever ciphertext follows it`(
    type: UInt8
  ) async throws {
    let settings = SQLiteBuilder.Settings(pageSize: 4096, reserved: 80)
    let builder = try SQLiteBuilder(settings)
    try builder.execute("CREATE TABLE t(a TEXT)")
    try builder.execute("INSERT INTO t VALUES('\(Self.needle.value)')")
    let clear = try #require(builder.files()["store.db"])
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    var cipher = clear.map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33 ^ state >> 51)
    }
    cipher.replaceSubrange(0..<32, with: clear[..<32])
    // One byte of ciphertext in sixty-four is the type of a page.
    cipher[100] = type
    let report = try await Self.scan(["clear.db": clear, "cipher.db": cipher])
    #expect(report.findings.map(\.path) == ["clear.db"])
    #expect(report.inputs.map(\.path) == ["cipher.db", "clear.db"])
    #expect(report.inputs.map(\.encrypted) == [.yes, .no])
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  @Test func `whose log is under another key are read as far as their own goes`() async throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: "first")
    try builder.execute("CREATE TABLE t(a TEXT)")
    try builder.execute("INSERT INTO t VALUES('a \(Self.needle.value) z')")
    try builder.execute("PRAGMA journal_mode = WAL")
    try builder.execute("PRAGMA wal_autocheckpoint = 0")
    try builder.execute("PRAGMA rekey = 'second'")
    let files = builder.files()
    try #require(files["store.db-wal"]?.isEmpty == false)
    let old = try await Self.scan(files, keys: ["first"])
    let replaced = old.findings.filter { $0.path == "store.db" }
    #expect(replaced.map(\.liveness) == [.superseded])
    let both = try await Self.scan(files, keys: ["first", "second"])
    #expect(both.findings.filter { $0.path == "store.db-wal" }.map(\.liveness) == [.live])
  }
}
