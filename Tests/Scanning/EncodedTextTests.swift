import Findings
import FixtureKit
import Foundation
import RuleEngine
import Scanning
import Testing

@Suite struct `Encoded text` {
  private func findings(_ text: String) async throws -> Report {
    let folder = try FixtureFolder(temporary: "encoded-tests")
    defer { folder.remove() }
    try folder.write(text, to: "a.txt")
    var options = ScanOptions()
    options.paths = [folder.path]
    options.needles = [Needle(id: "name", kind: .text, value: "Orchid-Zebra-42")]
    return try await Scanner(options).scan()
  }

  @Test(arguments: [
    "q=Orchid%2DZebra%2D42", "q=Orchid%252DZebra%252D42", "Orchid-Ze=\nbra-42 in a mail",
    "h=&#79;rchid&#45;Zebra&#x2d;42", #"j="\u004frchid-Zebra-42""#, #"c = "\117rchid-Zebra-42""#,
    #"1\t\\117rchid\\055Zebra-42"#, #"s = "\u{4F}rchid-Zebra-42""#, #"p = "\x{4f}rchid-Zebra-42""#,
    "NOTE: =4F=72=63hid-Zebra-42", "Subject: =?UTF-8?B?T3JjaGlkLVplYnJh?=\r\n =?UTF-8?Q?-42?=",
    "log \u{1b}[1mOrchid-\u{1b}[31mZebra\u{1b}[0m-42 end", #"{"m": "Orchid-\u001b[31mZebra-42"}"#,
  ])
  func `in escapes is decoded`(text: String) async throws {
    #expect(try await findings(text).findings.map(\.needle) == ["name"])
    let spoiled = text.replacing("ebra", with: "ibra").replacing("Ze=", with: "Zi=")
      .replacing("VplYnJh", with: "VpZYnJh")
    #expect(try await findings(spoiled).findings.isEmpty)
  }

  @Test func `in octal is found with the words around it, and where it stands`() async throws {
    let folder = try TemporaryFolder()
    let needle = Needle(id: "name", kind: .text, value: "Zoë Brightwäter 日")
    try folder.write(
      "a.txt", #"rename "docs/Zo\303\253 Brightw\303\244ter \346\227\245.txt" (100%)"#)
    try folder.write(
      "b.txt", #"rename "docs/Zo\303\253 Brightw\303\244ter \346\227\244.txt" (100%)"#)
    try folder.write("c.txt", #"a pattern of groups \1\2\303 and a path C:\303\2"#)
    let report = try await folder.scan(needles: [needle])
    #expect(report.paths == ["a.txt"])
    #expect(report.findings.first?.locator == "a.txt!/backslash/8")
    #expect(report.findings.first?.ranges == [ByteRange(offset: 13, length: 42)])
  }

  @Test func `in dense escapes is found across every window of a large file`() async throws {
    // Escapes all the way: every byte of several megabytes is one of an escape.
    let filler = String(repeating: "%41", count: 700_000)
    let leak = "%4Frchid%2DZebra%2D42"
    let report = try await findings(filler + leak + filler + leak + filler)
    #expect(report.findings.count == 2)
  }

  /// Writers of JSON may escape the slash, which ends a run of base64 and not the text.
  @Test func `whose slashes JSON escapes is read whole, and is not damaged`() async throws {
    let noise = (0..<400).map { String($0 &* 7_919 % 1_009, radix: 36) }.joined()
    let content = DeflateFixture.compress(Array("\(noise) Orchid-Zebra-42 \(noise)".utf8), .gzip)
    let text = Data(content).base64EncodedString()
    #expect(text.contains("/"))
    let escaped = #"{"archive": "\#(text.replacing("/", with: #"\/"#))"}"#
    let report = try await findings(escaped)
    #expect(report.findings.count == 1 && report.diagnostics.isEmpty)
    let cut = try await findings("archive: \(text.dropLast(text.count / 2))\n")
    #expect(Set(cut.diagnostics.map(\.code)) == [.formatDamaged])
  }

  @Test(arguments: [0, 76])
  func `longer than a window is decoded as it comes`(width: Int) async throws {
    let filler = [UInt8](repeating: UInt8(ascii: "x"), count: 4_999_998)
    let text = Base64Fixture.encoded(filler + Array("Orchid-Zebra-42".utf8) + filler, width: width)
    let report = try await findings("-----\n\n\(text)\n\nThe end of it all.\n")
    #expect(report.findings.count == 1)
    #expect(report.findings.first?.locator == "a.txt!/base64/7")
    #expect(report.findings.first?.ranges.first?.offset == 7)
    #expect(report.diagnostics.isEmpty)
  }

  @Test func `longer than a window in hexadecimal is, too`() async throws {
    let filler = String(repeating: "6162", count: 1_500_000)
    let leak = "Orchid-Zebra-42".utf8.map { String($0, radix: 16) }.joined()
    let report = try await findings("h=" + filler + leak + filler + " and " + leak)
    #expect(report.findings.count == 2)
    #expect(report.diagnostics.isEmpty)
  }
}

/// Base64 as mail has it, or on one line.
enum Base64Fixture {
  static func encoded(_ bytes: [UInt8], width: Int) -> String {
    let text = Data(bytes).base64EncodedString()
    guard width > 0 else { return text }
    var lines: [Substring] = []
    var rest = text[...]
    while !rest.isEmpty {
      lines.append(rest.prefix(width))
      rest = rest.dropFirst(width)
    }
    return lines.joined(separator: "\r\n")
  }
}
