import FixtureKit
import Foundation
import Testing

@Suite struct `The README` {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
  }

  /// The lines between fences, of all blocks.
  private static func code(in text: String) -> [Substring] {
    text.split(separator: "```", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.flatMap { $0.element.split(separator: "\n") }
  }

  /// Sizes and offsets differ with the version of the library that wrote the sample.
  private static func withoutNumbers(_ line: some StringProtocol) -> String {
    String(line).replacing(#/[0-9][0-9.]*( [KM]iB| bytes)?/#, with: "N")
  }

  @Test func `shows a run as it is`() throws {
    let folder = try TemporaryFolder()
    try SampleContainer.write(to: folder["container"])
    try folder.write("needles.yaml", SampleValues.needles)
    let run = try CommandLineRun([
      "scan", folder["container"], "--needles", folder["needles.yaml"],
    ])
    #expect(run.status == 1)
    let readme = try Self.text("README.md")
    let start = try #require(
      readme.firstRange(of: "$ vestige scan container --needles needles.yaml\n"))
    let shown = readme[start.upperBound...].prefix { $0 != "`" }.split(separator: "\n")
    var printed = run.output.split(separator: "\n").map { Self.withoutNumbers($0) }[...]
    #expect(shown.count > 30)
    for line in shown where !line.hasPrefix("[") {
      let position = printed.firstIndex(of: Self.withoutNumbers(line))
      #expect(position != nil, "\(line)")
      if let position { printed = printed[(position + 1)...] }
    }
  }

  @Test(arguments: ["README.md", "gate/README.md", "Rules/README.md", "Rules/policies/README.md"])
  func `names only commands and options that there are`(file: String) throws {
    let lines = Self.code(in: try Self.text(file)).map { line in
      line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
    }
    var help: [String: String] = [:]
    for words in lines {
      guard let at = words.firstIndex(where: { $0 == "vestige" || $0.hasSuffix("/vestige") }),
        words.count > at + 1, words[at + 1] != "vault", at == 0 || words[0] == "$"
      else { continue }
      let command = words[at + 1]
      if help[command] == nil {
        let run = try CommandLineRun([command, "--help"])
        #expect(run.status == 0, "\(command)")
        help[command] = run.output
      }
      for word in words[(at + 2)...] where word.hasPrefix("--") {
        let option = String(word.prefix { $0 != "=" })
        #expect(help[command]?.contains("  \(option)") == true, "\(words.joined(separator: " "))")
      }
    }
  }
}
