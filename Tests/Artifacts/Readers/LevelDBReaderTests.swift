import Artifacts
import Bytes
import Findings
import Formats
import Testing

@Suite struct `Tables of LevelDB` {
  private static func base128(_ value: Int) -> [UInt8] {
    var (bytes, rest): ([UInt8], Int) = ([], value)
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }

  private static func entry(_ key: String, _ value: [UInt8]) -> [UInt8] {
    [0] + base128(key.utf8.count) + base128(value.count) + Array(key.utf8) + value
  }

  private static func block(_ entries: [[UInt8]]) -> [UInt8] {
    entries.flatMap(\.self) + [0, 0, 0, 0, 1, 0, 0, 0]
  }

  /// The text with every word twice, so that no byte of the file shows the second: a copy of the first.
  private static func compressed(_ head: [UInt8], _ word: String, _ tail: [UInt8]) -> [UInt8] {
    let letters = Array(word.utf8)
    let half = letters.count / 2
    var bytes = base128(head.count + letters.count + half + tail.count)
    bytes += [UInt8(head.count + half - 1) << 2] + head + letters.prefix(half)
    // Copies the first half, so that only what is decoded holds the word twice over.
    bytes += [UInt8(half - 1) << 2 | 2, UInt8(half), 0]
    bytes += [UInt8(letters.count - half - 1) << 2] + letters.dropFirst(half)
    return bytes + [UInt8(tail.count - 1) << 2] + tail
  }

  /// A table of one block that is stored as it is and one that is compressed.
  static func table(compression: UInt8 = 1) -> [UInt8] {
    let plain = block([entry("a", Array("in clear".utf8))])
    let packed = compressed([0, 1, 9], "orchid", [0, 0, 0, 0, 1, 0, 0, 0])
    var file = plain + [0, 9, 9, 9, 9]
    let second = file.count
    file += packed + [compression, 9, 9, 9, 9]
    let index = block([
      entry("b", base128(0) + base128(plain.count)),
      entry("c", base128(second) + base128(packed.count)),
    ])
    let start = file.count
    file += index + [0, 9, 9, 9, 9]
    var footer = base128(0) + base128(0) + base128(start) + base128(index.count)
    footer += [UInt8](repeating: 0, count: 40 - footer.count)
    return file + footer + [0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB]
  }

  private func read(_ bytes: [UInt8]) -> FragmentRecord {
    FragmentRecord.reading(bytes, with: LevelDBReader())
  }

  @Test func `are known by their end, and their compressed blocks are unpacked`() {
    let bytes = Self.table()
    #expect(reader(for: bytes) is LevelDBReader)
    let record = read(bytes)
    #expect(record.diagnostics.isEmpty)
    #expect(record.fragments.count == 1)
    #expect(record.fragments.first?.text.contains("orcorchid") == true)
    #expect(record.fragments.first?.place.steps.first == "block")
    #expect(bytes.span.bytes.firstOffset(of: "orcorchid", in: 0..<bytes.count) == nil)
  }

  @Test func `say which blocks they could not unpack`() {
    #expect(read(Self.table(compression: 7)).diagnostics.map(\.code) == [.formatUnsupported])
    let count = Self.table().count
    #expect(read(Array(Self.table().suffix(count - 1))).diagnostics.map(\.code) == [.formatDamaged])
  }

  @Test func `are cut and changed anywhere without harm`() {
    let whole = Self.table()
    for count in 0..<whole.count { _ = read(Array(whole.suffix(count))) }
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 0xFF
      _ = read(changed)
    }
  }
}
