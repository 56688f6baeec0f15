import Findings
import FixtureKit
import Foundation
import RuleEngine
import RulePacks
import Scanning
import Testing

/// A value that says nothing by itself under a name that says all: in a table, a list or an export the
/// two stand far apart.
@Suite struct `Values under a telling name` {
  private static func number(_ row: Int) -> String { "138\(12_345_679 + row * 7_919)" }

  private static let rules: [Rule] = {
    let wanted = ["pii.cn-mobile", "pii.us-ssn", "secrets.generic-password"]
    let all = (try? RulePack.rules(in: RulePacks.files, checksPatterns: false)) ?? []
    return all.filter { wanted.contains($0.id) }
  }()

  private func counts(_ folder: TemporaryFolder, partSize: Int? = nil) async throws
    -> [String: Int]
  {
    let report = try await folder.scan(needles: [], rules: Self.rules) {
      if let partSize { ($0.limits.partSize, $0.limits.largeSize) = (partSize, 2 * partSize) }
    }
    return report.findings.reduce(into: [:]) { counts, finding in
      let place = finding.context.column ?? finding.context.key ?? "-"
      counts["\(finding.path) \(finding.rule) \(place)", default: 0] += 1
    }
  }

  @Test(arguments: [("phone", "amount"), ("ZPHONENUMBER", "ZAMOUNT")])
  func `are found in every row of a table, as text and as numbers`(
    telling: String, silent: String
  ) async throws {
    let builder = try SQLiteBuilder()
    try builder.execute("CREATE TABLE a(id INTEGER PRIMARY KEY, \(telling) TEXT, \(silent) TEXT)")
    try builder.execute("CREATE TABLE b(\(telling) INTEGER, \(silent) INTEGER)")
    try builder.execute("CREATE TABLE c(id TEXT PRIMARY KEY, \(telling) TEXT) WITHOUT ROWID")
    for row in 0..<120 {
      let number = Self.number(row)
      try builder.execute("INSERT INTO a VALUES(NULL, '\(number)', '\(number)')")
      try builder.execute("INSERT INTO b VALUES(\(number), \(number))")
      try builder.execute("INSERT INTO c VALUES('x\(row)', '\(number)')")
    }
    try builder.execute("DELETE FROM a WHERE id = 60")
    let folder = try TemporaryFolder()
    try folder.write("store.db", bytes: builder.files()["store.db"] ?? [])
    let found = try await counts(folder)
    #expect(found["store.db pii.cn-mobile \(telling)"] == 360)
    #expect(found["store.db pii.cn-mobile \(silent)"] == nil)
  }

  @Test func `are found in every line of an export and every element of a list`() async throws {
    let folder = try TemporaryFolder()
    let rows = (0..<80).map { "\($0),\(Self.number($0)),Zk9$vQ2m!x\($0)P,\(Self.number($0))\n" }
    try folder.write("export.csv", "id,phone,password,amount\n" + rows.joined())
    let list = (0..<80).map { "\"\(Self.number($0))\"" }.joined(separator: ",\n")
    try folder.write("list.json", "{\"phones\": [\(list)], \"amounts\": [\(list)]}")
    let found = try await counts(folder)
    #expect(found["export.csv pii.cn-mobile phone"] == 80)
    #expect(found["export.csv secrets.generic-password password"] == 80)
    #expect(found["list.json pii.cn-mobile phones"] == 80)
    #expect(found.values.reduce(0, +) == 240)
  }

  @Test func `are found in a binary property list`() async throws {
    let folder = try TemporaryFolder()
    let list: [String: Any] = [
      "phone": Self.number(1), "amount": Self.number(2), "ssn2": "312-45-6789",
    ]
    let data = try PropertyListSerialization.data(
      fromPropertyList: list, format: .binary, options: 0)
    try folder.write("settings.plist", bytes: [UInt8](data))
    #expect(
      try await counts(folder) == [
        "settings.plist pii.cn-mobile phone": 1, "settings.plist pii.us-ssn ssn2": 1,
      ])
  }
}
