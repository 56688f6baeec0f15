import Findings
import Foundation
import Reporting
import Testing

@Suite struct `Golden reports` {
  /// `Reports/`, beside `Tests/`.
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Reports")

  @Test(arguments: ReportFormats.builtIn.map(\.name))
  func `are what a format writes, byte for byte`(name: String) throws {
    let format = try #require(ReportFormats.named(name))
    let file = Self.folder.appendingPathComponent("sample.\(name)")
    let written = Data(format.render(.sample).utf8)
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil { try written.write(to: file) }
    let golden = try Data(contentsOf: file)
    #expect(
      written == golden, "run with RECORD_GOLDEN=1 to write Reports/sample.\(name), and read it")
  }

  @Test func `are those of the formats there are`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(names) == Set(ReportFormats.builtIn.map { "sample.\($0.name)" }))
  }
}
