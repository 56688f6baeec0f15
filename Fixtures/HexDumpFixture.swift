/// Bytes as programs print them in hexadecimal.
package enum HexDumpFixture {
  /// Lines of `perLine` bytes, each made from its offset, its digits and its bytes.
  package static func dump(
    _ bytes: [UInt8], perLine: Int = 16, _ line: (Int, [String], [UInt8]) -> String
  ) -> String {
    stride(from: 0, to: bytes.count, by: perLine).map { start in
      let part = Array(bytes[start..<min(start + perLine, bytes.count)])
      return line(start, hex(part), part) + "\n"
    }.joined()
  }

  /// As `xxd -g 1` has it, without the characters.
  package static func xxd(_ bytes: [UInt8]) -> String {
    dump(bytes) { offset, digits, _ in
      "\(address(offset)): \(digits.joined(separator: " "))  ................"
    }
  }

  /// As `xxd -p` has it.
  package static func plain(_ bytes: [UInt8], perLine: Int = 30) -> String {
    dump(bytes, perLine: perLine) { _, digits, _ in digits.joined() }
  }

  /// Two digits for each byte.
  package static func hex(_ bytes: some Sequence<UInt8>) -> [String] {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
  }

  package static func address(_ offset: Int, _ digits: Int = 8, radix: Int = 16) -> String {
    let text = String(offset, radix: radix)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
