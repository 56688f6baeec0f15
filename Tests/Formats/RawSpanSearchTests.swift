import Formats
import Testing

@Suite struct `Bytes among others` {
  @Test func `are counted, however many there are`() {
    for count in Array(0...200) + [64 * 255, 64 * 256 + 1, 64 * 600 + 63] {
      let all = [UInt8](repeating: 10, count: count)
      #expect(all.span.bytes.count(of: 10, in: 0..<count) == count)
      #expect(all.span.bytes.count(of: 11, in: 0..<count) == 0)
      let some = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
      #expect(
        some.span.bytes.count(of: 10, in: 3..<count + 9) == some.dropFirst(3).count { $0 == 10 })
    }
  }
}
