import Findings
import Languages

/// The report as the page's scripts read it (`Page/1-data.js`): rows instead of objects and texts that
/// come again by number, so that fifty thousand findings stay a small file. What the report says is in
/// its language already (`Report.translated`); the words of the page are added.
struct HTMLData {
  let report: Report
  private let say: Phrasebook
  private let titles: [String: String]
  private typealias Value = JSONWriter.Value

  init(_ report: Report, _ say: Phrasebook) {
    self.report = report
    self.say = say
    titles = Dictionary(
      report.rules.map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first })
  }

  func write(to output: inout some TextOutputStream) {
    var strings = StringTable()
    output.write("{\"findings\": [")
    list(report.findings.lazy.map { finding($0, &strings) }, to: &output)
    output.write(",\n\"results\": [")
    list(report.results.lazy.map { result($0, &strings) }, to: &output)
    output.write(",\n\"inputs\": [")
    list(report.inputs.lazy.map(input), to: &output)
    output.write(",\n\"diagnostics\": [")
    list(report.diagnostics.lazy.map(diagnostic), to: &output)
    output.write(",\n\"layouts\": [")
    list(layouts(&strings), to: &output)
    output.write(",\n\"notes\": [")
    list(report.notes.lazy.map(note), to: &output)
    if let proof = report.proof {
      output.write(",\n\"proof\": {\n")
      for line in JSONProof.members(of: proof) { output.write("\(line)\n") }
      output.write("}")
    }
    output.write(",\n\"components\": [")
    list(report.components.lazy.map(component), to: &output)
    output.write(",\n\"fingerprintKey\": \(Value.string(report.run.fingerprintKey).text)")
    output.write(",\n\"standards\": [")
    let outcomes = ControlOutcomes(report)
    list(report.standards.lazy.map { standard($0, outcomes) }, to: &output)
    output.write(",\n\"strings\": [")
    list(strings.texts.lazy.map(Value.string), to: &output)
    output.write(",\n\"words\": \(words.text)}\n")
  }

  private func list(_ values: some Sequence<Value>, to output: inout some TextOutputStream) {
    var separator = "\n"
    for value in values {
      output.write(separator)
      output.write(value.text)
      separator = ",\n"
    }
    output.write("]")
  }

  private var words: Value {
    .object(say.page.map { ($0.english, .string($0.translation)) })
  }

  private func finding(_ finding: Finding, _ strings: inout StringTable) -> Value {
    let says = finding.needle == nil && !finding.message.contains(finding.title)
    return .array([
      .string(finding.fingerprint), strings.number(finding.rule),
      .integer(Severity.allCases.firstIndex(of: finding.severity) ?? 0),
      strings.number(finding.path), .string(finding.innerLocator),
      .array(finding.ranges.prefix(16).flatMap { [.integer($0.offset), .integer($0.length)] }),
      .integer(finding.line ?? 0), strings.number(finding.liveness.rawValue),
      context(finding.context), .string(finding.needle ?? ""), .string(finding.form ?? ""),
      .string(finding.sample), strings.number(finding.controls.joined(separator: ", ")),
      finding.suppressed.map(suppression) ?? .integer(0),
      .array(finding.also.prefix(8).map(Value.string)),
      finding.excerpt.map(excerpt) ?? .integer(0), strings.number(finding.title),
      .string(says ? finding.message : ""), strings.number(finding.remedy),
    ])
  }

  private func context(_ context: Context) -> Value {
    .object([
      ("table", .optional(context.table)), ("column", .optional(context.column)),
      ("rowid", context.rowid.map(Value.integer)), ("page", context.page.map(Value.integer)),
      ("role", .optional(context.role)), ("frame", context.frame.map(Value.integer)),
      ("member", .optional(context.member)), ("section", .optional(context.section)),
      ("symbol", .optional(context.symbol)), ("key", .optional(context.key)),
      ("copyOf", .optional(context.copyOf)),
    ])
  }

  private func suppression(_ suppression: Suppression) -> Value {
    .array([
      .string(suppression.by.rawValue), .string(suppression.reason),
      .optional(suppression.until) ?? .null,
    ])
  }

  private func excerpt(_ excerpt: Excerpt) -> Value {
    .array([
      .integer(excerpt.source == .file ? 0 : 1), .integer(excerpt.offset), .string(excerpt.text),
    ])
  }

  private func result(_ result: RuleResult, _ strings: inout StringTable) -> Value {
    .array([
      strings.number(result.rule), .string(result.path), .string(result.outcome.rawValue),
      .string(result.reason), strings.number(titles[result.rule] ?? ""),
    ])
  }

  private func input(_ input: InputRecord) -> Value {
    .array([
      .string(input.path), .integer(input.bytes), .string(input.sha256 ?? ""),
      .string(input.kind), .string(input.encrypted.rawValue),
    ])
  }

  private func diagnostic(_ diagnostic: Diagnostic) -> Value {
    .array([
      .string(diagnostic.code.rawValue), .string(diagnostic.locator),
      .string(diagnostic.message), .string(diagnostic.remedy),
    ])
  }

  private func component(_ component: Component) -> Value {
    .array([
      .string(component.name), .string(component.version ?? ""), .string(component.manager),
      .string(component.licences.joined(separator: ", ")), .string(component.packageURL),
      .string(component.vulnerabilities.map(\.id).joined(separator: ", ")),
    ])
  }

  private func note(_ note: Note) -> Value {
    .array([
      .string(note.code.rawValue), .string(note.path), .integer(note.line ?? 0),
      .string(note.message), .string(note.remedy),
    ])
  }

  private func standard(_ standard: Standard, _ outcomes: ControlOutcomes) -> Value {
    .object([
      ("title", .string(standard.title.text(in: say.language) + " (\(standard.edition))")),
      ("note", .string(standard.note.text(in: say.language))),
      (
        "controls",
        .array(
          standard.controls.map { control in
            let outcome = outcomes.outcome(of: control)
            return .object([
              ("id", .string(control.id)), ("title", .string(control.title.text(in: say.language))),
              ("outcome", .string(outcome.verdict.rawValue)),
              ("through", .array(control.through.map(Value.string))),
              ("findings", .integer(outcome.findings + outcome.accepted)),
              ("checked", .string(ControlWords.checked(outcome, say))),
              ("evidence", .string(ControlWords.evidence(outcome, say))),
              ("uncovered", .string(control.uncovered.text(in: say.language))),
            ])
          })
      ),
    ])
  }
}

/// Texts that come again and again, each once.
struct StringTable {
  private(set) var texts: [String] = []
  /// By bytes: names that are equal as text, in two normal forms, are two names.
  private var numbers: [[UInt8]: Int] = [:]

  mutating func number(_ text: String) -> JSONWriter.Value {
    let bytes = Array(text.utf8)
    if let known = numbers[bytes] { return .integer(known) }
    numbers[bytes] = texts.count
    texts.append(text)
    return .integer(texts.count - 1)
  }
}
