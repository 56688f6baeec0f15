import Findings
import FixtureKit
import Reporting
import RuleEngine
import RulePacks
import Scanning

/// What tests look for, and how they scan.
enum Leak {
  static let text = "Orchid-Zebra-42"
  static let needle = Needle(id: "orchid", kind: .text, value: text)

  /// The packs that ship.
  static let rules = (try? RulePack.rules(in: RulePacks.files, checksPatterns: false)) ?? []

  /// A rule for tokens that no pack knows.
  static var rule: Rule {
    var rule = Rule(id: "test.token", title: "A token", severity: .high, remedy: "Remove it.")
    rule.pattern = "tok_(?<secret>[0-9A-Za-z]{12,40})"
    rule.anchors = [Array("tok_".utf8)]
    rule.examples.match = [Array("tok_8fK3mQ2xW9pL".utf8)]
    return rule
  }
}

extension TemporaryFolder {
  /// Scans the folder for the leak.
  func scan(
    needles: [Needle] = [Leak.needle], rules: [Rule] = [],
    _ change: (inout ScanOptions) -> Void = { _ in }
  ) async throws -> Report {
    var options = ScanOptions()
    options.paths = [path]
    options.needles = needles
    options.rules = rules
    change(&options)
    return try await Scanner(options).scan()
  }
}

extension Report {
  var codes: [Diagnostic.Code] { diagnostics.map(\.code) }
  var paths: [String] { findings.map(\.path) }

  /// The JSON report without the clock.
  var timeless: String {
    var report = self
    report.run.started = ""
    report.run.seconds = 0
    return JSONReport().render(report)
  }
}
