import Foundation
import Testing

@Suite struct `Readers of SARIF from elsewhere` {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("readers/check-sarif").path

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["VESTIGE_SARIF_READERS"] == "1",
      "needs the network: set VESTIGE_SARIF_READERS=1 to let readers from PyPI try the report"))
  func `take what the program writes`() throws {
    let program = try #require(CommandLineRun.program?.path)
    let run = try CommandLineRun(program: Self.script, [program])
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("read by both"))
  }
}
