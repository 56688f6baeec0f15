import Findings
import FixtureKit
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

  @Test func `longer than a window is told to be decoded in part`() async throws {
    let line = String(repeating: "SGVsbG8gd29ybGQgYW5kIGFsbCB0aGF0", count: 200_000)
    let report = try await findings("a " + line)
    #expect(report.diagnostics.map(\.code) == [.limitSize])
    #expect(report.run.status == 3)
    #expect(try await findings("a " + line.prefix(64_000)).diagnostics.isEmpty)
  }
}
