package import Findings
import Languages

/// A summary in GitHub's Markdown for a job's page or a merge request: short, what nobody accepted yet
/// first, and never more than a page.
package struct MarkdownReport: ReportFormat {
  package let name = "markdown"
  package let details: Report.Detail = .standards
  private var say = Phrasebook.english
  /// Address that a path is appended to, up to and with the last `/`; without one nothing is a link.
  private let links: String?

  private static let shownFindings = 50
  private static let shownDiagnostics = 20
  private static let shownReasons = 10

  package init(links: String? = nil) {
    self.links = links
  }

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    var format = self
    format.say = Phrasebook.of(report.language)
    format.writeAll(report, to: &output)
  }

  private func writeAll(_ report: Report, to output: inout some TextOutputStream) {
    output.write("## Vestige: \(say(report.verdict))\n\n")
    writeCounts(report, to: &output)
    writeFindings(report, to: &output)
    writeAccepted(report, to: &output)
    writeControls(report, to: &output)
    writeDiagnostics(report, to: &output)
    writeNotes(report, to: &output)
  }

  private func writeCounts(_ report: Report, to output: inout some TextOutputStream) {
    let open = report.findings.filter { $0.suppressed == nil }
    let counts = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = open.count { $0.severity == severity }
      return count == 0 ? nil : say("\(count) \(severity.rawValue)")
    }
    let scope = report.scope
    func counted(_ count: Int, _ noun: String) -> String { say(TextReport.counted(count, noun)) }
    output.write("- \(counted(open.count, "finding"))")
    output.write(counts.isEmpty ? "" : say(": ") + counts.joined(separator: say(", ")))
    output.write(say("; {} accepted", "\(report.findings.count - open.count)") + "\n")
    let searched = say(
      "{}, {}, searched with {} and {}; {} not looked at", counted(scope.files, "file"),
      TextReport.size(scope.bytes), counted(scope.rules, "rule"), counted(scope.needles, "needle"),
      "\(report.diagnostics.count)")
    output.write("- \(searched)\n")
    let outcomes = RuleResult.Outcome.allCases.map { outcome in
      say("\(report.results.count { $0.outcome == outcome }) \(Self.word(outcome))")
    }
    if !report.results.isEmpty {
      output.write("- \(say("checks: {}", outcomes.joined(separator: say(", "))))\n")
    }
    if let policy = report.run.policy { output.write("- \(say("policy {}", Self.code(policy)))\n") }
  }

  private static func word(_ outcome: RuleResult.Outcome) -> String {
    switch outcome {
    case .pass: "passed"
    case .fail: "failed"
    case .notEvaluated: "not evaluated"
    }
  }

  private func writeFindings(_ report: Report, to output: inout some TextOutputStream) {
    let open = report.gravestFirst.filter { $0.suppressed == nil }
    guard !open.isEmpty else { return }
    output.write(
      "\n| \(say("severity")) | \(say("what")) | \(say("where")) |\n| --- | --- | --- |\n")
    for finding in open.prefix(Self.shownFindings) {
      let mark = report.fails(finding) ? "**" : ""
      output.write("| \(mark)\(say(finding.severity.rawValue))\(mark) ")
      output.write("| \(Self.plain(say(finding.headline))) \(Self.code(finding.sample))")
      output.write("<br>\(Self.code(finding.rule)) | \(place(finding, report)) |\n")
    }
    if open.count > Self.shownFindings {
      let left = open.count - Self.shownFindings
      output.write("\n" + say("\(left) more; the JSON report has them all.") + "\n")
    }
  }

  private func place(_ finding: Finding, _ report: Report) -> String {
    let name = Self.code(finding.path + (finding.line.map { ":\($0)" } ?? ""))
    var place = name
    if let links, let root = Self.folder(of: report) {
      let line = finding.line.map { "#L\($0)" } ?? ""
      place = "[\(name)](\(links)\(SARIFReport.uri(root + finding.path))\(line))"
    }
    var words = finding.placeWords.filter { !$0.hasPrefix("line ") }
    words = words.map { say($0) }
    if finding.liveness != .live { words.insert(say(finding.liveness.rawValue), at: 0) }
    if !finding.innerLocator.isEmpty { words.append(finding.innerLocator) }
    return ([place] + words.map(Self.code)).joined(separator: "<br>")
  }

  /// The folder that paths are relative to, below the folder of the job, where that is known: one
  /// relative root, from which no path leads out.
  private static func folder(of report: Report) -> String? {
    let roots = report.scope.roots
    guard roots.allSatisfy({ !$0.hasPrefix("/") && !$0.split(separator: "/").contains("..") })
    else { return nil }
    guard roots.count == 1, let root = roots.first else { return "" }
    let steps = root.split(separator: "/").filter { $0 != "." }
    // A single file is its own root, and its name is its path.
    if report.inputs.count == 1, let only = report.inputs.first, root.hasSuffix(only.path) {
      return steps.dropLast().map { $0 + "/" }.joined()
    }
    return steps.map { $0 + "/" }.joined()
  }

  private func writeAccepted(_ report: Report, to output: inout some TextOutputStream) {
    let reasons = report.findings.compactMap(\.acceptance)
    guard !reasons.isEmpty else { return }
    let counts = Dictionary(reasons.map { ($0, 1) }, uniquingKeysWith: +)
      .sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
    output.write("\n<details><summary>\(say("{} accepted", "\(reasons.count)"))</summary>\n\n")
    for (reason, count) in counts.prefix(Self.shownReasons) {
      output.write("- \(count) × \(Self.plain(say(reason)))\n")
    }
    if counts.count > Self.shownReasons {
      output.write("- " + say("and {} more reasons", "\(counts.count - Self.shownReasons)") + "\n")
    }
    output.write("\n</details>\n")
  }

  /// Clauses that open findings speak against, and what a tool does not see of them.
  private func writeControls(_ report: Report, to output: inout some TextOutputStream) {
    let lines = ControlWords.failures(in: report)
    guard !lines.isEmpty else { return }
    output.write("\n<details><summary>\(say("Findings speak against"))</summary>\n\n")
    for (standard, controls) in lines {
      output.write("**\(Self.plain(standard.title.text(in: report.language)))**\n\n")
      for control in controls {
        output.write("- \(control.id) \(Self.plain(control.title.text(in: report.language)))\n")
      }
      output.write("\n")
    }
    output.write("</details>\n")
  }

  private func writeDiagnostics(_ report: Report, to output: inout some TextOutputStream) {
    guard !report.diagnostics.isEmpty else { return }
    output.write(
      "\n### \(say("Not looked at"))\n\n| \(say("kind")) | \(say("where")) | \(say("why")) |\n"
        + "| --- | --- | --- |\n")
    for diagnostic in report.diagnostics.prefix(Self.shownDiagnostics) {
      output.write(
        "| \(diagnostic.code.rawValue) | \(Self.code(diagnostic.locator))"
          + " | \(Self.plain(diagnostic.message))\(say("; "))\(Self.plain(diagnostic.remedy)) |\n")
    }
    if report.diagnostics.count > Self.shownDiagnostics {
      output.write(
        "\n" + say("{} more", "\(report.diagnostics.count - Self.shownDiagnostics)") + "\n")
    }
  }

  private func writeNotes(_ report: Report, to output: inout some TextOutputStream) {
    guard !report.notes.isEmpty else { return }
    output.write("\n### \(say("Notes"))\n\n")
    for note in report.notes.prefix(Self.shownDiagnostics) {
      let place = note.path + (note.line.map { ":\($0)" } ?? "")
      output.write(
        "- \(Self.code(place)) \(Self.plain(note.message))\(say("; "))\(Self.plain(note.remedy))\n")
    }
    if report.notes.count > Self.shownDiagnostics {
      output.write("- " + say("{} more", "\(report.notes.count - Self.shownDiagnostics)") + "\n")
    }
  }

  private static let longest = 240

  /// Text from outside, cut to what a table can show.
  private static func short(_ text: String) -> String {
    let scalars = TextStyle.shown(text).unicodeScalars
    guard scalars.count > longest else { return String(scalars) }
    return String(String.UnicodeScalarView(scalars.prefix(longest))) + "…"
  }

  /// Text from outside as code: nothing in it means anything.
  static func code(_ text: String) -> String {
    let text = short(text).replacing("|", with: "\\|")
    guard !text.allSatisfy(\.isWhitespace) else { return "–" }
    let longestRun = text.split(whereSeparator: { $0 != "`" }).map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: longestRun + 1)
    let pad = text.hasPrefix("`") || text.hasSuffix("`") ? " " : ""
    return fence + pad + text + pad + fence
  }

  /// Text from outside as text: marks of Markdown, of HTML and of mentions are entities.
  static func plain(_ text: String) -> String {
    var plain = ""
    for scalar in short(text).unicodeScalars {
      if "\\`*_[]<>|~@&#$".unicodeScalars.contains(scalar) {
        plain += "&#\(scalar.value);"
      } else {
        plain.unicodeScalars.append(scalar)
      }
    }
    return plain
  }
}
