import Bytes
import FixtureKit
import Testing

@Suite struct `Expanded AES keys` {
  private func found(in bytes: [UInt8]) -> [KeySchedules.Schedule] {
    var found: [KeySchedules.Schedule] = []
    KeySchedules.find(in: bytes.span.bytes) { found.append($0) }
    return found
  }

  /// Random bytes before and behind, as they lie in memory.
  private func memory(
    around schedule: [UInt8], at offset: Int, _ random: inout SplitMix
  ) -> [UInt8] {
    let any = [UInt8](0...255)
    return random.bytes(offset, of: any) + schedule + random.bytes(61, of: any)
  }

  @Test func `the fixture expands the key of FIPS 197 as its appendix A.1 does`() {
    let key: [UInt8] = [
      0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6, 0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f,
      0x3c,
    ]
    #expect(ExpandedKey(key).words.last == [0xb6, 0x63, 0x0c, 0xa6])
  }

  @Test(arguments: [16, 24, 32], 0..<70)
  func `are found at any offset in either byte order`(count: Int, offset: Int) {
    var random = SplitMix(seed: UInt64(count * 1_000 + offset))
    let key = random.bytes(count, of: Array(0...255))
    let expanded = ExpandedKey(key)
    for schedule in [expanded.bytes, expanded.swapped] {
      let seen = found(in: memory(around: schedule, at: offset, &random))
      #expect(seen.map(\.key) == [key])
      #expect(seen.map(\.range) == [offset..<offset + schedule.count])
      #expect(seen.map(\.keyRange) == [offset..<offset + count])
    }
  }

  @Test(arguments: [16, 24, 32], 990..<1_010)
  func `of the inverse cipher give their key, too`(count: Int, offset: Int) {
    var random = SplitMix(seed: UInt64(count * offset))
    let key = random.bytes(count, of: Array(0...255))
    let seen = found(in: memory(around: ExpandedKey(key).reversed, at: offset, &random))
    #expect(seen.map(\.key) == [key])
    #expect(seen.map(\.isReversed) == [true])
    #expect(seen.map(\.keyRange) == [offset..<offset + 16 * (count / 4 + 7)])
  }

  @Test(arguments: 0..<40)
  func `with a few flipped bits behind the key are found`(seed: Int) {
    var random = SplitMix(seed: UInt64(seed))
    let key = random.bytes(32, of: Array(0...255))
    var schedule = ExpandedKey(key).bytes
    for _ in 0..<3 { schedule[32 + Int(random.next() % 208)] ^= 1 << UInt8(random.next() % 8) }
    #expect(found(in: memory(around: schedule, at: 500, &random)).map(\.key) == [key])
  }

  @Test func `are all found, and none in bytes that are like them`() {
    var random = SplitMix(seed: 9)
    let keys = (0..<5).map { _ in random.bytes(16, of: Array(0...255)) }
    #expect(found(in: keys.flatMap { ExpandedKey($0).bytes }).map(\.key) == keys)
    // Filling, counters, records with equal fields, a schedule that is cut off.
    #expect(found(in: ExpandedKey([UInt8](repeating: 0, count: 16)).bytes).isEmpty)
    #expect(found(in: [UInt8](repeating: 0, count: 4_096)).isEmpty)
    #expect(found(in: (0..<4_096).map { UInt8(truncatingIfNeeded: $0 >> 2) }).isEmpty)
    #expect(found(in: Array(ExpandedKey(keys[0]).bytes.dropLast())).isEmpty)
  }

  @Test(arguments: 0..<180)
  func `cut short anywhere are no harm`(length: Int) {
    var random = SplitMix(seed: 3)
    let schedule = ExpandedKey(random.bytes(16, of: Array(0...255))).bytes
    #expect(found(in: Array(schedule.prefix(length))).count == (length >= 176 ? 1 : 0))
  }
}
