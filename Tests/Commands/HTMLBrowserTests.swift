import Foundation
import Testing

@Suite struct `The HTML report in a browser` {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("readers/check-html").path

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["VESTIGE_BROWSER"] == "1"
        && installed("chromium") != nil,
      "run with `make page`: it needs chromium, and takes a while"))
  func `answers clicks and keys, and never runs what it shows`() throws {
    let program = try #require(CommandLineRun.program?.path)
    let run = try CommandLineRun(program: Self.script, [program])
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("the page works"))
  }
}
