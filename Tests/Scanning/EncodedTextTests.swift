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
    "h=&#79;rchid&#45;Zebra&#x2d;42", #"j="\u004frchid-Zebra-42""#,
  ])
  func `in escapes is decoded`(text: String) async throws {
    #expect(try await findings(text).findings.map(\.needle) == ["name"])
    let spoiled = text.replacing("ebra", with: "ibra").replacing("Ze=", with: "Zi=")
    #expect(try await findings(spoiled).findings.isEmpty)
  }

  @Test func `in dense escapes is found across every window of a large file`() async throws {
    // Escapes all the way: every byte of several megabytes is one of an escape.
    let filler = String(repeating: "%41", count: 700_000)
    let leak = "%4Frchid%2DZebra%2D42"
    let report = try await findings(filler + leak + filler + leak + filler)
    #expect(report.findings.count == 2)
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
