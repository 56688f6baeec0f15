import Findings
import Reporting

/// An inspection as JSON: every section under its key, tables as lists of objects.
package struct InspectionJSON {
  private typealias Value = JSONWriter.Value
  private let reveals: Bool
  private let values: ValueText

  package init(reveals: Bool) {
    self.reveals = reveals
    values = ValueText(reveals: reveals)
  }

  package func write(_ inspection: Inspection, to output: inout some TextOutputStream) {
    output.write("{\n")
    let head: [(String, Value)] = [
      ("schema", .string("vestige-inspection/1")),
      ("tool", .object([("name", .string("vestige")), ("version", .string(Vestige.version))])),
      ("path", .string(inspection.path)), ("kind", .string(inspection.kind)),
      ("bytes", .integer(inspection.byteCount)),
      ("sha256", inspection.sha256.map { .string($0) } ?? .null), ("reveal", .boolean(reveals)),
    ]
    for (name, value) in head { output.write("  \(JSONWriter.quoted(name)): \(value.text),\n") }
    output.write("  \"sections\": {")
    var separator = "\n"
    for section in inspection.sections where !section.isEmpty {
      output.write(separator + "    \(JSONWriter.quoted(section.key)): ")
      write(section, to: &output)
      separator = ",\n"
    }
    output.write("\n  },\n")
    let diagnostics = inspection.diagnostics.map { diagnostic in
      Value.object([
        ("locator", .string(diagnostic.locator)), ("code", .string(diagnostic.code.rawValue)),
        ("message", .string(diagnostic.message)), ("remedy", .string(diagnostic.remedy)),
      ])
    }
    output.write("  \"diagnostics\": \(Value.array(diagnostics).text)\n}\n")
  }

  private func write(_ section: Inspection.Section, to output: inout some TextOutputStream) {
    var members = [("title", Value.string(section.title))]
    for fact in section.facts { members.append((fact.key, value(fact.value))) }
    if !section.remarks.isEmpty {
      members.append(("remarks", .array(section.remarks.map { .string($0) })))
    }
    if let layout = section.layout { members.append(("layout", JSONLayout.value(of: layout))) }
    output.write("{")
    for (index, member) in members.enumerated() {
      output.write((index == 0 ? "" : ", ") + "\(JSONWriter.quoted(member.0)): \(member.1.text)")
    }
    if let table = section.table { write(table, to: &output) }
    output.write("}")
  }

  /// Row by row: a table of a hundred thousand frames is not held twice.
  private func write(_ table: Inspection.Table, to output: inout some TextOutputStream) {
    output.write(", \"rows\": [")
    for (index, row) in table.rows.enumerated() {
      let members = zip(table.columns, row).map { ($0.key, Optional(value($1))) }
      output.write((index == 0 ? "\n      " : ",\n      ") + Value.object(members).text)
    }
    output.write(table.rows.isEmpty ? "]" : "\n    ]")
    if table.omitted > 0 { output.write(", \"omitted\": \(table.omitted)") }
  }

  private func value(_ value: Inspection.Value) -> Value {
    switch value {
    case .text(let text), .word(let text): .string(text)
    case .number(let number), .size(let number): .integer(number)
    case .real(let number): .number(number)
    case .flag(let isTrue): .boolean(isTrue)
    case .content(let bytes): .string(values.content(bytes))
    case .list(let all): .array(all.map(self.value))
    case .missing: .null
    }
  }
}
