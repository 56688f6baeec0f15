import Bytes
import Findings
import FixtureKit
import Foundation
import RuleEngine
import SQLiteFormat
import Scanning
import Testing

@Suite struct `A key in clear beside its database` {
  /// A folder with an encrypted database, and what is written beside it.
  private func folder(rawKey: String, _ beside: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let database = try SQLiteFixture(at: folder["store.db"], rawKey: rawKey)
    try database.run(
      "CREATE TABLE person(name TEXT)", "INSERT INTO person VALUES('Orchid-Zebra-42')")
    for (name, text) in beside { try folder.write(name, text) }
    return folder
  }

  private static let key = "7b1f3a9c5e2d8460917c3b5a2e4f6d80" + "1c9e7a5b3d2f4e6c8a0b1d3f5e7c9a2b"
  private static let salt = "0123456789abcdeffedcba9876543210"

  @Test(arguments: [
    ("log.txt", "opening with PRAGMA key = \"x'KEY'\" now"),
    ("settings.json", "{\"database_key\": \"KEY\"}"),
    (
      "config.plist",
      "<?xml version=\"1.0\"?><plist><dict><key>encryption_key</key><string>KEY</string></dict></plist>"
    ),
  ])
  func `is tried, and what it opens is told`(name: String, text: String) async throws {
    let folder = try folder(
      rawKey: Self.key + Self.salt, [name: text.replacing("KEY", with: Self.key)])
    let report = try await folder.scan(rules: Leak.rules)
    let finding = try #require(report.findings.first { $0.rule == "storage.key-in-clear" })
    #expect(finding.path == name)
    #expect(finding.severity == .critical)
    #expect(finding.also == ["store.db"])
    #expect(finding.message.hasSuffix("opens the encrypted database store.db"))
    #expect(!finding.sample.contains(Self.key))
    // The content is read with it, and stands inside of ciphertext all the same.
    let inside = try #require(report.findings.first { $0.needle == "orchid" })
    #expect(inside.path == "store.db")
    #expect(inside.suppressed != nil)
    #expect(report.run.status == 1)
    #expect(!report.diagnostics.contains { $0.path == "store.db" })
  }

  @Test func `of another database opens nothing, and nothing is said`() async throws {
    let folder = try folder(
      rawKey: Self.salt + Self.salt + Self.salt,
      ["log.txt": "PRAGMA key = \"x'\(Self.key)'\""])
    let report = try await folder.scan(rules: Leak.rules)
    #expect(report.findings.contains { $0.rule.hasPrefix("keys.") })
    #expect(!report.findings.contains { $0.rule == "storage.key-in-clear" })
    #expect(!report.findings.contains { $0.needle == "orchid" })
  }

  @Test(arguments: [false, true])
  func `is found where what follows from it for a member of an archive lies in clear`(
    isNested: Bool
  ) async throws {
    let made = try folder(rawKey: Self.key + Self.salt, [:])
    let store = try #require(FileManager.default.contents(atPath: made["store.db"]))
    var archive = ZipBuilder([ZipBuilder.Entry("Payload/store.db", [UInt8](store))]).bytes()
    if isNested { archive = DeflateFixture.compress(archive, .gzip) }
    let folder = try TemporaryFolder()
    try folder.write("backup.bin", bytes: archive)
    let key = try #require(DatabaseKey(hexadecimal: Self.key))
    let salt = try #require([UInt8](hexadecimal: Self.salt))
    let derived = CipherOpener.derivedKeys(of: key, salt: salt)
    try folder.write("dump.bin", bytes: [0, 1, 2, 3] + derived.flatMap { $0 + [9, 9, 9] })
    let report = try await folder.scan { $0.keys = [key] }
    let found = report.findings.filter { $0.path == "dump.bin" }
    #expect(
      found.contains { $0.needle?.hasPrefix("HMAC key of key 1 for backup.bin!/") == true },
      "\(found.map { $0.needle ?? "-" })")
  }

  @Test func `is found where only what follows from it lies in clear`() async throws {
    let folder = try folder(rawKey: Self.key + Self.salt, [:])
    let key = try #require(DatabaseKey(hexadecimal: Self.key))
    let salt = try #require([UInt8](hexadecimal: Self.salt))
    let derived = CipherOpener.derivedKeys(of: key, salt: salt)
    try folder.write("dump.bin", bytes: [0, 1, 2, 3] + derived.flatMap { $0 + [9, 9, 9] })
    let blind = try await folder.scan()
    #expect(!blind.findings.contains { $0.path == "dump.bin" })
    let report = try await folder.scan { $0.keys = [key] }
    let found = report.findings.filter { $0.path == "dump.bin" }
    #expect(
      found.contains {
        $0.needle?.hasPrefix("HMAC key of key 1") == true && $0.severity == .critical
      })
  }

  /// What is not looked for is a gap, and a gap is told.
  @Test func `is told where more databases lie than keys are derived for`() async throws {
    let folder = try TemporaryFolder()
    var random = SplitMix(seed: 20)
    func members(_ count: Int) -> [ZipBuilder.Entry] {
      (0..<count).map { number in
        ZipBuilder.Entry("\(number).db", random.bytes(1024))
      }
    }
    try folder.write("few.zip", bytes: ZipBuilder(members(20)).bytes())
    let key = try #require(DatabaseKey(hexadecimal: Self.key))
    func told(_ report: Report) -> [Diagnostic] {
      report.diagnostics.filter { $0.message.contains("given keys become") }
    }
    #expect(told(try await folder.scan { $0.keys = [key] }).isEmpty)
    let small = try await folder.scan {
      $0.keys = [key]
      $0.limits.expansion = 4096
    }
    #expect(told(small).map(\.code) == [.limitExpansion])
    #expect(small.run.status == 3)
    try folder.write("many.zip", bytes: ZipBuilder(members(DerivedKeys.mostFiles + 1)).bytes())
    let many = told(try await folder.scan { $0.keys = [key] })
    #expect(many.map(\.code) == [.limitCount])
    #expect(many.map(\.path) == ["many.zip"])
  }
}
