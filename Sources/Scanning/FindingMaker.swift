import Bytes
import Findings
import RuleEngine

/// Turns sights into findings: names, severity, message, fingerprint.
struct FindingMaker: Sendable {
  let engine: Engine
  let checks: CheckSet
  let key: FingerprintKey

  func findings(from scan: SourceScan, path: String) -> [Finding] {
    let locator = Locator(file: path)
    let veil = ValueVeil(scan.sights.map(\.sighting.plain))
    return scan.sights.map { sight in
      var finding =
        switch sight.sighting.subject {
        case .rule(let index): finding(engine.rules[index], sight, path: path, locator)
        case .needle(let index): finding(engine.needles[index], sight, path: path, locator)
        }
      if !veil.isEmpty { finding.coverNames(veil.cover) }
      return finding
    }
  }

  private func finding(
    _ rule: Rule, _ sight: SourceScan.Sight, path: String, _ locator: Locator
  ) -> Finding {
    Finding(
      fingerprint: key.fingerprint(
        of: [rule.id] + identity(of: sight, path: path), value: sight.sighting.digest,
        bitsOfValue: Self.bits(of: rule)),
      rule: rule.id, title: rule.title, severity: rule.severity,
      message: "\(rule.title) in \(Self.place(of: sight))", remedy: rule.remedy, path: path,
      locator: locator.inside(sight.steps).description, ranges: sight.ranges, line: sight.line,
      liveness: sight.liveness, context: sight.context, needle: nil, form: nil,
      sample: sight.sighting.revealed ?? sight.sighting.sample, controls: rule.controls,
      suppressed: Self.suppression(of: sight), also: also(of: sight, locator))
  }

  private func finding(
    _ needle: Needle, _ sight: SourceScan.Sight, path: String, _ locator: Locator
  ) -> Finding {
    let form = sight.sighting.form ?? ""
    return Finding(
      fingerprint: key.fingerprint(
        of: [needle.rule, needle.id] + identity(of: sight, path: path), value: nil, bitsOfValue: 0),
      rule: needle.rule, title: "Protected value in clear", severity: needle.severity,
      message: "protected value \"\(needle.id)\" as \(form) in \(Self.place(of: sight))",
      remedy: "Keep the value encrypted; remove this copy, and what deleted copies lie in.",
      path: path, locator: locator.inside(sight.steps).description, ranges: sight.ranges,
      line: sight.line, liveness: sight.liveness, context: sight.context, needle: needle.id,
      form: form, sample: sight.sighting.revealed ?? sight.sighting.sample, controls: Self.controls,
      suppressed: Self.suppression(of: sight), also: also(of: sight, locator))
  }

  /// Controls that a protected value in clear speaks to (CHECKLIST §4, "plaintext at rest").
  private static let controls = [
    "MASVS-STORAGE-1", "PIPL-51", "GBT35273-6.3", "GDPR-32", "NIST-SC-28", "PCI-3.5.1",
    "ISO-A.8.24",
  ]

  /// What a given key opened is where it should be: it is reported, and is no leak.
  private static func suppression(of sight: SourceScan.Sight) -> Suppression? {
    guard sight.steps.contains("decrypted") else { return nil }
    return Suppression(by: .policy, reason: "inside ciphertext that a given key opens")
  }

  private func also(of sight: SourceScan.Sight, _ locator: Locator) -> [String] {
    Set(sight.also.map { locator.inside($0).description }).sorted()
  }

  /// What says where a finding is without naming an offset, a page or a line.
  private func identity(of sight: SourceScan.Sight, path: String) -> [String] {
    [
      path, sight.context.member ?? "", sight.context.table ?? "", sight.context.column ?? "",
      sight.context.key ?? "", sight.liveness == .live ? "live" : "residue",
    ]
  }

  /// How hard the values of a rule are to guess, in bits, at the least.
  private static func bits(of rule: Rule) -> Double {
    rule.id.hasPrefix("pii.") || rule.id.contains("password") ? 0 : FingerprintKey.guessableBelow
  }

  /// The place in words.
  private static func place(of sight: SourceScan.Sight) -> String {
    let context = sight.context
    var words: [String] = []
    if sight.liveness != .live { words.append("\(sight.liveness.rawValue) bytes of") }
    if let table = context.table {
      words.append("table \(table)" + (context.column.map { ", column \($0)" } ?? ""))
    } else if let section = context.section {
      words.append("section \(section)")
    } else if let member = context.member {
      words.append("member \(member)")
    } else if let key = context.key {
      words.append("the value of \(key)")
    } else if let line = sight.line {
      words.append("line \(line)")
    } else if let role = context.role {
      words.append("a \(role) page")
    } else {
      words.append("the file")
    }
    return words.joined(separator: " ")
  }
}
