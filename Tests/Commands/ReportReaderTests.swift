import Foundation
import Testing

@Suite struct `Readers of reports from elsewhere` {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("readers")

  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["VESTIGE_READERS"] == "1",
      "needs the network: set VESTIGE_READERS=1 to let readers from PyPI try the reports"),
    arguments: [("check-sarif", "read by both"), ("check-reports", "every report read")])
  func `take what the program writes`(script: String, proof: String) throws {
    let program = try #require(CommandLineRun.program?.path)
    let path = Self.folder.appendingPathComponent(script).path
    let run = try CommandLineRun(program: path, [program])
    #expect(run.status == 0, "\(run.output)\(run.errors)")
    #expect(run.output.contains(proof))
  }
}
