import Findings
import Testing

@Suite struct `Paths as text` {
  @Test(arguments: [
    ([0x63, 0x61, 0x66, 0xe9], "caf%E9"),
    ([0x61, 0x0a, 0x62], "a%0Ab"),
    ([0x25, 0x34, 0x31, 0xff], "%41%FF"),
    ([0xe7, 0x8e, 0x8b, 0xe7, 0x8e], "王%E7%8E"),
    (Array("100% #1 ?.txt".utf8), "100% #1 ?.txt"),
    // What a cache calls a page: the escapes are the name.
    (Array("%E7%8E%8B.html".utf8), "%E7%8E%8B.html"),
    (Array("http%3A%2F%2Fx".utf8), "http%3A%2F%2Fx"),
    (Array("caf%e9".utf8), "caf%e9"),
    (Array("%".utf8), "%"), (Array("%F".utf8), "%F"), ([0xff, 0x25], "%FF%"),
  ])
  func `lead back to the bytes`(bytes: [UInt8], text: String) {
    #expect(PathText.text(of: bytes) == text)
    #expect(PathText.bytes(of: text) == bytes)
  }
}
