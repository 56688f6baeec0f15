import Findings
import FixtureKit
import Reporting
import RuleEngine
import RulePacks
import Scanning
import Testing

@Suite struct `Values that are names` {
  private static let value = "Orchid-Zebra-42"

  /// A folder whose file name and dictionary keys are the protected value, and hold it too.
  private func report(reveals: Bool) async throws -> String {
    let folder = try FixtureFolder(temporary: "veil-tests")
    defer { folder.remove() }
    let text = "{\"people\": {\"\(Self.value)\": {\"note\": \"of \(Self.value)\"}}}\n"
    try folder.write(text, to: "notes-\(Self.value).json")
    var options = ScanOptions()
    options.paths = [folder.path]
    options.needles = [Needle(id: "name", kind: .text, value: Self.value)]
    options.reveals = reveals
    let report = try await Scanner(options).scan()
    // The key, the text below it, and the name of the file.
    #expect(report.findings.count == 3)
    return JSONReport().render(report)
  }

  @Test func `stand in no path, locator or context of a report`() async throws {
    let json = try await report(reveals: false)
    #expect(!json.contains(Self.value))
    #expect(json.contains("notes-•••••••.json"))
  }

  @Test func `found by a rule stand in no locator either`() async throws {
    let folder = try FixtureFolder(temporary: "veil-tests")
    defer { folder.remove() }
    let tokens = ["ghp_", "glpat-"].map { $0 + "M9eKuqdHZ4rBtXw7SpVn" }
    let key = "AKIAQ7X4ZP2MWJ5T6BVN"
    let text = """
      {"\(key)": {"db_password": "qV8-mJ2.tZ5w", "token": "\(tokens[1])"}}
      """
    try folder.write(text, to: "keys.json")
    var options = ScanOptions()
    options.paths = [folder.path]
    options.rules = try RulePack.rules(in: RulePacks.files, checksPatterns: false)
    let report = try await Scanner(options).scan()
    // The control: the key is found itself, and something below it.
    #expect(report.findings.contains { $0.rule == "secrets.aws-access-key-id" })
    #expect(report.findings.contains { $0.locator.contains("•••") })
    #expect(!JSONReport().render(report).contains(key))
  }

  @Test func `are shown where values are to be shown`() async throws {
    #expect(try await report(reveals: true).contains("notes-\(Self.value).json"))
  }
}
