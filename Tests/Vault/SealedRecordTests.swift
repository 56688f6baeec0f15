import SecretBytes
import Testing
import Vault
import VaultKeys

@Suite struct `Sealed records` {
  private struct Birth: Codable, Equatable, Sendable {
    var time: Double
    var city: String
  }

  @Test func `have the layout of RFC 8439`() throws {
    // §2.8.2 of the RFC.
    var raw = (0x80...0x9f).map { UInt8($0) }
    let key = SecretBytes(wiping: &raw)
    let nonce: [UInt8] = [7, 0, 0, 0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47]
    let data: [UInt8] = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7]
    let text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
      + "sunscreen would be it."
    let combined = try SealedBox.seal(
      Array(text.utf8), key: key, nonce: nonce, authenticating: data)
    #expect(combined.prefix(12).elementsEqual(nonce))
    #expect(Array(combined[12..<16]) == [0xd3, 0x1a, 0x8d, 0x34])
    #expect(combined.suffix(16).hexDigits == "1ae10b594f09e26a7e902ecbd0600691")
  }

  @Test func `refuse a missing, added or changed byte anywhere`() throws {
    let key = SecretBytes(randomCount: 32)
    let sealed = try SealedBox.seal(Array("1990-01-01 Shanghai".utf8), key: key)
    #expect(try SealedBox.open(sealed, key: key) == Array("1990-01-01 Shanghai".utf8))
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(throws: SealedBoxError.notAuthentic) { _ = try SealedBox.open(changed, key: key) }
      #expect(throws: SealedBoxError.self) {
        _ = try SealedBox.open(Array(sealed[..<index]), key: key)
      }
    }
    #expect(throws: SealedBoxError.notAuthentic) { _ = try SealedBox.open(sealed + [0], key: key) }
    #expect(throws: SealedBoxError.keyMissing) {
      _ = try SealedBox.open(sealed, key: SecretBytes(zeroCount: 0))
    }
  }

  @Test func `name what a broken sync damaged`() async throws {
    let scratch = Scratch()
    let path = scratch.path + "/PersistentStore.sqlite"
    let key = SecretBytes(randomCount: 32)
    let store = try SealedRecordStore(path: path, key: key, creating: true)
    let birth = Birth(time: 123.5, city: Canary.text)
    for number in 1...5 {
      try await store.add(
        .init(user: "u\(number)", created: 1, type: "eight-characters"), birth: birth,
        result: ["a": "b"])
    }
    #expect(try await store.birth(of: 3, as: Birth.self) == birth)
    #expect(try await store.damage().isEmpty)
    try await store.close()
    let bytes = try Disk.read(path, limit: 1 << 20)
    let isClear = bytes.contains(Canary.bytes)
    #expect(!isClear)
    let outside = try Connection(path: path, key: nil, format: .three)
    try outside.execute(
      """
      UPDATE ZPERSONENTITY SET ZENCRYPTEDBIRTHDATA=substr(ZENCRYPTEDBIRTHDATA,1,20) WHERE Z_PK=2;
      UPDATE ZPERSONENTITY SET ZENCRYPTEDRESULTDATA=substr(ZENCRYPTEDRESULTDATA,2) WHERE Z_PK=4
      """)
    try outside.close()
    let again = try SealedRecordStore(path: path, key: key)
    #expect(
      try await again.damage() == [
        .init(row: 2, column: "ZENCRYPTEDBIRTHDATA", error: .truncated(count: 20)),
        .init(row: 4, column: "ZENCRYPTEDRESULTDATA", error: .notAuthentic),
      ])
    try await again.close()
    #expect(throws: VaultError.secrets(.notFound)) {
      _ = try SealedRecordStore(path: path, key: SecretBytes(zeroCount: 0))
    }
  }
}
