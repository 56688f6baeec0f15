import Glibc
import SecretBytes
import Testing

@Suite struct `Secret bytes` {
  @Test func `take what they are given and leave zeros behind`() {
    var plain: [UInt8] = [1, 2, 3, 4]
    let secret = SecretBytes(wiping: &plain)
    #expect(plain == [0, 0, 0, 0])
    #expect(secret.withBytes { Array($0) } == [1, 2, 3, 4])
  }

  @Test(arguments: [0, 1, 31, 32, 4095, 4096, 4097, 100_000])
  func `hold any number of bytes`(count: Int) {
    let secret = SecretBytes(randomCount: count)
    #expect(secret.count == count)
    let other = secret.duplicate()
    let isSame = secret.isEqual(to: other)
    #expect(isSame)
    guard count > 0 else { return }
    other.withMutableBytes { $0[count - 1] ^= 1 }
    let isStillSame = secret.isEqual(to: other)
    #expect(!isStillSame)
  }

  @Test func `are in memory that no other process reads, where the kernel has it`() throws {
    let secret = SecretBytes(randomCount: 32)
    let address = secret.withBytes { Int(bitPattern: $0.baseAddress) }
    let memory = open("/proc/self/mem", O_RDONLY)
    defer { close(memory) }
    var buffer = [UInt8](repeating: 0, count: 32)
    let count = pread(memory, &buffer, 32, address)
    switch secret.backing {
    case .kernelSecret: #expect(count < 0, "read through /proc")
    // Another process of this user could read it, so it is at least guarded and locked.
    case .sodium, .sodiumUnlocked: #expect(count <= 32)
    }
  }

  @Test func `are wiped and given back when their owner lets go`() {
    let before = SecretBytes.wipedCount
    for _ in 0..<100 { _ = SecretBytes(randomCount: 64) }
    #expect(SecretBytes.wipedCount >= before + 100)
  }

  /// Pages of the kernel's secret memory are kept for the next secret.
  @Test(arguments: [1, 32, 4096, 4097])
  func `start with zeros, whatever the memory held before`(count: Int) {
    for _ in 0..<100 {
      let used = SecretBytes(zeroCount: count)
      let sum = used.withBytes { $0.reduce(0) { $0 | $1 } }
      #expect(sum == 0)
      used.withMutableBytes { _ = $0.initializeMemory(as: UInt8.self, repeating: 0xff) }
    }
  }

  @Test func `can be read by many threads at once`() async {
    let shared = Shared()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { for _ in 0..<200 { shared.check() } }
      }
    }
  }

  private final class Shared: Sendable {
    private let secret = SecretBytes(randomCount: 48)

    func check() {
      let first = secret.withBytes { $0[0] }
      secret.withBytes { #expect($0[0] == first) }
    }
  }
}
