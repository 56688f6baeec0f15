import SecretBytes
import Testing

@Suite struct `Secret bytes` {
  @Test func `hold what they were given`() {
    var plain: [UInt8] = [1, 2, 3, 4]
    let secret = SecretBytes(wiping: &plain)
    #expect(plain == [0, 0, 0, 0])
    #expect(secret.withBytes { Array($0) } == [1, 2, 3, 4])
  }
}
