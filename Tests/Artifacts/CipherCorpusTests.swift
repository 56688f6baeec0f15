import Artifacts
import Bytes
import Findings
import FixtureKit
import SQLiteFormat
import Testing

/// An encrypted database whose key is public.
struct PublicCipher: Sendable, CustomTestStringConvertible {
  var name: String
  var key: [UInt8]
  var version: Int
  var pages: Int

  var testDescription: String { name }

  static let all = [
    PublicCipher(
      name: "sqlcipher-1.1.8-testkey.db", key: Array("testkey".utf8), version: 1, pages: 990),
    PublicCipher(
      name: "sqlcipher-2.0-le-testkey.db", key: Array("testkey".utf8), version: 2, pages: 1000),
    PublicCipher(
      name: "sqlcipher-4.0-testkey.db", key: Array("testkey".utf8), version: 4, pages: 239),
    PublicCipher(name: "atests-1x-user-version.db", key: Array("test".utf8), version: 1, pages: 2),
    PublicCipher(
      name: "atests-mutf8.db", key: [0x74, 0x65, 0x73, 0x74, 0xc0, 0x80, 0x31, 0x32, 0x33],
      version: 3, pages: 2),
    PublicCipher(name: "android-4-wal-journal.db", key: Array("test".utf8), version: 4, pages: 2),
    PublicCipher(
      name: "wire-db-v10002003.sqlite", key: Array("secret".utf8), version: 4, pages: 62),
  ]

  var bytes: [UInt8] { Corpus.bytes("sqlcipher/\(name)") ?? [] }

  func open(_ bytes: [UInt8]) -> CipherFile? {
    CipherOpener(MemorySource(bytes), keys: [.passphrase(key)]).open(with: 0)
  }

  static func states(_ file: CipherFile, _ bytes: [UInt8]) -> [CipherFile.PageState] {
    let size = file.profile.pageSize
    return (0..<bytes.count / size).map {
      file.state(
        of: bytes.span.bytes.clamped(to: $0 * size..<($0 + 1) * size), page: UInt32($0 + 1))
    }
  }
}

@Suite struct `Encrypted logs and journals` {
  private func passphrase(_ text: String) -> DatabaseKey { .passphrase(Array(text.utf8)) }

  @Test func `prove which frames still open under the key before a change`() throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: "first")
    try builder.execute("PRAGMA journal_mode = WAL")
    try builder.execute("PRAGMA wal_autocheckpoint = 0")
    try builder.execute("CREATE TABLE t(a TEXT)")
    for row in 1...20 { try builder.execute("INSERT INTO t VALUES('NDL-OLD-KEY \(row)')") }
    try builder.execute("PRAGMA rekey = 'second'")
    try builder.execute("INSERT INTO t VALUES('NDL-NEW-KEY')")
    let files = builder.files()
    let log = try #require(files["store.db-wal"])

    let blind = Reading(log, name: "store.db-wal", beside: files)
    #expect(blind.sink.observations.contains { $0.kind == .encrypted })
    #expect(blind.sink.fragments.isEmpty)

    let keys = [passphrase("first"), passphrase("second")]
    let both = Reading(log, name: "store.db-wal", beside: files, keys: keys)
    let fits = both.sink.observations.filter { $0.kind == .keyFits }.map(\.message)
    #expect(fits.count == 2)
    #expect(fits.allSatisfy { !$0.hasPrefix("0 of") }, "\(fits)")
    #expect(!both.places(of: Array("NDL-OLD-KEY 7".utf8)).isEmpty)
    let new = both.places(of: Array("NDL-NEW-KEY".utf8))
    #expect(new.contains { $0.liveness == .live && $0.steps.first == "decrypted" })
  }

  @Test func `are read like others once a key is there`() throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: 1024), key: "first")
    try builder.execute("PRAGMA journal_mode = PERSIST")
    try builder.execute("CREATE TABLE t(a TEXT)")
    try builder.execute("INSERT INTO t VALUES('NDL-BEFORE-CHANGE')")
    try builder.execute("UPDATE t SET a = 'something else'")
    let files = builder.files()
    let journal = try #require(files["store.db-journal"])
    let reading = Reading(
      journal, name: "store.db-journal", beside: files, keys: [passphrase("first")])
    let places = reading.places(of: Array("NDL-BEFORE-CHANGE".utf8))
    #expect(places.contains { $0.liveness == .stale && $0.context.table == "t" })
    let blind = Reading(journal, name: "store.db-journal", beside: files)
    #expect(blind.sink.observations.contains { $0.kind == .encrypted })
  }
}

