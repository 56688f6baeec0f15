import Findings
import FixtureKit
import Gate
import Reporting
import RuleEngine
import Scanning

/// What the tests of the gate look for, and how they scan and judge.
enum Gating {
  static let secret = "tok_8fK3mQ2xW9pL"
  static let needle = Needle(id: "orchid", kind: .text, value: "Orchid-Zebra-42")

  static func rule(_ id: String) -> Rule {
    var rule = Rule(id: id, title: "A token", severity: .high, remedy: "Remove it.")
    rule.pattern = "tok_(?<secret>[0-9A-Za-z]{12,40})"
    rule.anchors = [Array("tok_".utf8)]
    rule.examples.match = [Array(secret.utf8)]
    return rule
  }

  static func gate(_ policy: String = "", baseline: Baseline? = nil) throws -> Gate {
    Gate(
      policy: policy.isEmpty
        ? nil : try Policy(yaml: "policy: test\n" + policy, path: "policy.yaml"),
      baseline: baseline.map { ("baseline.yaml", $0) }, fingerprintKey: .published
    ) { name in
      name.contains("birth") ? ["birth"] : []
    }
  }
}

extension TemporaryFolder {
  func scan(_ change: (inout ScanOptions) -> Void = { _ in }) async throws -> Report {
    var options = ScanOptions()
    options.paths = [path]
    options.rules = [Gating.rule("test.token")]
    options.needles = [Gating.needle]
    change(&options)
    return try await Scanner(options).scan()
  }

  /// Scans the folder and judges what was found.
  func judged(_ policy: String = "", baseline: Baseline? = nil) async throws -> Report {
    var report = try await scan()
    try Gating.gate(policy, baseline: baseline).judge(&report)
    return report
  }
}

extension Report {
  /// Rules and paths of what nobody accepted.
  var open: [String] {
    findings.filter { $0.suppressed == nil }.map { "\($0.rule) \($0.path)" }
  }

  var outcomes: [String] { results.map { "\($0.rule) \($0.outcome.rawValue)" } }
}
