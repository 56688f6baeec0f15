import Findings
import FixtureKit
import Foundation
import RuleEngine
import Scanning
import Testing

/// Several rules may know one value: by its shape, by where it stands, by the name before it.
@Suite struct `A value that several rules know` {
  @Test(arguments: [
    ("email: zhao_my@qq.com\n", "pii.email-personal"),
    ("{\"userEmail\":\"m.zhao@harbor9.net\"}", "pii.email-field"),
    ("birthday\t19870412\n", "pii.birth-date"),
    ("aesKey=7ddb42eb95e0398da6c2511c4dcedbdd\n", "keys.hex-key"),
    (
      "encryption private_key=f06e9695e6750ed8d6d4341babc67c9b99c075463861617030264d6d5e55068a\n",
      "keys.hex-private-key"
    ),
    (
      "PRAGMA key = \"x'bb8a0fc5ddc116607d8359d76ec60b18c44cd6e1205779df2e760b7a7d084b16'\"",
      "keys.sqlcipher-pragma-key"
    ),
    ("git clone https://deploy:r7W-qPz93xK@git.harbor9.net/app.git", "secrets.basic-auth-url"),
    ("https://dev7:r7WqPz93xKvT@gitee.com\n", "secrets.git-credentials"),
    ("facebook_app_secret='df37070288c4b310485aa30048af48d1'", "secrets.facebook-app-secret"),
    ("wx_app_secret = \"0509cd2f82a349e500290349f2a64a36\"", "secrets.wechat-app-secret"),
    ("call tel:+86 139 6821 4507", "pii.cn-mobile-international"),
    ("passport_no: \"EJ4719308\"", "pii.cn-passport"),
    ("passport_no: \"548201937\"", "pii.passport-number"),
  ])
  func `is told of once, by the rule that knows it best`(text: String, rule: String) async throws {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", text)
    let report = try await folder.scan(needles: [], rules: Leak.rules)
    #expect(report.findings.map(\.rule) == [rule])
  }

  @Test func `is told of by the rule that is left where the better one is not in effect`()
    async throws
  {
    let folder = try TemporaryFolder()
    try folder.write("a.txt", "email: zhao_my@qq.com\n")
    let rules = Leak.rules.filter { $0.id != "pii.email-personal" }
    #expect(
      try await folder.scan(needles: [], rules: rules).findings.map(\.rule) == ["pii.email-field"])
  }

  /// Every rule's own examples are leaks; of each value in them one finding is enough.
  @Test func `is told of once in the examples of all rules`() async throws {
    let folder = try TemporaryFolder()
    for rule in Leak.rules {
      for (index, example) in rule.examples.match.enumerated() {
        try folder.write("\(rule.id).\(index)", bytes: example)
      }
    }
    let report = try await folder.scan(needles: [], rules: Leak.rules)
    var doubles: Set<String> = []
    var told: [String: Set<String>] = [:]
    for (path, findings) in Dictionary(grouping: report.findings, by: \.path) {
      told[path] = Set(findings.map(\.rule))
      for one in findings {
        for other in findings where one.rule < other.rule && Self.shareBytes(one, other) {
          doubles.insert("\(path): \(one.rule), \(other.rule)")
        }
      }
    }
    #expect(doubles.isEmpty)
    // No example is silent: what gives way does so to another finding.
    for rule in Leak.rules {
      for index in rule.examples.match.indices {
        #expect(told["\(rule.id).\(index)"]?.isEmpty == false, "\(rule.id) \(index)")
      }
    }
  }

  private static func shareBytes(_ one: Finding, _ other: Finding) -> Bool {
    one.ranges.contains { range in
      other.ranges.contains { $0.offset < range.end && range.offset < $0.end }
    }
  }

  /// All of the encoded text is the range of what was decoded from it: two values in it are two.
  @Test func `is not taken for another that was decoded from the same text`() async throws {
    let rule = try #require(Leak.rules.first { $0.id == "secrets.github-token" })
    let token = String(decoding: try #require(rule.examples.match.first), as: UTF8.self)
    let text = "password = \"Zk9vQ2m-xP4t\"\n\(token)\n"
    let folder = try TemporaryFolder()
    try folder.write("a.txt", text)
    try folder.write("b.txt", "blob: \(Data(text.utf8).base64EncodedString())\n")
    let report = try await folder.scan(needles: [], rules: Leak.rules)
    let plain = report.findings.filter { $0.path == "a.txt" }.map(\.rule).sorted()
    #expect(plain == ["secrets.generic-password", "secrets.github-token"])
    #expect(report.findings.filter { $0.path == "b.txt" }.map(\.rule).sorted() == plain)
  }

  @Test func `names only rules that there are`() {
    let ids = Set(Leak.rules.map(\.id))
    for rule in Leak.rules {
      #expect(ids.isSuperset(of: rule.givesWayTo), "\(rule.id)")
      #expect(!rule.givesWayTo.contains(rule.id))
    }
  }
}
