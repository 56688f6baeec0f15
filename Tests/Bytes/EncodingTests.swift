import Bytes
import FixtureKit
import Testing

@Suite struct `Text encodings of bytes` {
  /// RFC 4648 in the plainest way: all bits in a row.
  private static func plain(_ bytes: [UInt8], _ alphabet: [UInt8], bits: Int) -> [UInt8] {
    var row = bytes.flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
    while !row.count.isMultiple(of: bits) { row.append(0) }
    return stride(from: 0, to: row.count, by: bits).map { start in
      alphabet[row[start..<start + bits].reduce(0) { $0 << 1 | Int($1) }]
    }
  }

  private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
  private static let base64 = Array((letters + letters.lowercased() + "0123456789+/").utf8)
  private static let base32 = Array((letters + "234567").utf8)

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }

  @Test(arguments: 0..<12, [1, 2, 3, 4, 5, 7, 16, 33])
  func `of a part are found in the encoded whole, wherever the part starts`(
    before: Int, count: Int
  ) {
    var random = SplitMix(seed: UInt64(before * 64 + count))
    let part = random.bytes(count, of: Array(0...255))
    let around = random.bytes(before + 9, of: Array(0...255))
    let whole = Array(around[..<before]) + part + Array(around[before...])
    let text = BaseEncoding.base64.encode(part, shift: before % 3)
    #expect(Self.contains(Self.plain(whole, Self.base64, bits: 6), text))
    #expect(text.count >= (count * 8 - 10) / 6)
    let base32 = BaseEncoding.base32.encode(part, shift: before % 5)
    #expect(Self.contains(Self.plain(whole, Self.base32, bits: 5), base32))
    #expect(base32.count >= (count * 8 - 8) / 5)
  }

  @Test(arguments: [
    ("", ""), ("f", "Z"), ("fo", "Zm"), ("foo", "Zm9v"), ("foob", "Zm9vY"), ("fooba", "Zm9vYm"),
    ("foobar", "Zm9vYmFy"),
  ])
  func `of RFC 4648's examples are those of the RFC, without what padding decides`(
    text: String, encoded: String
  ) {
    #expect(BaseEncoding.base64.encode(Array(text.utf8), shift: 0) == Array(encoded.utf8))
  }

  @Test func `in the URL alphabet differ in two characters`() {
    #expect(BaseEncoding.base64.encode([0xfb, 0xff, 0xfe], shift: 0) == Array("+//+".utf8))
    #expect(BaseEncoding.base64URL.encode([0xfb, 0xff, 0xfe], shift: 0) == Array("-__-".utf8))
  }

  @Test(arguments: [
    ("Zm9vYmFy", "foobar"), ("Zm9vYg==", "foob"), ("Zm9vYmE=", "fooba"),
    ("Zm9v\r\n  YmFy", "foobar"),
    ("Zm9v!YmFy", "foo"), ("", ""), ("=", ""), ("Z", ""), ("Zg", "f"), ("-_-_", "\u{fffd}"),
  ])
  func `in base64 are decoded up to what is none`(text: String, expected: String) {
    let decoded = Base64.decode(Array(text.utf8).span.bytes)
    if expected == "\u{fffd}" {
      #expect(decoded == [0xfb, 0xff, 0xbf])
    } else {
      #expect(decoded == Array(expected.utf8))
    }
  }

  @Test func `in base64 are decoded to what they were made of`() {
    var random = SplitMix(seed: 7)
    for count in 0..<200 {
      let bytes = random.bytes(count, of: Array(0...255))
      #expect(Base64.decode(Self.plain(bytes, Self.base64, bits: 6).span.bytes) == bytes)
    }
  }

  @Test(
    arguments: [
      ("", []), ("00fF", [0, 255]), ("0", nil), ("0g", nil), ("+1", nil), ("é", nil),
      ("DEADbeef", [0xde, 0xad, 0xbe, 0xef]),
    ] as [(String, [UInt8]?)])
  func `in hexadecimal are read in pairs`(text: String, bytes: [UInt8]?) {
    #expect([UInt8](hexadecimal: text) == bytes)
    if let bytes { #expect(bytes.hexadecimal == text.lowercased()) }
  }
}
