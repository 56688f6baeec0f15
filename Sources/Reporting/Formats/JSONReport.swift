package import Findings

/// The report as INTERFACE.md, "Report", lays it down: one line a finding, so that it can be compared
/// line by line.
package struct JSONReport: ReportFormat {
  package let name = "json"

  package init() {}

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    output.write("{\n")
    output.write("  \"schema\": \"\(ReportFile.schema)\",\n")
    member("tool", tool(report), to: &output)
    member("run", run(report.run), to: &output)
    member("scope", scope(report.scope), to: &output)
    list("inputs", report.inputs.lazy.map(input), to: &output)
    list("findings", report.findings.lazy.map(finding), to: &output)
    list("results", report.results.lazy.map(result), to: &output)
    list("diagnostics", report.diagnostics.lazy.map(diagnostic), to: &output)
    list("notes", report.notes.lazy.map(note), to: &output)
    list("components", report.components.lazy.map(component), to: &output)
    list(
      "rules", report.rules.lazy.map(rule), to: &output, isLast: report.proof == nil)
    if let proof = report.proof {
      output.write("  \"proof\": {\n")
      for line in JSONProof.members(of: proof) { output.write("    \(line)\n") }
      output.write("  }\n")
    }
    output.write("}\n")
  }

  private typealias Value = JSONWriter.Value

  private func member(_ name: String, _ value: Value, to output: inout some TextOutputStream) {
    output.write("  \(JSONWriter.quoted(name)): \(value.text),\n")
  }

  private func list(
    _ name: String, _ values: some Sequence<Value>, to output: inout some TextOutputStream,
    isLast: Bool = false
  ) {
    output.write("  \(JSONWriter.quoted(name)): [")
    var separator = "\n    "
    for value in values {
      output.write(separator + value.text)
      separator = ",\n    "
    }
    output.write(separator == "\n    " ? "]" : "\n  ]")
    output.write(isLast ? "\n" : ",\n")
  }

  private func component(_ component: Component) -> Value {
    .object([
      ("name", .string(component.name)), ("version", .optional(component.version)),
      ("manager", .string(component.manager)), ("purl", .string(component.packageURL)),
      ("revision", .optional(component.revision)), ("sha256", .optional(component.sha256)),
      ("licences", .array(component.licences.map(Value.string))),
      ("places", .array(component.places.map(Value.string))),
      ("vulnerabilities", .array(component.vulnerabilities.map(vulnerability))),
    ])
  }

  private func vulnerability(_ vulnerability: Vulnerability) -> Value {
    .object([
      ("id", .string(vulnerability.id)),
      ("aliases", .array(vulnerability.aliases.map(Value.string))),
      ("summary", .string(vulnerability.summary)),
      ("severity", .string(vulnerability.severity.rawValue)),
      ("fixed", .array(vulnerability.fixed.map(Value.string))),
    ])
  }

  private func tool(_ report: Report) -> Value {
    .object([("name", .string("vestige")), ("version", .string(report.toolVersion))])
  }

  private func run(_ run: Report.Run) -> Value {
    .object([
      ("started", .string(run.started)), ("seconds", .number(run.seconds)),
      ("status", .integer(run.status)), ("failOn", .string(run.failOn?.rawValue ?? "never")),
      ("reveal", .boolean(run.reveals)), ("policy", .optional(run.policy) ?? .null),
      ("baseline", .optional(run.baseline) ?? .null),
      ("fingerprintKey", .string(run.fingerprintKey)),
      ("allow", .array(run.allowed.map(\.rawValue).sorted().map(Value.string))),
      ("shard", run.shard.map(shard) ?? .null),
    ])
  }

  private func shard(_ shard: Report.Shard) -> Value {
    .object([("index", .integer(shard.index)), ("count", .integer(shard.count))])
  }

  private func scope(_ scope: Report.Scope) -> Value {
    .object([
      ("roots", .array(scope.roots.map(Value.string))), ("files", .integer(scope.files)),
      ("bytes", .integer(scope.bytes)), ("fragments", .integer(scope.fragments)),
      ("needles", .integer(scope.needles)), ("forms", .integer(scope.forms)),
      ("rules", .integer(scope.rules)),
      (
        "chanceHits",
        .array(
          scope.chanceHits.map { record in
            .object([
              ("needle", .string(record.needle)), ("form", .string(record.form)),
              ("seen", .integer(record.seen)), ("expected", .number(record.expected)),
              ("bits", .exact(record.bits)),
            ])
          })
      ),
    ])
  }

  private func input(_ input: InputRecord) -> Value {
    .object([
      ("path", .string(input.path)), ("bytes", .integer(input.bytes)),
      ("sha256", .optional(input.sha256) ?? .null), ("kind", .string(input.kind)),
      ("encrypted", .string(input.encrypted.rawValue)), ("sameAs", .optional(input.sameAs)),
      ("layout", input.layout.map(JSONLayout.value)),
    ])
  }

  private func finding(_ finding: Finding) -> Value {
    .object([
      ("fingerprint", .string(finding.fingerprint)), ("rule", .string(finding.rule)),
      ("title", .string(finding.title)), ("severity", .string(finding.severity.rawValue)),
      ("message", .string(finding.message)), ("remedy", .string(finding.remedy)),
      ("path", .string(finding.path)), ("locator", .string(finding.locator)),
      (
        "ranges",
        .array(
          finding.ranges.map { range in
            .object([("offset", .integer(range.offset)), ("length", .integer(range.length))])
          })
      ),
      ("line", finding.line.map(Value.integer)), ("liveness", .string(finding.liveness.rawValue)),
      ("context", context(finding.context)), ("needle", .optional(finding.needle)),
      ("form", .optional(finding.form)), ("sample", .string(finding.sample)),
      ("controls", .array(finding.controls.map(Value.string))),
      ("suppressed", finding.suppressed.map(suppression) ?? .null),
      ("also", .array(finding.also.map(Value.string))),
      ("excerpt", finding.excerpt.map(excerpt)),
    ])
  }

  /// Only in a run that shows excerpts in one of its reports.
  private func excerpt(_ excerpt: Excerpt) -> Value {
    .object([
      ("source", .string(excerpt.source.rawValue)), ("offset", .integer(excerpt.offset)),
      ("bytes", .string(excerpt.text)),
    ])
  }

  private func context(_ context: Context) -> Value {
    .object([
      ("table", .optional(context.table)), ("column", .optional(context.column)),
      ("rowid", context.rowid.map(Value.integer)), ("entity", .optional(context.entity)),
      ("attribute", .optional(context.attribute)), ("page", context.page.map(Value.integer)),
      ("role", .optional(context.role)), ("frame", context.frame.map(Value.integer)),
      ("member", .optional(context.member)), ("section", .optional(context.section)),
      ("symbol", .optional(context.symbol)), ("key", .optional(context.key)),
      ("copyOf", .optional(context.copyOf)), ("confidence", context.confidence.map(Value.exact)),
    ])
  }

  private func suppression(_ suppression: Suppression) -> Value {
    .object([
      ("by", .string(suppression.by.rawValue)), ("reason", .string(suppression.reason)),
      ("until", .optional(suppression.until) ?? .null),
    ])
  }

  private func result(_ result: RuleResult) -> Value {
    .object([
      ("rule", .string(result.rule)), ("path", .string(result.path)),
      ("outcome", .string(result.outcome.rawValue)), ("reason", .string(result.reason)),
    ])
  }

  private func diagnostic(_ diagnostic: Diagnostic) -> Value {
    .object([
      ("path", .string(diagnostic.path)), ("locator", .string(diagnostic.locator)),
      ("code", .string(diagnostic.code.rawValue)), ("message", .string(diagnostic.message)),
      ("remedy", .string(diagnostic.remedy)),
    ])
  }

  private func note(_ note: Note) -> Value {
    .object([
      ("code", .string(note.code.rawValue)), ("path", .string(note.path)),
      ("line", note.line.map(Value.integer)), ("message", .string(note.message)),
      ("remedy", .string(note.remedy)),
    ])
  }

  private func rule(_ rule: RuleDescription) -> Value {
    .object([
      ("id", .string(rule.id)), ("title", .string(rule.title)),
      ("severity", .string(rule.severity.rawValue)), ("remedy", .string(rule.remedy)),
      ("controls", .array(rule.controls.map(Value.string))),
    ])
  }
}
