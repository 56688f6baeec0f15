package import Findings

/// A JSON report read back: strict about what the schema names, deaf to what it does not.
package enum ReportFile {
  static let schema = "vestige-report/1"

  /// The report in a file's bytes; `path` names it in errors.
  package static func report(in bytes: [UInt8], path: String) throws(ReportFileError) -> Report {
    do throws(JSONNode.Failure) {
      return try report(in: bytes)
    } catch {
      let before = bytes.prefix(error.offset)
      let line = before.count { $0 == 0x0a }
      let start = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
      throw ReportFileError(
        path: path, line: line + 1, column: before.count - start + 1, detail: error.problem)
    }
  }

  private static func report(in bytes: [UInt8]) throws(JSONNode.Failure) -> Report {
    var report = Report(
      toolVersion: "",
      run: Report.Run(started: "", seconds: 0, status: 0, failOn: nil, reveals: false),
      scope: Report.Scope())
    var missing: Set = ["schema", "tool", "run", "scope", "inputs", "findings", "diagnostics"]
    var json = JSONReader(bytes)
    try json.object { (json, name) throws(JSONNode.Failure) in
      missing.remove(name)
      try read(name, from: &json, into: &report)
    }
    try json.end()
    if let name = missing.min() {
      throw JSONNode.Failure(problem: "\"\(name)\" is missing: this is no report", offset: 0)
    }
    return report
  }

  private static func read(
    _ name: String, from json: inout JSONReader, into report: inout Report
  ) throws(JSONNode.Failure) {
    switch name {
    case "schema":
      let node = try json.node()
      guard try node.text() == schema else {
        throw JSONNode.Failure(problem: "the schema must be \(schema)", offset: node.offset)
      }
    case "tool": report.toolVersion = try json.node().required("version").text()
    case "run": report.run = try Report.Run(json.node())
    case "scope": report.scope = try Report.Scope(json.node())
    case "inputs": report.inputs = try list(&json, InputRecord.init)
    case "findings": report.findings = try list(&json, Finding.init)
    case "results": report.results = try list(&json, RuleResult.init)
    case "diagnostics": report.diagnostics = try list(&json, Diagnostic.init)
    case "notes": report.notes = try list(&json, Note.init)
    case "components": report.components = try list(&json, Component.init)
    case "proof": report.proof = try Proof(json.node())
    case "rules": report.rules = try list(&json, RuleDescription.init)
    default: _ = try json.node()
    }
  }

  private static func list<Element>(
    _ json: inout JSONReader, _ element: (JSONNode) throws(JSONNode.Failure) -> Element
  ) throws(JSONNode.Failure) -> [Element] {
    var elements: [Element] = []
    try json.array { json throws(JSONNode.Failure) in elements.append(try element(json.node())) }
    return elements
  }
}

/// A file is no report, or a damaged one: where, and what.
package struct ReportFileError: Error, Equatable {
  package var path: String
  package var line: Int
  package var column: Int
  package var detail: String
}

extension ReportFileError: Explained {
  package var problem: String { "\(path):\(line):\(column): \(detail)" }
  package var remedy: String { "give a file that --report json=FILE wrote" }
}
