import Bytes
import FixtureKit
import Testing

@Suite struct `SHA-256` {
  /// FIPS 180-4's examples, and the one million letters of its predecessor.
  @Test(arguments: [
    ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func `of the standard's examples is the standard's`(text: String, times: Int, digest: String) {
    let bytes = [UInt8](String(repeating: text, count: times).utf8)
    #expect(SHA256.digest(of: bytes.span.bytes).hexadecimal == digest)
  }

  @Test(arguments: [1, 3, 63, 64, 65, 1_000])
  func `does not depend on how the bytes are cut`(size: Int) {
    let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let hash = SHA256()
    for start in stride(from: 0, to: bytes.count, by: size) {
      hash.update(bytes.span.bytes.clamped(to: start..<start + size))
    }
    let digest = hash.finish()
    #expect(digest == SHA256.digest(of: bytes.span.bytes))
    // The value starts over.
    #expect(hash.finish() == SHA256.digest(of: [UInt8]().span.bytes))
  }
}

@Suite struct `HMAC-SHA-256` {
  /// RFC 4231, test cases 1 to 4, 6 and 7.
  static let cases: [(key: [UInt8], message: [UInt8], digest: String)] = [
    (
      [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      Array(0x01...0x19), [UInt8](repeating: 0xcd, count: 50),
      "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      Array(
        ("This is a test using a larger than block-size key and a larger than block-size data. The"
          + " key needs to be hashed before being used by the HMAC algorithm.").utf8),
      "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
    ),
    // Of nothing under no key.
    ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
  ]

  @Test(arguments: cases)
  func `of the RFC's cases is the RFC's`(key: [UInt8], message: [UInt8], digest: String) {
    #expect(HMAC.sha256(key: key, message).hexadecimal == digest)
  }
}

@Suite struct `Byte statistics` {
  @Test(
    arguments: [
      ([], 0), ([7], 0), ([1, 2], 1), ([1, 2, 3, 4], 2), (Array(0...255), 8), ([5, 5, 5, 5], 0),
      ([1, 1, 1, 2], 0.811278),
    ] as [([UInt8], Double)])
  func `entropy is Shannon's, in bits a byte`(bytes: [UInt8], expected: Double) {
    #expect(abs(ByteHistogram(of: bytes.span.bytes).entropy - expected) < 0.000_001)
  }

  @Test func `chi-square is zero where all values are equally many, and high where one is alone`() {
    let even: [UInt8] = Array(0...255) + Array(0...255)
    #expect(ByteHistogram(of: even.span.bytes).chiSquare == 0)
    let lone = [UInt8](repeating: 9, count: 256)
    #expect(ByteHistogram(of: lone.span.bytes).chiSquare == 255 * 255 + 255)
    var random = SplitMix(seed: 3)
    let noise = random.bytes(65_536, of: Array(0...255))
    #expect((150..<400).contains(ByteHistogram(of: noise.span.bytes).chiSquare))
  }

  @Test func `added in pieces it is the same`() {
    let bytes = Array("the quick brown fox".utf8)
    var pieces = ByteHistogram()
    pieces.add(bytes.span.bytes.clamped(to: 0..<5))
    pieces.add(bytes.span.bytes.clamped(to: 5..<bytes.count))
    #expect(pieces.counts == ByteHistogram(of: bytes.span.bytes).counts)
    #expect(pieces.total == bytes.count)
  }
}
