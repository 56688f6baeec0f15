import Bytes
package import Findings
import Languages

/// The report for forensic tools: JSON-LD in the terms of CASE and UCO 1.5 (caseontology.org). A run is an
/// investigative action with this program as its instrument; what it read are files, what it found are
/// ranges of bytes in them, each with an annotation that says why it matters.
package struct CASEReport: ReportFormat {
  package let name = "case"

  package init() {}

  private typealias Value = JSONWriter.Value

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    output.write(Self.context + "  \"@graph\": [")
    var separator = "\n    "
    func put(_ value: Value) {
      output.write(separator)
      output.write(value.text)
      separator = ",\n    "
    }
    put(tool(report))
    var known: Set<[UInt8]> = []
    for input in report.inputs where known.insert(Array(input.path.utf8)).inserted {
      put(file(input.path, input))
    }
    for finding in report.findings where known.insert(Array(finding.path.utf8)).inserted {
      put(file(finding.path, nil))
    }
    var ranges: Set<String> = []
    for (index, finding) in report.findings.enumerated() {
      for range in finding.ranges {
        let id = Self.id("range", [finding.path, "\(range.offset)", "\(range.length)"])
        guard ranges.insert(id).inserted else { continue }
        put(self.range(range, id, of: finding))
        put(containment(of: range, id, in: finding))
      }
      put(annotation(finding, index))
    }
    put(action(report))
    output.write("\n  ]\n}\n")
  }

  private static let context = """
    {
      "@context": {
        "kb": "http://example.org/kb/",
        "case-investigation": "https://ontology.caseontology.org/case/investigation/",
        "uco-action": "https://ontology.unifiedcyberontology.org/uco/action/",
        "uco-core": "https://ontology.unifiedcyberontology.org/uco/core/",
        "uco-observable": "https://ontology.unifiedcyberontology.org/uco/observable/",
        "uco-tool": "https://ontology.unifiedcyberontology.org/uco/tool/",
        "uco-types": "https://ontology.unifiedcyberontology.org/uco/types/",
        "xsd": "http://www.w3.org/2001/XMLSchema#"
      },

    """

  /// An identifier that ends in a UUID, as UCO wants it: the same thing has the same one in every report.
  /// It is laid out as version 5, the name-based one that UCO knows, and made from SHA-256.
  private static func id(_ kind: String, _ parts: [String]) -> String {
    var name: [UInt8] = Array(kind.utf8)
    for part in parts { name += [0] + Array(part.utf8) }
    var bytes = Array(SHA256.digest(of: name.span.bytes).prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x50
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = bytes.hexadecimal
    var parts: [Substring] = []
    var rest = Substring(digits)
    for count in [8, 4, 4, 4, 12] {
      parts.append(rest.prefix(count))
      rest = rest.dropFirst(count)
    }
    return "kb:\(kind)-\(parts.joined(separator: "-"))"
  }

  private static func link(_ id: String) -> Value { .object([("@id", .string(id))]) }

  private static func typed(_ type: String, _ value: String) -> Value {
    .object([("@type", .string(type)), ("@value", .string(value))])
  }

  private func facet(_ type: String, _ parts: [String], _ members: [(String, Value?)]) -> Value {
    .object(
      [("@id", .string(Self.id("facet", [type] + parts))), ("@type", .string(type))] + members)
  }

  private func tool(_ report: Report) -> Value {
    .object([
      ("@id", .string(Self.id("tool", ["vestige", report.toolVersion]))),
      ("@type", .string("uco-tool:Tool")), ("uco-core:name", .string("vestige")),
      ("uco-tool:version", .string(report.toolVersion)), ("uco-tool:toolType", .string("scanner")),
    ])
  }

  private func file(_ path: String, _ input: InputRecord?) -> Value {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    var facets = [
      facet(
        "uco-observable:FileFacet", [path],
        [
          ("uco-observable:fileName", .string(name)), ("uco-observable:filePath", .string(path)),
          ("uco-observable:sizeInBytes", input.map { .integer($0.bytes) }),
        ])
    ]
    if let input, let sha256 = input.sha256 {
      let hash = Value.object([
        ("@id", .string(Self.id("hash", [path, sha256]))), ("@type", .string("uco-types:Hash")),
        ("uco-types:hashMethod", .string("SHA256")),
        ("uco-types:hashValue", Self.typed("xsd:hexBinary", sha256)),
      ])
      facets.append(
        facet(
          "uco-observable:ContentDataFacet", [path],
          [
            ("uco-observable:sizeInBytes", .integer(input.bytes)),
            (
              "uco-observable:isEncrypted",
              input.encrypted == .yes || input.encrypted == .no
                ? .boolean(input.encrypted == .yes) : nil
            ), ("uco-observable:hash", .array([hash])),
          ]))
    }
    return .object([
      ("@id", .string(Self.id("file", [path]))), ("@type", .string("uco-observable:File")),
      ("uco-core:hasFacet", .array(facets)),
    ])
  }

  private func range(_ range: ByteRange, _ id: String, of finding: Finding) -> Value {
    .object([
      ("@id", .string(id)), ("@type", .string("uco-observable:ObservableObject")),
      (
        "uco-core:hasFacet",
        .array([
          facet(
            "uco-observable:DataRangeFacet", [finding.path, "\(range.offset)", "\(range.length)"],
            [
              ("uco-observable:rangeOffset", .integer(range.offset)),
              ("uco-observable:rangeSize", .integer(range.length)),
            ])
        ])
      ),
    ])
  }

  private func containment(of range: ByteRange, _ id: String, in finding: Finding) -> Value {
    .object([
      ("@id", .string(Self.id("relationship", [id]))),
      ("@type", .string("uco-observable:ObservableRelationship")),
      ("uco-core:source", Self.link(id)),
      ("uco-core:target", Self.link(Self.id("file", [finding.path]))),
      ("uco-core:kindOfRelationship", .string("Contained_Within")),
      ("uco-core:isDirectional", .boolean(true)),
    ])
  }

  private static func id(of finding: Finding, _ index: Int) -> String {
    id("finding", [finding.fingerprint, finding.locator, "\(index)"])
  }

  /// What a finding is about: its ranges, or the file where no byte of it shows the value.
  private func annotation(_ finding: Finding, _ index: Int) -> Value {
    let objects =
      finding.ranges.isEmpty
      ? [Self.id("file", [finding.path])]
      : finding.ranges.map { Self.id("range", [finding.path, "\($0.offset)", "\($0.length)"]) }
    var tags = [finding.rule, finding.severity.rawValue, finding.liveness.rawValue]
    tags += finding.controls
    if finding.suppressed != nil { tags.append("accepted") }
    return .object([
      ("@id", .string(Self.id(of: finding, index))), ("@type", .string("uco-core:Annotation")),
      ("uco-core:name", .string(finding.title)),
      ("uco-core:description", .string("\(finding.locator): \(finding.sample)")),
      ("uco-core:statement", .array([.string(finding.message)])),
      ("uco-core:tag", .array(Self.distinct(tags).map(Value.string))),
      ("uco-core:object", .array(Self.distinct(objects).map(Self.link))),
    ])
  }

  private static func distinct(_ texts: [String]) -> [String] {
    var seen: Set<String> = []
    return texts.filter { seen.insert($0).inserted }
  }

  private func action(_ report: Report) -> Value {
    let files = Self.distinct(report.inputs.map { Self.id("file", [$0.path]) })
    let results = report.findings.enumerated().map { Self.id(of: $1, $0) }
    let unread = report.diagnostics.count
    return .object([
      ("@id", .string(Self.id("action", [report.run.started] + report.scope.roots))),
      ("@type", .string("case-investigation:InvestigativeAction")),
      ("uco-core:name", .string("vestige scan")),
      (
        "uco-core:description",
        .string(
          Phrasebook.of(report.language)(
            "exit status {}; {} not looked at", "\(report.run.status)", "\(unread)"))
      ),
      ("uco-action:startTime", Self.typed("xsd:dateTime", report.run.started)),
      (
        "uco-action:instrument",
        .array([Self.link(Self.id("tool", ["vestige", report.toolVersion]))])
      ),
      ("uco-action:object", files.isEmpty ? nil : .array(files.map(Self.link))),
      ("uco-action:result", results.isEmpty ? nil : .array(results.map(Self.link))),
    ])
  }
}
