package import Findings
import Languages

/// SARIF 2.1.0 (OASIS), within the limits that GitHub's code scanning sets on uploads.
package struct SARIFReport: ReportFormat {
  package let name = "sarif"

  /// GitHub refuses a run with more results.
  static let mostResults = 25_000
  /// Of these GitHub shows this many, the gravest first.
  static let shownResults = 5_000
  /// GitHub keeps this many tags of a rule.
  static let mostTags = 10
  /// GitHub refuses an upload that is larger when compressed (10 MB).
  static let mostBytes = 9_500_000
  private static let mostNotes = 1_000
  private static let mostAlso = 20

  package init() {}

  private typealias Value = JSONWriter.Value

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    let rules = describedRules(of: report)
    let numbers = Dictionary(uniqueKeysWithValues: rules.enumerated().map { ($1.id, $0) })
    let kept = keptFindings(of: report, rules, numbers)
    let say = Phrasebook.of(report.language)
    output.write(
      """
      {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
          "columnKind": "unicodeCodePoints",
          "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": \(JSONWriter.quoted(say("the scanned root")))}}},
          "tool": {"driver": {
            "name": "vestige", "version": \(JSONWriter.quoted(report.toolVersion)),
            "semanticVersion": \(JSONWriter.quoted(report.toolVersion)),
            "rules": [
      """)
    lines(rules.lazy.map(rule), to: &output, indent: "        ")
    output.write("\n      ]}},\n      \"invocations\": [\(invocation(report, kept.count).text)],\n")
    output.write("      \"results\": [")
    lines(
      kept.lazy.map { result($0, number: numbers[$0.rule] ?? 0) }, to: &output, indent: "        ")
    output.write("\n      ]\n  }]\n}\n")
  }

  private func lines(
    _ values: some Sequence<Value>, to output: inout some TextOutputStream, indent: String
  ) {
    var separator = "\n" + indent
    for value in values {
      output.write(separator + value.text)
      separator = ",\n" + indent
    }
  }

  /// Only rules that have a result: GitHub lists every rule of an upload.
  private func describedRules(of report: Report) -> [RuleDescription] {
    let used = Set(report.findings.map(\.rule))
    var described = report.rules.filter { used.contains($0.id) }
    let known = Set(described.map(\.id))
    var added: Set<String> = []
    for finding in report.findings
    where !known.contains(finding.rule) && added.insert(finding.rule).inserted {
      described.append(
        RuleDescription(
          id: finding.rule, title: finding.title, severity: finding.severity,
          remedy: finding.remedy, controls: finding.controls))
    }
    return described.sorted { $0.id < $1.id }
  }

  /// The findings that fit, the gravest first to stay and the accepted ones first to go, in the order
  /// of the report.
  private func keptFindings(
    of report: Report, _ rules: [RuleDescription], _ numbers: [String: Int]
  ) -> [Finding] {
    let meter = DeflateMeter()
    for rule in rules { meter.add(self.rule(rule).text) }
    meter.add(invocation(report, 0).text)
    var kept: [Int] = []
    for position in report.gravestPositions.prefix(Self.mostResults) {
      let finding = report.findings[position]
      meter.add(result(finding, number: numbers[finding.rule] ?? 0).text)
      guard meter.count < Self.mostBytes else { break }
      kept.append(position)
    }
    return kept.sorted().map { report.findings[$0] }
  }

  private func rule(_ rule: RuleDescription) -> Value {
    let tags = ["security"] + rule.controls.prefix(Self.mostTags - 1)
    return .object([
      ("id", .string(rule.id)), ("name", .string(rule.id)),
      ("shortDescription", text(rule.title)), ("fullDescription", text(rule.title)),
      (
        "help",
        .object([
          ("text", .string(rule.remedy)),
          ("markdown", .string("**\(rule.title)**\n\n\(rule.remedy)")),
        ])
      ),
      ("defaultConfiguration", .object([("level", .string(level(of: rule.severity)))])),
      (
        "properties",
        .object([
          ("tags", .array(tags.map(Value.string))), ("precision", .string("high")),
          ("security-severity", .string(score(of: rule.severity))),
        ])
      ),
    ])
  }

  private func text(_ text: String) -> Value { .object([("text", .string(text))]) }

  private func level(of severity: Severity) -> String {
    switch severity {
    case .low: "note"
    case .medium: "warning"
    case .high, .critical: "error"
    }
  }

  /// On GitHub's scale: over 9 is critical, 7 high, 4 medium.
  private func score(of severity: Severity) -> String {
    switch severity {
    case .low: "3.0"
    case .medium: "5.0"
    case .high: "8.0"
    case .critical: "9.5"
    }
  }

  private func result(_ finding: Finding, number: Int) -> Value {
    .object([
      ("ruleId", .string(finding.rule)), ("ruleIndex", .integer(number)),
      ("level", .string(level(of: finding.severity))),
      ("message", text("\(finding.message): \(finding.sample)")),
      ("locations", .array([location(of: finding)])),
      ("partialFingerprints", .object([("vestige/v1", .string(finding.fingerprint))])),
      (
        "suppressions",
        finding.suppressed.map { suppression in
          .array([
            .object([
              (
                "kind", .string(suppression.by == .comment ? "inSource" : "external")
              ), ("justification", .string(suppression.reason)),
            ])
          ])
        }
      ),
      (
        "properties",
        .object([
          ("severity", .string(finding.severity.rawValue)),
          ("liveness", .string(finding.liveness.rawValue)),
          ("needle", .optional(finding.needle)), ("form", .optional(finding.form)),
          ("remedy", .string(finding.remedy)),
          (
            "also",
            finding.also.isEmpty
              ? nil : .array(finding.also.prefix(Self.mostAlso).map(Value.string))
          ),
        ])
      ),
    ])
  }

  private func location(of finding: Finding) -> Value {
    .object([
      (
        "physicalLocation",
        .object([
          ("artifactLocation", artifact(finding.path)), ("region", region(of: finding)),
        ])
      ),
      (
        "logicalLocations",
        .array([
          .object([
            ("fullyQualifiedName", .string(finding.locator)), ("kind", .string("member")),
          ])
        ])
      ),
    ])
  }

  private func artifact(_ path: String) -> Value {
    .object([("uri", .string(Self.uri(path))), ("uriBaseId", .string("%SRCROOT%"))])
  }

  /// A region needs a line for GitHub to show it; bytes say it exactly.
  private func region(of finding: Finding) -> Value {
    let bytes = finding.ranges.first
    return .object([
      ("startLine", .integer(finding.line ?? 1)),
      ("byteOffset", bytes.map { .integer($0.offset) }),
      ("byteLength", bytes.map { .integer($0.length) }),
    ])
  }

  private func invocation(_ report: Report, _ kept: Int) -> Value {
    var notes = report.diagnostics.prefix(Self.mostNotes).map(notification)
    if report.diagnostics.count > Self.mostNotes {
      notes.append(
        warning("\(report.diagnostics.count - Self.mostNotes) more places were not looked at"))
    }
    if kept < report.findings.count {
      notes.append(
        warning("\(report.findings.count - kept) further results do not fit GitHub's limits"))
    }
    if kept > Self.shownResults {
      notes.append(warning("GitHub shows the gravest \(Self.shownResults) of these results"))
    }
    notes += report.notes.prefix(Self.mostNotes).map(notification)
    return .object([
      ("executionSuccessful", .boolean(report.run.status != 2)),
      ("exitCode", .integer(report.run.status)), ("startTimeUtc", .string(report.run.started)),
      ("toolExecutionNotifications", .array(notes)),
    ])
  }

  private func warning(_ message: String) -> Value {
    .object([("level", .string("warning")), ("message", text(message))])
  }

  private func notification(_ note: Note) -> Value {
    .object([
      ("descriptor", .object([("id", .string(note.code.rawValue))])), ("level", .string("note")),
      ("message", text("\(note.message); \(note.remedy)")),
      (
        "locations",
        .array([
          .object([
            (
              "physicalLocation",
              .object([
                ("artifactLocation", artifact(note.path)),
                ("region", note.line.map { .object([("startLine", .integer(max($0, 1)))]) }),
              ])
            )
          ])
        ])
      ),
    ])
  }

  private func notification(_ diagnostic: Diagnostic) -> Value {
    .object([
      ("descriptor", .object([("id", .string(diagnostic.code.rawValue))])),
      ("level", .string("warning")),
      ("message", text("\(diagnostic.locator): \(diagnostic.message); \(diagnostic.remedy)")),
      (
        "locations",
        .array([
          .object([
            ("physicalLocation", .object([("artifactLocation", artifact(diagnostic.path))]))
          ])
        ])
      ),
    ])
  }

  /// The path as a relative URI reference (RFC 3986): everything but unreserved characters and `/` is
  /// percent-encoded, once: what the path shows escaped are bytes.
  static func uri(_ path: String) -> String {
    let hexadecimal = Array("0123456789ABCDEF".utf8)
    var uri: [UInt8] = []
    for byte in PathText.bytes(of: path).drop(while: { $0 == UInt8(ascii: "/") }) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "/"):
        uri.append(byte)
      default:
        uri += [UInt8(ascii: "%"), hexadecimal[Int(byte >> 4)], hexadecimal[Int(byte & 15)]]
      }
    }
    return String(decoding: uri, as: UTF8.self)
  }
}
