import Bytes
import FixtureKit
import Formats
import Testing

@Suite struct `LZFSE streams` {
  /// What Apple's encoder makes of `text`.
  static let packed = bytes(
    """
    627678328d1300001c01b00800130130dd5b3f3eef4f0230a60000003f04d0002fc0e9650000004004701c5d4501\
    f802e0480000382c6c8ecf86a31773ef3fe074acb39b310ff62b0000000000000000006c0000000000be00000060\
    003fc1dff0497c142fc427f1493c152fc437010000000000000000000c0667638c0d9bb161ec0d00000000000000\
    0000000000000000000000000000000000000000000000000000000000005166a615f5b968297c4e0a07e6d1bda8\
    819e91046bd5d0f82e887a610ba4826bc6abe312c9ab5e16f5b0dfbc93569f680678e4bd737da52ec93cc97f4ae2\
    1d9b17efcff3a5c0d05cc8ea84d3e34ef45d507f41674dca22769d2a366538b6c79cb798b9e21e2a1de5351f9dde\
    7d8f3a08c08cdc7a41cf1bdf78e5132f75bee2409fdd0b3b1934422f010000000000000000000050cad0f83d7d87\
    9297d0d1703adde97c5c947dc20b686947290712ee37e987945b4bea71c1f6e478a0d33e723c28cfba1c8f83bde7\
    48181d946290c13ea51e48db478e468c75ccd110517d7334dc5fdf1c0c20f52f3d897ca6529200914a41d2ed928e\
    0795f399e341d35c26fa0939f495ac54033b799576e0128f3bf07be8380cfd169d0c6763a3e3f1087c4b3d50c22d\
    f5e0e07f698777bf4360b25f763ccade5e87e3257abb8f743e2cfdc09abf3443c83ca61bd6f4ec601c0571a723e0\
    4b3c1bf9e5aa1d3820ac0c56002b1bc748120f07eb75c3f3b1d1f6ddf9f0dba9cb888ec30a46220d80e28ee2efa0\
    87fac008bce3aecbe0f30731901a041b4ce3bb7404db0c3f4248f0579020c9ba4309ae76d661905bff6104e29803\
    4998b2ffb340f87bbe84adff7f319abae3f08285e5639d9177c28ec3be8783056af0c418233b478c48272594e056\
    3ea1c572faeb39c234b06c3c88f2a3c0ae3d3fc2797f6004ad522dbf052bec0c5c8da16a8bf518bff216060e1180\
    0bbff08314c07de7aac730d28d3d29cfc31fc16de525145f511971fc0dc30ba68e2f84f0f15daf013f6065636308\
    afe208ca546134aaa930c2ca0e21704d31bc4000fe102253cf970d32b11338ba4e0a1fd0e70b2708758415436c08\
    7a2c97f029fe4c581f8e00a4f827002946f3149408c2737022f20f380e2aac68cc0600f1dfc70ca6727e10114ff0\
    410cf6a1073106e12b96efe02ef64bfe43427e818d8108f21b5a787e296d8412260426ae85f02f36cff029b6275c\
    c23ea1008340dbc2b9a10de1422e28849e82d3468b0f62767824
    """)

  static let text = (0..<140).map {
    "line \($0 * 7919 % 1009) of a log, the secret is \($0 * $0 % 97)\n"
  }.joined()

  /// A stream short enough for the encoder to choose LZVN.
  static let short = bytes(
    "6276786e2400000015000000e668656c6c6f203806f003e10a060000000000000062767824")

  private static func bytes(_ digits: String) -> [UInt8] {
    let digits = Array(digits.utf8)
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
      UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
    }
  }

  @Test func `entropy-coded blocks are decoded`() {
    let decoded = LZFSE.decode(Self.packed, limit: 1 << 20)
    #expect(decoded.ending == .finished)
    #expect(String(decoding: decoded.content, as: UTF8.self) == Self.text)
  }

  @Test func `LZVN blocks are decoded`() {
    let decoded = LZFSE.decode(Self.short, limit: 1 << 20)
    #expect(decoded.ending == .finished)
    #expect(decoded.content == Array("hello hello hello hello hello hello\n".utf8))
  }

  @Test func `raw blocks are decoded and a limit is kept`() {
    let raw = Array("bvx-".utf8) + [3, 0, 0, 0] + Array("abcbvx$".utf8)
    #expect(LZFSE.decode(raw, limit: 3).content == Array("abc".utf8))
    #expect(LZFSE.decode(raw, limit: 2).ending == .limited)
    #expect(LZFSE.decode(Self.packed, limit: 100).ending == .limited)
  }

  @Test func `damage anywhere is survived`() {
    for stream in [Self.packed, Self.short] {
      for length in 0..<stream.count {
        #expect(LZFSE.decode(Array(stream.prefix(length)), limit: 1 << 20).ending == .damaged)
      }
      for bit in stride(from: 0, to: stream.count * 8, by: 3) {
        var damaged = stream
        damaged[bit / 8] ^= 1 << UInt8(bit % 8)
        _ = LZFSE.decode(damaged, limit: 1 << 20)
      }
    }
  }
}
