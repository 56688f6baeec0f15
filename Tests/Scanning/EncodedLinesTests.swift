import Findings
import FixtureKit
import Foundation
import RuleEngine
import Scanning
import Testing

/// Encoded text is cut into lines by whatever it stands in; each cut is one that programs or people make.
@Suite struct `Lines of encoded text` {
  /// A compressed file of some lines; only who joins all of them gets to its end.
  private static let packed: [UInt8] = {
    var random = SplitMix(seed: 11)
    let filler = random.bytes(300).map { String($0, radix: 16) }.joined()
    return DeflateFixture.compress(Array("\(filler) Orchid-Zebra-42 \(filler)".utf8), .gzip)
  }()

  private static func lines(_ text: String, of width: Int, first: Int? = nil) -> [String] {
    var rest = Substring(text)
    var lines: [String] = []
    while !rest.isEmpty {
      let count = lines.isEmpty ? first ?? width : width
      lines.append(String(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return lines
  }

  private static func base64(_ divider: String, of width: Int = 64, first: Int? = nil) -> String {
    lines(Data(packed).base64EncodedString(), of: width, first: first)
      .joined(separator: divider)
  }

  /// - Parameter short: the length of the third line, which is not the last.
  private static func hexadecimal(
    _ divider: String, of width: Int, then short: Int? = nil
  ) -> String {
    let digits = SampleValues.hexadecimal(packed)
    guard let short else { return lines(digits, of: width).joined(separator: divider) }
    let head = digits.prefix(2 * width + short)
    return (lines(String(head), of: width) + lines(String(digits.dropFirst(head.count)), of: width))
      .joined(separator: divider)
  }

  /// The last line joined to the one before.
  private static func longLast(_ text: String) -> String {
    let lines = text.split(separator: "\n")
    return (lines.dropLast(2) + [lines.suffix(2).joined()[...]]).joined(separator: "\n")
  }

  private static let texts: [String] = [
    "String packed =\n    \"" + base64("\" +\n    \"", of: 116) + "\";\n",
    "String packed = \"" + base64("\"+\r\n\t\t\"", of: 112, first: 60) + "\";\r\n",
    "$packed = '" + base64("'\n  . '") + "';\n",
    "const char *packed =\n  \"" + base64("\"\n  \"") + "\";\n",
    "const char *packed = \"" + base64("\\n\"\n  \"") + "\";\n",
    "let packed = \"\"\"\n  " + base64("\\\n  ", of: 80) + "\n  \"\"\"\n",
    "<v:shape gfxdata=\"" + base64("&#xA;", of: 76) + "\"/>",
    "<v:shape gfxdata=\"" + base64("&#13;&#10;", of: 76) + "\"/>",
    "# Begin signature\n# " + base64("\n# ") + "\n# End\n",
    "// " + base64("\n// ") + "\nvar x = 1\n",
    "|>file\n|" + base64("\n|", of: 72) + "\n|<file\n",
    "<attribute>" + base64("\n", of: 4000, first: 76) + "</attribute>",
    "<attribute>" + base64("\n    ", of: 76) + "</attribute>",
    "auto packed =\n  \"" + hexadecimal("\"\n  \"", of: 88) + "\";\n",
    "{\\rtf1{\\*\\themedata " + hexadecimal("\n", of: 128) + "}\n}",
    "{\\rtf1{\\*\\themedata " + hexadecimal("\n", of: 128, then: 24) + "}\n}",
    "{\\rtf1{\\*\\themedata " + longLast(hexadecimal("\n", of: 128)) + "}\n}",
  ]

  @Test(arguments: texts.indices)
  func `are one value`(index: Int) async throws {
    let report = try await scan(Self.texts[index])
    #expect(report.findings.map(\.needle) == ["name"])
    #expect(report.diagnostics.isEmpty, "\(report.diagnostics)")
  }

  @Test func `that are cut off are told`() async throws {
    let text = "String packed = \"" + Self.base64("\" +\n  \"").prefix(400) + "\";"
    #expect(try await scan(text).diagnostics.map(\.code) == [.formatDamaged])
  }

  @Test func `of several values stay several`() async throws {
    let filler = String(repeating: "a word and another, ", count: 3)
    let values = ["none", "Orchid-Zebra-42", "none", "Orchid-Zebra-42"].map {
      Data("\(filler)\($0)\($0.count == 4 ? "    " : "")".utf8).base64EncodedString()
    }
    for divider in ["\",\n  \"", "\"\n  \"", "\n"] {
      let report = try await scan(
        "let values = [\n  \"" + values.joined(separator: divider) + "\"]")
      #expect(report.findings.count == 2, "\(divider)")
    }
    let packed = Data(Self.packed).base64EncodedString()
    let report = try await scan("a = [\n  \"\(packed)\",\n  \"\(packed)\"\n]")
    #expect(report.findings.count == 2 && report.diagnostics.isEmpty)
  }

  /// One digest in some millions starts like a compressed file, and there are lists of as many.
  @Test func `that start like a compressed file by chance are none`() async throws {
    var random = SplitMix(seed: 3)
    let digests = (0..<4000).map { _ in
      SampleValues.hexadecimal([0x1f, 0x8b, 0x08] + random.bytes(29))
    }
    let report = try await scan("[\"" + digests.joined(separator: "\",\n\"") + "\"]")
    #expect(report.diagnostics.count < 4)
    let packed = SampleValues.hexadecimal(Self.packed)
    #expect(try await scan("[\"\(packed)\"]").findings.count == 1)
  }

  private func scan(_ text: String) async throws -> Report {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", text)
    return try await folder.scan(
      needles: [Needle(id: "name", kind: .text, value: "Orchid-Zebra-42")])
  }
}
