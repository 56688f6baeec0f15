import Bytes
import Findings
import RuleEngine

/// A ruling that can be told only when the whole unit was read, as the finding it may become.
struct WaitingRuling: Sendable {
  var ruling: Ruling
  var locator: String
  var finding: Finding
}

extension FindingMaker {
  /// Adds findings of checks, and returns what waits for the rest of its unit.
  func rulings(
    from scan: SourceScan, path: String, into findings: inout [Finding]
  ) -> [WaitingRuling] {
    var waiting: [WaitingRuling] = []
    for judged in scan.judged {
      let finding = finding(of: judged.ruling, judged, path: path)
      if judged.ruling.verdict == .waits || checks.checks[judged.ruling.check].isOnce {
        waiting.append(
          WaitingRuling(ruling: judged.ruling, locator: judged.locator, finding: finding))
      } else {
        findings.append(finding)
      }
    }
    return waiting
  }

  private func finding(
    of ruling: Ruling, _ judged: SourceScan.Judged, path: String
  ) -> Finding {
    let check = checks.checks[ruling.check]
    var finding = Finding(
      fingerprint: "", rule: check.id, title: check.title, severity: check.severity, message: "",
      remedy: check.remedy, path: path,
      locator: Locator(file: path).inside(judged.steps).description, ranges: judged.ranges,
      line: judged.line, liveness: judged.liveness, context: judged.context, needle: nil, form: nil,
      sample: "", controls: check.controls)
    apply(ruling, to: &finding)
    return finding
  }

  /// Writes into a finding what its ruling says.
  func apply(_ ruling: Ruling, to finding: inout Finding) {
    let names = Self.names(of: ruling)
    let clause: Check.Clause? =
      switch ruling.verdict {
      case .fails(let clause), .warns(let clause): clause
      case .waits: nil
      }
    if let clause {
      finding.severity = clause.severity
      finding.title = clause.message ?? finding.title
    }
    finding.sample = names.joined(separator: ", ")
    let place = finding.line.map { " in line \($0)" } ?? ""
    finding.message = finding.title + ": " + finding.sample + place
    let context = finding.context
    finding.fingerprint = key.fingerprint(
      of: [
        finding.rule, StableName.path(finding.path), context.member ?? "", context.table ?? "",
        context.symbol ?? "", ruling.fact.name,
      ] + ruling.sensitive, value: nil, bitsOfValue: 0)
  }

  /// What was seen, in names: of the fact, and of what in it is sensitive.
  private static func names(of ruling: Ruling) -> [String] {
    let fact = ruling.fact
    let isValue = fact.subject == .literal || fact.subject == .string
    let own = isValue ? masked(fact.name) : fact.name
    return [String(own.prefix(120))]
      + ruling.sensitive.prefix(4).filter { $0 != fact.name }.map {
        $0.allSatisfy { $0.isLetter || $0.isNumber || "_-. ".contains($0) } && $0.count <= 64
          ? $0 : masked($0)
      }
  }

  private static func masked(_ text: String) -> String {
    let bytes = Array(text.utf8)
    return Redaction.mask(bytes.span.bytes)
  }
}
