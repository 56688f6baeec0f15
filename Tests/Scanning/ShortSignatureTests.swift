import Bytes
import Findings
import FixtureKit
import Scanning
import Testing

/// A signature of two bytes stands by chance at the start of one database in some ten thousand that are
/// encrypted: its salt is random.
@Suite struct `Ciphertext that starts like another format` {
  /// Bytes as random as ciphertext.
  private static func dense(_ count: Int, after start: [UInt8]) -> [UInt8] {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    return start
      + (start.count..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33 ^ state >> 51)
      }
  }

  @Test(
    arguments: [
      [0x78, 0x9c], [0x78, 0x01], [0x78, 0xda], [0x1f, 0x8b], [0x1f, 0x9d, 0xff],
      [0x1f, 0x9d, 0x90, 0x41, 0x84],
      [0x1f, 0x9d, 0x10, 0x41, 0x84], [0xfe, 0xff],
      [0xff, 0xfe], [0x30, 0x82], [0x4d, 0x5a],
    ] as [[UInt8]]
  ) func `is ciphertext`(start: [UInt8]) async throws {
    let folder = try TemporaryFolder()
    try folder.write("store", bytes: Self.dense(12_288, after: start))
    let input = try #require(try await folder.scan(rules: [Leak.rule]).inputs.first)
    #expect(input.kind == "sqlcipher" && input.encrypted == .yes)
  }

  @Test func `and what is of that format is read as such`() async throws {
    let folder = try TemporaryFolder()
    let wide = { (bigEndian: Bool) -> [UInt8] in
      (bigEndian ? [0xfe, 0xff] : [0xff, 0xfe])
        + ("数据 " + Leak.text + " 😀 text").utf16.flatMap { unit in
          let bytes = [UInt8(unit >> 8), UInt8(unit & 0xff)]
          return bigEndian ? bytes : bytes.reversed()
        }
    }
    try folder.write("big.txt", bytes: wide(true))
    try folder.write("little.txt", bytes: wide(false))
    // Dense, and as long as pages of a database would be.
    let inner = Self.dense(9_000, after: []).hexadecimal + " " + Leak.text
    var packed = DeflateFixture.compress(Array(inner.utf8), .zlib)
    packed += [UInt8](repeating: 0, count: 512 - packed.count % 512)
    try folder.write("packed", bytes: packed)
    let report = try await folder.scan(rules: [Leak.rule])
    #expect(Set(report.paths) == ["big.txt", "little.txt", "packed"])
    #expect(
      Dictionary(uniqueKeysWithValues: report.inputs.map { ($0.path, $0.kind) }) == [
        "big.txt": "text", "little.txt": "text", "packed": "zlib",
      ])
  }
}
