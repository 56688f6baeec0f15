import Bytes
import FixtureKit
import SQLiteFormat
import Testing

@Suite struct `Statistics of ciphertext` {
  /// Bytes at random, the same in every run (Marsaglia's xorshift).
  private struct Noise {
    var state: UInt64

    mutating func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return UInt8(truncatingIfNeeded: state >> 24)
      }
    }
  }

  @Test(arguments: [512, 1024, 2048, 4096])
  func `chance takes a page in a thousand for readable, and none for clearly so`(size: Int) {
    var noise = Noise(state: 0x9e37_79b9_7f4a_7c15 ^ UInt64(size))
    var missed = 0
    for _ in 0..<6_000 {
      let page = noise.bytes(size)
      if CipherStatistics.verdict(of: page.span.bytes) != .encrypted { missed += 1 }
      let isNear = CipherStatistics.isNearlyEncrypted(page.span.bytes)
      #expect(isNear)
    }
    #expect(missed < 60)
  }

  @Test(arguments: [512, 1024, 4096])
  func `pages that can be read are not nearly ciphertext`(size: Int) throws {
    let builder = try SQLiteBuilder(SQLiteBuilder.Settings(pageSize: size))
    try builder.execute("CREATE TABLE t(a TEXT, b INTEGER, c BLOB)")
    for row in 1...200 {
      try builder.execute("INSERT INTO t VALUES('row \(row)', \(row * 7919), randomblob(24))")
    }
    let bytes = try #require(builder.files()["store.db"])
    for start in stride(from: 0, to: bytes.count, by: size) {
      let page = Array(bytes[start..<start + size])
      let isNear = CipherStatistics.isNearlyEncrypted(page.span.bytes)
      #expect(!isNear)
    }
  }
}
