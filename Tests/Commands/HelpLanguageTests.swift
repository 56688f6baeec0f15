import Foundation
import Testing

@Suite struct `Help in Chinese` {
  /// Three English words in a row are a sentence; commands are not.
  private static func sentences(in text: String) -> [Substring] {
    text.matches(of: #/[A-Za-z]{2,} [a-z]{2,},? [a-z]{2,}/#).map(\.0)
      .filter { !$0.hasPrefix("vestige ") }
  }

  /// Columns on a terminal: a Chinese character takes two.
  private static func columns(_ line: Substring) -> Int {
    line.unicodeScalars.reduce(0) { $0 + ($1.value >= 0x2e80 ? 2 : 1) }
  }

  @Test(arguments: `The program`.commands + [""])
  func `says everything, in 80 columns`(command: String) throws {
    let arguments = [command].filter { !$0.isEmpty } + ["--help"]
    let run = try CommandLineRun(arguments + ["--lang", "zh-Hans"])
    #expect(run.status == 0)
    #expect(run.output.contains("用法：vestige"))
    #expect(Self.sentences(in: run.output).isEmpty, "\(Self.sentences(in: run.output))")
    for line in run.output.split(separator: "\n") { #expect(Self.columns(line) <= 80, "\(line)") }
    // What finds English finds it in the English text.
    #expect(!Self.sentences(in: try CommandLineRun(arguments).output).isEmpty)
  }

  @Test(arguments: [
    "create", "unlock", "status", "put", "get", "list", "search", "delete", "attach", "rotate",
    "passwd", "decoy", "migrate", "erase", "format", "bench", "",
  ])
  func `says everything about the vault`(command: String) throws {
    let arguments = ["vault", command, "--help"].filter { !$0.isEmpty }
    let run = try CommandLineRun(arguments, environment: ["LC_ALL": "zh_CN.UTF-8"])
    #expect(run.output.hasPrefix("用法：vestige vault"))
    #expect(Self.sentences(in: run.output).isEmpty, "\(Self.sentences(in: run.output))")
  }
}
