import Findings
import Languages

/// The first screen: passed or failed, why, what was looked at, and what was not. Plain markup, so that
/// it shows where scripts are off.
struct HTMLOverview {
  private let report: Report
  private let say: Phrasebook
  private let open: [Finding]

  init(_ report: Report, _ say: Phrasebook) {
    self.report = report
    self.say = say
    open = report.findings.filter { $0.suppressed == nil }
  }

  var title: String { "\(heading) · \(say("Vestige report"))" }

  private var verdict: String {
    switch report.run.status {
    case 0: "pass"
    case 1: "fail"
    default: "incomplete"
    }
  }

  private var heading: String {
    switch report.run.status {
    case 0: say("Passed")
    case 1: say("Failed")
    default: say("Incomplete")
    }
  }

  func write(to output: inout some TextOutputStream) {
    let roots = report.scope.roots.prefix(4).joined(separator: ", ")
    output.write("<header class=\"page\">\n<h1>\(Markup.text(say("Vestige report")))")
    if !roots.isEmpty { output.write(" · \(Markup.text(roots))") }
    output.write("</h1>\n<div class=\"verdict \(verdict)\" id=\"verdict\"><strong>")
    output.write("\(Markup.text(heading))</strong>")
    for line in reasons { output.write("<p>\(Markup.text(line))</p>") }
    output.write("</div>\n<div class=\"tiles\">\n")
    tile(say("Why"), worst, to: &output)
    tile(say("What was looked at"), lookedAt, to: &output)
    tile(say("What was not"), missed, to: &output)
    output.write(
      "</div>\n</header>\n<nav class=\"page\" aria-label=\"\(Markup.text(say("Sections")))\"><ul>")
    output.write(
      "<li><a href=\"#findings\">\(Markup.text(say("Findings"))) (\(open.count))</a></li>")
    for section in HTMLSection.of(report) {
      output.write("<li><a href=\"#\(section.id)\">\(Markup.text(say(section.title)))</a></li>")
    }
    output.write("</ul></nav>\n")
  }

  private func tile(_ title: String, _ lines: [String], to output: inout some TextOutputStream) {
    output.write("<div class=\"tile\"><h2>\(Markup.text(title))</h2><ul>")
    for line in lines { output.write("<li>\(Markup.text(line))</li>") }
    output.write("</ul></div>\n")
  }

  private var reasons: [String] {
    let threshold = report.run.failOn.map { say($0.rawValue) } ?? say("never")
    let at = report.run.failOn.map { limit in open.count { $0.severity >= limit } } ?? 0
    var lines: [String] = []
    switch report.run.status {
    case 0: lines.append(say("Nothing at or above {}, and everything was read.", threshold))
    case 1: lines.append(say("Findings at or above {}: {}", threshold, "\(at)"))
    case 3 where report.scope.files == 0: lines.append(say("Nothing was read."))
    default:
      lines.append(say("Nothing at or above {}, but not everything was read.", threshold))
    }
    if report.run.reveals { lines.append(say("Values are shown in clear: --reveal was given.")) }
    return lines
  }

  /// Counts, and the rules with most to say, the gravest first.
  private var worst: [String] {
    guard !open.isEmpty else {
      let accepted = report.findings.count
      return accepted == 0
        ? [say("Nothing was found.")] : [say("All findings are accepted: {}", "\(accepted)")]
    }
    var lines = [
      Severity.allCases.reversed().compactMap { severity -> String? in
        let count = open.count { $0.severity == severity }
        return count == 0 ? nil : "\(say(severity.rawValue)) \(count)"
      }.joined(separator: " · ")
    ]
    var groups: [String: (severity: Severity, count: Int, title: String)] = [:]
    for finding in open {
      let name = finding.needle.map { say("\"{}\" in clear", $0) } ?? finding.title
      var group = groups[name] ?? (finding.severity, 0, name)
      group.count += 1
      group.severity = max(group.severity, finding.severity)
      groups[name] = group
    }
    let ordered = groups.values.sorted {
      ($0.severity, $0.count, $1.title) > ($1.severity, $1.count, $0.title)
    }
    lines += ordered.prefix(5).map {
      say($0.severity.rawValue) + say(": ") + "\($0.title) × \($0.count)"
    }
    if ordered.count > 5 { lines.append(say("further kinds: {}", "\(ordered.count - 5)")) }
    let accepted = report.findings.count - open.count
    if accepted > 0 { lines.append(say("accepted: {}", "\(accepted)")) }
    return lines
  }

  private var lookedAt: [String] {
    let scope = report.scope
    var lines = [
      say("files: {} ({})", "\(scope.files)", say(TextReport.size(scope.bytes))),
      say("values inside them: {}", "\(scope.fragments)"),
      say("rules: {}", "\(scope.rules)"),
      say("needles: {}, in {} forms", "\(scope.needles)", "\(scope.forms)"),
    ]
    var kinds: [String: Int] = [:]
    for input in report.inputs { kinds[input.kind, default: 0] += 1 }
    let common = kinds.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(6)
    if !common.isEmpty {
      lines.append(common.map { "\($0.key) \($0.value)" }.joined(separator: " · "))
    }
    let decided = report.results.count
    if decided > 0 { lines.append(say("decisions of checklist rules: {}", "\(decided)")) }
    return lines
  }

  private var missed: [String] {
    var codes: [String: Int] = [:]
    for diagnostic in report.diagnostics { codes[diagnostic.code.rawValue, default: 0] += 1 }
    var lines = codes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map {
      "\(say($0.key)) × \($0.value)"
    }
    let encrypted = report.inputs.count { $0.encrypted == .yes }
    if encrypted > 0 { lines.append(say("files that are ciphertext: {}", "\(encrypted)")) }
    let open = report.results.count { $0.outcome == .notEvaluated }
    if open > 0 { lines.append(say("checks that could not be decided: {}", "\(open)")) }
    let chance = report.scope.chanceHits.count
    if chance > 0 {
      lines.append(say("short forms seen, too short to count: {}", "\(chance)"))
    }
    return lines.isEmpty ? [say("Nothing: every file was read to its end.")] : lines
  }
}
