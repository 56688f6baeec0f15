import Findings
import FixtureKit
import RuleEngine
import RulePacks
import Scanning
import Testing

@Suite struct `App bundles` {
  private static let checks =
    (try? RulePack(
      RulePacks.files.filter { $0.path.hasPrefix("binary/") || $0.path.hasPrefix("bundle/") },
      checksPatterns: false))?.checks ?? []

  private func report(
    _ bundle: BundleFixture, isPacked: Bool = false, needles: [Needle] = [Leak.needle]
  ) async throws -> Report {
    let folder = try TemporaryFolder()
    if isPacked {
      try folder.write("Tidal.ipa", bytes: bundle.archive())
    } else {
      for file in bundle.files() { try folder.write("Payload/" + file.path, bytes: file.bytes) }
    }
    let lexicon = try LexiconFile.lexicon(of: RulePacks.lexicon)
    return try await folder.scan(needles: needles) {
      $0.checks = Self.checks
      $0.lexicon = lexicon
    }
  }

  @Test(arguments: [false, true])
  func `that do as they should pass, and each leak planted in one is found`(
    isPacked: Bool
  ) async throws {
    #expect(Self.checks.count > 20)
    let unit = isPacked ? "Tidal.ipa!/Payload/Tidal.app" : "Payload/Tidal.app"
    let clean = try await report(BundleFixture(), isPacked: isPacked)
    #expect(clean.findings.map(\.rule) == [])
    #expect(clean.codes == [])
    for rule in ["bundle.purpose-string-missing", "bundle.privacy-reason-missing"] {
      #expect(clean.results.first { $0.rule == rule && $0.path == unit }?.outcome == .pass)
    }
    let cases: [(rule: String, change: (inout BundleFixture) -> Void)] = [
      ("bundle.purpose-string-missing", { $0.info = "" }),
      ("bundle.privacy-reason-missing", { $0.reasons = [] }),
      ("bundle.privacy-reason-wrong", { $0.reasons = [("UserDefaults", "C617.1")] }),
      ("binary.debuggable", { $0.entitlements = "<key>get-task-allow</key><true/>" }),
      (
        "bundle.keychain-group-wildcard",
        {
          $0.entitlements =
            "<key>keychain-access-groups</key><array><string>A1B2C3D4E5.*</string></array>"
        }
      ),
      (
        "bundle.transport-security",
        {
          $0.info +=
            "<key>NSAppTransportSecurity</key><dict><key>NSAllowsArbitraryLoads</key><true/></dict>"
        }
      ),
    ]
    for (rule, change) in cases {
      var bundle = BundleFixture()
      change(&bundle)
      let report = try await report(bundle, isPacked: isPacked)
      #expect(report.findings.map(\.rule) == [rule])
      #expect(!clean.results.contains { $0.rule == rule && $0.outcome == .fail })
      #expect(report.results.first { $0.rule == rule && $0.path == unit }?.outcome == .fail)
    }
  }

  @Test func `with less than a violation are warned of and pass`() async throws {
    let cases: [(rule: String, change: (inout BundleFixture) -> Void)] = [
      (
        "bundle.purpose-string-unused",
        {
          $0.info +=
            "<key>NSContactsUsageDescription</key><string>Finds friends of yours.</string>"
        }
      ),
      ("bundle.device-list", { $0.devices = 13 }),
      (
        "bundle.entitlement-unused",
        { $0.entitlements = "<key>com.apple.developer.healthkit</key><true/>" }
      ),
      ("binary.log-calls", { $0.imports.append("_NSLog") }),
      ("bundle.privacy-collected", { $0.imports.append("_OBJC_CLASS_$_ASIdentifierManager") }),
    ]
    for (rule, change) in cases {
      var bundle = BundleFixture()
      change(&bundle)
      let report = try await report(bundle)
      #expect(report.findings.map(\.rule) == [rule])
      #expect(report.findings.allSatisfy { $0.severity == .low })
      #expect(report.results.first { $0.rule == rule }?.outcome == .pass)
    }
  }

  @Test func `that are encrypted for the store say what could not be told`() async throws {
    var bundle = BundleFixture()
    bundle.isEncrypted = true
    let report = try await report(bundle)
    let result = try #require(report.results.first { $0.rule == "binary.broken-cipher" })
    #expect(result.outcome == .notEvaluated)
    #expect(result.reason.contains("encrypted"))
    // Its imports are not encrypted.
    #expect(
      report.results.first { $0.rule == "bundle.purpose-string-missing" }?.outcome == .pass)
  }

  @Test(arguments: [false, true])
  func `hide no protected value in instructions`(isPacked: Bool) async throws {
    let needle = Needle(id: "light", kind: .text, value: "harbour-light")
    let report = try await report(BundleFixture(), isPacked: isPacked, needles: [needle])
    let finding = try #require(report.findings.first)
    #expect(report.findings.count == 1)
    #expect(finding.needle == "light")
    #expect(finding.context.section == "__TEXT,__text")
    #expect(finding.context.symbol == "_unlock")
    #expect(finding.locator.contains("/Tidal.app/Tidal!/section/__TEXT,__text/immediate/"))
    // One that is not there is not found.
    let other = try await self.report(BundleFixture(), isPacked: isPacked)
    #expect(other.findings.isEmpty)
  }

  @Test func `name the section of a protected value among their texts`() async throws {
    let needle = Needle(id: "text", kind: .text, value: "nothing to see")
    let report = try await report(BundleFixture(), needles: [needle])
    let finding = try #require(report.findings.first)
    #expect(finding.context.section == "__TEXT,__cstring")
    #expect(finding.locator == "Payload/Tidal.app/Tidal!/section/__TEXT,__cstring")
    #expect(finding.ranges.count == 1)
  }
}