@Suite(.enabled(if: Corpus.isPresent, "the shared corpus is not here"))
struct `Encrypted databases` {
  @Test(arguments: PublicCipher.all)
  func `open with their key, and every page verifies`(cipher: PublicCipher) throws {
    let file = try #require(cipher.open(cipher.bytes))
    #expect(file.profile.version == cipher.version)
    let states = PublicCipher.states(file, cipher.bytes)
    #expect(states.count == cipher.pages)
    #expect(states.allSatisfy { $0 == .verified || $0 == .zero })
  }

  @Test(arguments: PublicCipher.all)
  func `are called encrypted without a key`(cipher: PublicCipher) {
    let reading = Reading(cipher.bytes, name: cipher.name)
    #expect(reading.kind == "sqlcipher")
    #expect(reading.sink.observations.map(\.kind) == [.encrypted])
    // Ciphertext is what a store should look like: nothing was passed over.
    #expect(reading.sink.diagnostics.isEmpty)
  }

  @Test(arguments: PublicCipher.all.filter { $0.version > 1 })
  func `name the page in which one bit was flipped`(cipher: PublicCipher) throws {
    var bytes = cipher.bytes
    let file = try #require(cipher.open(bytes))
    let size = file.profile.pageSize
    let victim = cipher.pages / 2
    bytes[victim * size + 100] ^= 1
    let states = PublicCipher.states(file, bytes)
    #expect(states.indices.filter { states[$0] == .failed } == [victim])
    guard cipher.pages < 100 else { return }
    let reading = Reading(bytes, name: cipher.name, keys: [.passphrase(cipher.key)])
    #expect(
      reading.sink.diagnostics.contains {
        $0.hasPrefix("format.damaged page/\(victim + 1): page \(victim + 1) does not verify")
      })
  }

  @Test func `say wrong key where no page verifies`() {
    let cipher = PublicCipher.all[2]
    let reading = Reading(cipher.bytes, name: cipher.name, keys: [.passphrase([1, 2, 3])])
    #expect(reading.sink.observations.map(\.kind) == [.wrongKey, .encrypted])
  }

  @Test func `have derived keys that are secrets too`() throws {
    let cipher = PublicCipher.all[2]
    let file = try #require(cipher.open(cipher.bytes))
    let keys = CipherOpener.derivedKeys(
      of: .passphrase(cipher.key), salt: Array(cipher.bytes.prefix(16)))
    #expect(keys.contains(file.cipherKey))
    #expect(keys.contains(try #require(file.hmacKey)))
  }

  @Test func `hold the rows that the key's owner wrote`() {
    let cipher = PublicCipher.all[0]
    let reading = Reading(cipher.bytes, name: cipher.name, keys: [.passphrase(cipher.key)])
    let rows = reading.sink.fragments.filter { $0.place.context.table == "t1" }
    #expect(rows.count > 75_709)
    #expect(Set(rows.map { String(decoding: $0.bytes, as: UTF8.self) }).contains("one"))
  }

  @Test func `of another cipher are encrypted all the same`() {
    let bytes = Corpus.bytes("sqlcipher/s3mc-persons-aegis-testkey.db3") ?? []
    let reading = Reading(bytes, name: "persons.db3", keys: [.passphrase(Array("testkey".utf8))])
    #expect(reading.sink.observations.map(\.kind) == [.wrongKey, .encrypted])
  }

  @Test(arguments: [
    "x'" + String(repeating: "0f", count: 32) + "'", String(repeating: "0F", count: 48),
  ])
  func `take keys as SQLCipher writes them`(text: String) {
    #expect(DatabaseKey(hexadecimal: text) != nil)
    #expect(DatabaseKey(hexadecimal: text + "0") == nil)
  }
}
