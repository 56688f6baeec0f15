import Findings
import FixtureKit
import RuleEngine
import RulePacks
import Scanning
import Testing

@Suite struct `Versions of a data model` {
  private func model(_ attribute: String) -> String {
    """
    <?xml version="1.0"?>
    <model type="com.apple.IDECoreDataModeler.DataModel"><entity name="Person">
    <attribute name="\(attribute)" attributeType="String"/></entity></model>
    """
  }

  private func failing(_ folder: TemporaryFolder) async throws -> [String] {
    let pack = try RulePack(RulePacks.files, checksPatterns: false)
    return try await folder.scan(needles: []) { options in
      options.checks = pack.checks.filter { $0.id == "data-model.plaintext-attribute" }
      options.lexicon = (try? LexiconFile.lexicon(of: RulePacks.lexicon)) ?? Lexicon()
    }.findings.map(\.path)
  }

  @Test func `count only where they are the one in use`() async throws {
    let folder = try TemporaryFolder()
    try folder.write("M.xcdatamodeld/Old.xcdatamodel/contents", model("accessToken"))
    try folder.write("M.xcdatamodeld/New.xcdatamodel/contents", model("refreshToken"))
    #expect(try await failing(folder).count == 2)
    try folder.write(
      "M.xcdatamodeld/.xccurrentversion",
      "<plist><dict><key>_XCCurrentVersionName</key><string>New.xcdatamodel</string></dict></plist>"
    )
    #expect(try await failing(folder) == ["M.xcdatamodeld/New.xcdatamodel/contents"])
  }
}
