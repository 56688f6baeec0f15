import Bytes
import Findings
import FixtureKit
import Formats
import Testing

@Suite struct `Hex dumps` {
  private static func dumps(_ text: String) -> [HexDump] {
    let bytes = Array(text.utf8)
    var found: [HexDump] = []
    HexDump.forEach(in: bytes.span.bytes, from: 0..<bytes.count) { found.append($0) }
    return found
  }

  /// How programs print the same bytes.
  private enum Layout: String, CaseIterable {
    case xxd, xxdInEights, hexdump, od, odOctal, wireshark, tcpdump, lldb, gdb, array, log, capitals

    var text: String {
      let perLine = [.xxdInEights, .gdb].contains(self) ? 8 : self == .array ? 12 : 16
      return HexDumpFixture.dump(value, perLine: perLine) { offset, digits, bytes in
        line(offset, digits, printed(bytes))
      }
    }

    private func line(_ offset: Int, _ digits: [String], _ printed: String) -> String {
      let spaced = digits.joined(separator: " ")
      func address(_ count: Int) -> String { HexDumpFixture.address(offset, count) }
      switch self {
      case .xxd, .xxdInEights: return "\(address(8)): \(pairs(digits))  \(printed)"
      case .hexdump:
        let halves = [digits.prefix(8), digits.dropFirst(8)].map { $0.joined(separator: " ") }
        return "\(address(8))  \(halves[0])  \(halves[1])  |\(printed)|"
      case .od: return "\(address(6)) \(spaced)  >\(printed)<"
      case .odOctal: return "\(HexDumpFixture.address(offset, 7, radix: 8)) \(spaced)"
      case .wireshark: return "\(address(4))   \(spaced)   \(printed)"
      case .tcpdump: return "\t0x\(address(4)):  \(pairs(digits))  \(printed)"
      case .lldb: return "0x1000\(address(4)): \(spaced)  \(printed)"
      case .gdb: return "0x55\(address(4)) <buf+\(offset)>:\t0x" + digits.joined(separator: "\t0x")
      case .array: return "  0x" + digits.joined(separator: ", 0x") + (offset < 12 ? "," : "")
      case .log: return "12:00:0\(offset % 7) net: \(address(4)): \(spaced)"
      case .capitals: return "\(address(8)): \(spaced.uppercased())  \(printed)"
      }
    }
  }

  @Test(arguments: Layout.allCases)
  private func `of any program give the bytes and where they stand`(layout: Layout) throws {
    let (name, text) = (layout.rawValue, layout.text)
    let found = Self.dumps("Some words before.\n\(text)Some words behind.\n")
    try #require(found.count == 1, "\(name)")
    #expect(found[0].decoded.bytes == value, "\(name): \(found[0].decoded.text)")
    let range = try #require(found[0].decoded.map.range(of: 7..<8))
    let stored = Array("Some words before.\n\(text)".utf8)[range.offset..<range.end]
    #expect(String(decoding: stored, as: UTF8.self).lowercased() == "5a", "\(name)")
  }

  @Test func `of words give the bytes in the order of the machine`() {
    let swapped = stride(from: 0, to: value.count, by: 2).map { [value[$0 + 1], value[$0]] }
      .flatMap { $0 }
    let text = HexDumpFixture.dump(swapped) { offset, digits, _ in
      "\(HexDumpFixture.address(offset, 7)) \(pairs(digits))"
    }
    #expect(Self.dumps(text).map(\.decoded.bytes) == [value])
    let words = HexDumpFixture.dump(value, perLine: 8) { offset, digits, _ in
      "0x7ff\(HexDumpFixture.address(offset, 4)):\t0x\(digits[..<4].reversed().joined())\t"
        + "0x\(digits[4...].reversed().joined())"
    }
    #expect(Self.dumps(words).map(\.decoded.bytes) == [value])
  }

  @Test func `leave out lines that repeat, and fill them in`() throws {
    let zeros = Array(repeating: "00", count: 16).joined(separator: " ")
    let text = "00000000  \(zeros)\n*\n00001000  61 62 63 64 65 66 67 68\n00001008\n"
    let found = Self.dumps(text)
    try #require(found.count == 1)
    #expect(found[0].decoded.bytes.count == 4_104)
    #expect(found[0].decoded.bytes.suffix(8) == Array("abcdefgh".utf8))
    // What claims to stand for more than is filled in ends the dump.
    let huge = text.replacing("00001000", with: "7f001000")
    #expect(Self.dumps(huge).first?.decoded.bytes.count == 16)
  }

  @Test(arguments: 1..<34)
  func `of any length end with their last byte`(length: Int) {
    let bytes = Array(0..<UInt8(length) + 20)
    let text = HexDumpFixture.dump(bytes) { offset, digits, _ in
      "\(HexDumpFixture.address(offset)): \(pairs(digits))  ............"
    }
    #expect(Self.dumps(text).map(\.decoded.bytes) == [bytes])
  }

  @Test func `end where the addresses do not go on`() {
    let text = Layout.xxd.text
    #expect(Self.dumps(text + text).map(\.decoded.bytes) == [value, value])
  }

  @Test(arguments: [
    "Words in a line, and more words in a line, all in small letters",
    String(repeating: " ", count: 60) + "let x = 1",
    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18",
    "2024-01-01 12:00:00 a decade added a cafe facade, 12 times",
    "5d41402abc4b2a76b9719d911017c592  file",
  ])
  func `are not seen in other text`(text: String) {
    #expect(Self.dumps(text).allSatisfy { $0.decoded.bytes.allSatisfy { $0 < 0x20 } })
  }

  @Test func `cut short anywhere are read as far as they go`() {
    for text in Layout.allCases.map(\.text) {
      for length in 0..<text.utf8.count {
        for dump in Self.dumps(String(text.prefix(length))) {
          #expect(value.starts(with: dump.decoded.bytes))
        }
      }
    }
  }

  @Test func `an offset map keeps characters that stand apart in few runs and exact`() throws {
    var map = OffsetMap()
    for index in 0..<200_000 { map.append(unit: 1, source: 10 + index * 3, sourceUnit: 2) }
    for index in [0, 1, 77, 199_999] {
      #expect(map.range(of: index..<index + 1) == ByteRange(offset: 10 + index * 3, length: 2))
    }
    #expect(map.range(of: 5..<8) == ByteRange(offset: 25, length: 8))
    map.append(unit: 1, source: 600_100, sourceUnit: 2)
    map.appendVerbatim(600_102..<600_110)
    #expect(map.range(of: 200_000..<200_003) == ByteRange(offset: 600_100, length: 4))
  }
}

private let value = Array("Orchid-Zebra-42 and more".utf8)

private func printed(_ bytes: [UInt8]) -> String {
  String(decoding: bytes.map { (0x20..<0x7f).contains($0) ? $0 : 0x2e }, as: UTF8.self)
}

private func pairs(_ digits: [String]) -> String {
  stride(from: 0, to: digits.count, by: 2).map {
    digits[$0..<min($0 + 2, digits.count)].joined()
  }.joined(separator: " ")
}
