package import Findings
import Languages

/// The report for a person at a terminal: grouped by file, the gravest of a file first, 80 columns.
package struct TextReport: ReportFormat {
  package let name = "text"
  package let details: Report.Detail = .standards
  private let style: TextStyle
  /// Whether it says why checks were not evaluated: who asked for checks wants to know.
  private let showsReasons: Bool
  private var say = Phrasebook.english
  /// Findings of one rule in one file that are shown one by one; the rest is counted.
  private static let shownPerRule = 10
  private static let shownDiagnostics = 20
  /// Failed checks, and reasons of those not evaluated, that are shown.
  private static let shownFailures = 40
  private static let shownReasons = 4
  private static let width = 80

  package init(style: TextStyle, showsReasons: Bool = true) {
    self.style = style
    self.showsReasons = showsReasons
  }

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    var format = self
    format.say = Phrasebook.of(report.language)
    format.writeAll(report, to: &output)
  }

  private func writeAll(_ report: Report, to output: inout some TextOutputStream) {
    let groups = groups(of: report.findings)
    // Most files of a report have no finding.
    let found = Set(groups.map { $0[0].path })
    let inputs = Dictionary(
      report.inputs.lazy.filter { found.contains($0.path) }.map { ($0.path, $0) },
      uniquingKeysWith: { one, _ in one })
    for group in groups {
      writeFile(group, inputs[group[0].path], to: &output)
    }
    writeResults(report.results, to: &output)
    writeDiagnostics(report.diagnostics, to: &output)
    writeNotes(report.notes, to: &output)
    writeChance(report.scope.chanceHits, to: &output)
    writeControls(report, to: &output)
    writeSummary(report, to: &output)
  }

  /// The findings of each file; they come sorted by path.
  private func groups(of findings: [Finding]) -> [[Finding]] {
    var groups: [[Finding]] = []
    for finding in findings where finding.suppressed == nil {
      if groups.last?.first?.path.utf8.elementsEqual(finding.path.utf8) == true {
        groups[groups.count - 1].append(finding)
      } else {
        groups.append([finding])
      }
    }
    return groups
  }

  private func writeFile(
    _ findings: [Finding], _ input: InputRecord?, to output: inout some TextOutputStream
  ) {
    let about = input.map { "\($0.kind), \(say(Self.size($0.bytes)))" } ?? ""
    let path = findings[0].path
    // A long path keeps its line to itself.
    let gap = path.count + about.count < Self.width ? " " : "\n  "
    // A folder, or what is missing, has nothing to be told about.
    let rest = about.isEmpty ? "" : gap + style.dim(about)
    output.write(style.bold(TextStyle.shown(path)) + rest + "\n")
    var counts: [String: Int] = [:]
    let ordered = findings.enumerated().sorted { one, other in
      one.element.severity != other.element.severity
        ? one.element.severity > other.element.severity : one.offset < other.offset
    }
    for (_, finding) in ordered {
      counts[finding.rule, default: 0] += 1
      if counts[finding.rule, default: 0] <= Self.shownPerRule {
        writeFinding(finding, to: &output)
      }
    }
    for (rule, count) in counts.sorted(by: { $0.key < $1.key }) where count > Self.shownPerRule {
      output.write(
        style.dim("            " + say("\(count - Self.shownPerRule) more of \(rule)")) + "\n")
    }
    output.write("\n")
  }

  private func writeFinding(_ finding: Finding, to output: inout some TextOutputStream) {
    let severity = TextLayout.padded(say(finding.severity.rawValue), 10)
    output.write("  " + style.severity(finding.severity, severity))
    output.write(TextStyle.shown(say(finding.headline)))
    output.write(finding.sample.isEmpty ? "\n" : "  \(TextStyle.shown(finding.sample))\n")
    let indent = "            "
    // Without a value to show, what was found stands in the message.
    if finding.sample.isEmpty {
      for line in TextLayout.lines(of: finding.message, width: Self.width - indent.count) {
        output.write(indent + TextStyle.shown(line) + "\n")
      }
    }
    var details = [finding.rule]
    if finding.liveness != .live { details.append(say(finding.liveness.rawValue)) }
    details += finding.placeWords.map { say($0) }
    for line in TextLayout.joined(details, width: Self.width - indent.count) {
      output.write(indent + style.dim(line) + "\n")
    }
    if !finding.innerLocator.isEmpty {
      output.write(indent + style.dim(finding.innerLocator) + "\n")
    }
  }

  /// The outcomes of checks in numbers, the failures one by one, and of the rest why nobody can tell.
  private func writeResults(_ results: [RuleResult], to output: inout some TextOutputStream) {
    guard !results.isEmpty else { return }
    func count(_ outcome: RuleResult.Outcome) -> Int { results.count { $0.outcome == outcome } }
    var counts = say(
      "{} fail, {} pass, {} not evaluated", "\(count(.fail))", "\(count(.pass))",
      "\(count(.notEvaluated))")
    if !showsReasons, count(.notEvaluated) > 0 { counts += say(" (vestige check says why)") }
    output.write(style.bold(say("Checks")) + "  \(counts)\n")
    let failed = results.filter { $0.outcome == .fail }
    for result in failed.prefix(Self.shownFailures) {
      output.write("  " + style.bad(say("fail")) + "  \(result.rule)")
      output.write(result.path == "." ? "\n" : "  \(TextStyle.shown(result.path))\n")
      output.write("        " + style.dim(TextStyle.shown(result.reason)) + "\n")
    }
    if failed.count > Self.shownFailures {
      let left = failed.count - Self.shownFailures
      output.write("  " + say("\(left) more; --report json has them all") + "\n")
    }
    if showsReasons { writeReasons(results, to: &output) }
    output.write("\n")
  }

  /// Why checks were not evaluated, the most frequent reason first.
  private func writeReasons(_ results: [RuleResult], to output: inout some TextOutputStream) {
    var counts: [String: Int] = [:]
    for result in results where result.outcome == .notEvaluated {
      counts[result.reason, default: 0] += 1
    }
    let reasons = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    for (reason, count) in reasons.prefix(Self.shownReasons) {
      let lines = TextLayout.lines(
        of: say("{} not evaluated: {}", "\(count)", reason), width: Self.width - 2)
      for line in lines { output.write("  " + style.dim(TextStyle.shown(line)) + "\n") }
    }
    if reasons.count > Self.shownReasons {
      output.write(
        style.dim(
          "  "
            + say(
              "{} more reasons; --report json has them all", "\(reasons.count - Self.shownReasons)")
        )
          + "\n")
    }
  }

  private func writeDiagnostics(
    _ diagnostics: [Diagnostic], to output: inout some TextOutputStream
  ) {
    guard !diagnostics.isEmpty else { return }
    output.write(style.bold(say("Not looked at")) + "\n")
    for diagnostic in diagnostics.prefix(Self.shownDiagnostics) {
      output.write("  " + style.warning(TextLayout.padded(diagnostic.code.rawValue, 20)))
      output.write("\(TextStyle.shown(diagnostic.locator))\n")
      let indent = "            "
      for line in TextLayout.lines(of: diagnostic.message, width: Self.width - indent.count) {
        output.write(indent + TextStyle.shown(line) + "\n")
      }
      for line in TextLayout.lines(
        of: say("help: {}", diagnostic.remedy), width: Self.width - indent.count)
      {
        output.write(indent + style.dim(line) + "\n")
      }
    }
    if diagnostics.count > Self.shownDiagnostics {
      let left = diagnostics.count - Self.shownDiagnostics
      output.write("  " + say("\(left) more; --report json has them all") + "\n")
    }
    output.write("\n")
  }

  private func writeNotes(_ notes: [Note], to output: inout some TextOutputStream) {
    guard !notes.isEmpty else { return }
    output.write(style.bold(say("Notes")) + "\n")
    for note in notes.prefix(Self.shownDiagnostics) {
      let place = note.path + (note.line.map { ":\($0)" } ?? "")
      output.write("  " + TextLayout.padded(note.code.rawValue, 20) + TextStyle.shown(place) + "\n")
      for line in TextLayout.lines(
        of: note.message + say("; ") + note.remedy, width: Self.width - 12)
      {
        output.write("            " + TextStyle.shown(line) + "\n")
      }
    }
    if notes.count > Self.shownDiagnostics {
      let left = notes.count - Self.shownDiagnostics
      output.write("  " + say("\(left) more; --report json has them all") + "\n")
    }
    output.write("\n")
  }

  private func writeChance(_ records: [ChanceRecord], to output: inout some TextOutputStream) {
    guard !records.isEmpty else { return }
    output.write(style.bold(say("Seen, but too short to count without context")) + "\n")
    for record in records.prefix(Self.shownDiagnostics) {
      let expected = record.expected < 0.05 ? "under 0.1" : Self.decimal(record.expected)
      let seen = say(
        "\"{}\" as {}: {}; chance would show {}", TextStyle.shown(record.needle), record.form,
        say(Self.counted(record.seen, "time")), say(expected))
      output.write("  \(seen)\n")
    }
    output.write("\n")
  }

  private func writeSummary(_ report: Report, to output: inout some TextOutputStream) {
    let scope = report.scope
    func counted(_ count: Int, _ noun: String) -> String { say(Self.counted(count, noun)) }
    let searched = say(
      "{}, {}, and {} inside searched", counted(scope.files, "file"),
      say(Self.size(scope.bytes)),
      counted(scope.fragments, "value"))
    let with = say(
      "with {} and {} in {} ({} s)", counted(scope.rules, "rule"), counted(scope.needles, "needle"),
      counted(scope.forms, "form"), Self.decimal(report.run.seconds))
    output.write("\(searched)\n\(with)\n")
    let open = report.findings.filter { $0.suppressed == nil }
    let counts = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = open.count { $0.severity == severity }
      return count == 0 ? nil : style.severity(severity, say("\(count) \(severity.rawValue)"))
    }
    output.write(
      counted(open.count, "finding")
        + (counts.isEmpty ? "" : say(": ") + counts.joined(separator: say(", "))))
    let accepted = report.findings.count - open.count
    if accepted > 0 { output.write(say(", and {} accepted", "\(accepted)")) }
    let unread = report.diagnostics.count
    output.write((unread == 0 ? "" : say(", {} not looked at", "\(unread)")) + "\n")
    output.write(verdict(report) + "\n")
  }

  /// A number of things, in the right number.
  static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// The line that says how the run ended, with its first word in colour.
  private func verdict(_ report: Report) -> String {
    let verdict = say(report.verdict)
    let end = verdict.firstIndex { ":： ，".contains($0) } ?? verdict.endIndex
    let word = String(verdict[..<end])
    let rest = TextStyle.shown(String(verdict[end...]))
    return switch report.run.status {
    case 0: style.good(word) + rest
    case 1: style.bad(word) + rest
    case 3: style.warning(word) + rest
    default: verdict
    }
  }

  /// Which clauses open findings speak against: the HTML report has all of them.
  private func writeControls(_ report: Report, to output: inout some TextOutputStream) {
    let lines = ControlWords.failures(in: report)
    guard !lines.isEmpty else { return }
    output.write(style.bold(say("Findings speak against")) + "\n")
    for (standard, controls) in lines {
      let title = standard.title.text(in: report.language)
      output.write("  \(TextStyle.shown(title))\n")
      let names = controls.map(\.id).joined(separator: " ")
      for line in TextLayout.lines(of: names, width: Self.width - 12) {
        output.write("            " + style.dim(line) + "\n")
      }
    }
    output.write("\n")
  }

  /// Bytes in the unit a person would use.
  static func size(_ bytes: Int) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(bytes)
    var unit = 0
    while value >= 1_024, unit < units.count - 1 {
      value /= 1_024
      unit += 1
    }
    return unit == 0 ? "\(bytes) bytes" : "\(decimal(value)) \(units[unit])"
  }

  private static func decimal(_ value: Double) -> String {
    guard value.isFinite, value < 1e15 else { return "\(value)" }
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
