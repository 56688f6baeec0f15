import Findings
import FixtureKit
import RuleEngine
import Scanning
import Testing

@Suite struct `Texts that only look like none` {
  private static let clean = "0000000 060515 064562 067563 005154\n0000010\n"

  /// `od` as it prints by default.
  private static func od(_ bytes: [UInt8]) -> String {
    func pad(_ text: String, _ width: Int) -> String {
      String(repeating: "0", count: width - text.utf8.count) + text
    }
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 16) {
      text += pad(String(start, radix: 8), 7)
      for index in stride(from: start, to: min(start + 16, bytes.count), by: 2) {
        let high = index + 1 < bytes.count ? Int(bytes[index + 1]) : 0
        text += " " + pad(String(Int(bytes[index]) | high << 8, radix: 8), 6)
      }
      text += "\n"
    }
    return text + pad(String(bytes.count, radix: 8), 7) + "\n"
  }

  @Test func `are read as the file that od printed`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("clean.txt", Self.clean)
    try folder.write("plain.txt", Self.od(Array("so it is \(Leak.text), remember".utf8)))
    let packed = DeflateFixture.compress(Array("and \(Leak.text) again".utf8), .gzip)
    try folder.write("packed.txt", Self.od(packed))
    let report = try await folder.scan()
    #expect(report.paths == ["packed.txt", "plain.txt"])
    #expect(report.findings.last?.locator == "plain.txt!/content")
    #expect(report.findings.last?.ranges.isEmpty == false)
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  @Test(arguments: [2, 4, 8]) func `are read word by word in the order that xxd printed them`(
    size: Int
  ) async throws {
    let bytes = Array("a line of text, \(Leak.text) and what follows it here\n\0\0..".utf8)
    let whole = bytes + [UInt8](repeating: 0x2e, count: (16 - bytes.count % 16) % 16)
    func xxd(isTurned: Bool) -> String {
      HexDumpFixture.dump(whole) { offset, _, part in
        let words = stride(from: 0, to: part.count, by: size).map { start in
          let word = Array(part[start..<start + size])
          return HexDumpFixture.hex(isTurned ? word.reversed() : word).joined()
        }
        let shown = part.map { 0x20..<0x7f ~= $0 ? Character(Unicode.Scalar($0)) : "." }
        return
          "\(HexDumpFixture.address(offset)): \(words.joined(separator: " "))  \(String(shown))"
      }
    }
    let folder = try TemporaryFolder()
    try folder.write("little.txt", xxd(isTurned: true))
    try folder.write("printed.txt", xxd(isTurned: false))
    try folder.write("clean.txt", xxd(isTurned: true).replacing("4f", with: "4e"))
    let report = try await folder.scan()
    #expect(Set(report.paths).isSuperset(of: ["little.txt", "printed.txt"]))
  }

  @Test(arguments: ["le", "be", "mark"]) func `are cards in wide characters`(
    order: String
  ) async throws {
    let needle = Needle(id: "name", kind: .text, value: "Zoë Ångströmsky")
    func card(_ name: String) -> [UInt8] {
      let text =
        "BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:\(name)\r\nEND:VCARD\r\n"
      let bytes = text.utf16.flatMap { unit in
        order == "be"
          ? [UInt8(unit >> 8), UInt8(unit & 0xff)] : [UInt8(unit & 0xff), UInt8(unit >> 8)]
      }
      return order == "mark" ? [0xff, 0xfe] + bytes : bytes
    }
    let folder = try TemporaryFolder()
    try folder.write(
      "card.vcf",
      bytes: card(
        "=C3=85ngstr=C3=B6msky;Zo=C3=AB;;;".replacing(
          "=C3=85ngstr=C3=B6msky;Zo=C3=AB", with: "Zo=C3=AB =C3=85ngstr=\r\n=C3=B6msky")))
    try folder.write("clean.vcf", bytes: card("Somebody=20Else"))
    let report = try await folder.scan(needles: [needle])
    #expect(report.paths == ["card.vcf"])
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }
}
