import Foundation
import Testing

@Suite struct `Readers of CycloneDX from elsewhere` {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("readers/check-cyclonedx").path

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["VESTIGE_CYCLONEDX_READERS"] == "1",
      "needs the network: set VESTIGE_CYCLONEDX_READERS=1 to let a reader from PyPI try the bill"))
  func `take what the program writes`() throws {
    let program = try #require(CommandLineRun.program?.path)
    let run = try CommandLineRun(program: Self.script, [program])
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains("read by it"))
  }
}
