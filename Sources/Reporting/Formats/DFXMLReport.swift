package import Findings

/// Digital Forensics XML 1.2 (the DFXML schema of the forensics working group): every file with its hash,
/// and, in a namespace of our own, what was found in it and where.
package struct DFXMLReport: ReportFormat {
  package let name = "dfxml"

  package init() {}

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    output.write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <dfxml version="1.2.0" xmlns="http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML" \
      xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:vestige="urn:vestige:report:1">
        <metadata>
          <dc:type>Hash List</dc:type>
        </metadata>
        <creator version="1.0">
          <program>vestige</program>
          <version>\(Self.text(report.toolVersion))</version>
          <execution_environment>
            <start_time>\(Self.text(report.run.started))</start_time>
          </execution_environment>
        </creator>

      """)
    var rest = report.findings[...]
    for path in paths(of: report) {
      // Both are in the order of paths.
      let own = rest.prefix { $0.path.utf8.elementsEqual(path.path.utf8) }
      rest = rest.dropFirst(own.count)
      write(path.path, path.input, own, to: &output)
    }
    for diagnostic in report.diagnostics {
      output.write(
        "  <vestige:unread code=\"\(diagnostic.code.rawValue)\""
          + " locator=\"\(Self.text(diagnostic.locator))\">"
          + "\(Self.text(diagnostic.message))</vestige:unread>\n")
    }
    output.write("</dfxml>\n")
  }

  /// The files that were read, and those that only a finding names, in the order of reports.
  private func paths(of report: Report) -> [(path: String, input: InputRecord?)] {
    var all: [(path: String, input: InputRecord?)] = report.inputs.map { ($0.path, $0) }
    let known = Set(report.inputs.map { Array($0.path.utf8) })
    var last: String?
    for finding in report.findings where finding.path != last {
      last = finding.path
      if !known.contains(Array(finding.path.utf8)) { all.append((finding.path, nil)) }
    }
    return all.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private func write(
    _ path: String, _ input: InputRecord?, _ findings: ArraySlice<Finding>,
    to output: inout some TextOutputStream
  ) {
    output.write("  <fileobject>\n    <filename>\(Self.text(path))</filename>\n")
    if let input {
      output.write("    <filesize>\(input.bytes)</filesize>\n")
      if let sha256 = input.sha256 {
        output.write("    <hashdigest type=\"sha256\">\(sha256)</hashdigest>\n")
      }
    }
    for finding in findings { write(finding, to: &output) }
    output.write("  </fileobject>\n")
  }

  private func write(_ finding: Finding, to output: inout some TextOutputStream) {
    var attributes = [
      ("rule", finding.rule), ("severity", finding.severity.rawValue),
      ("liveness", finding.liveness.rawValue), ("fingerprint", finding.fingerprint),
      ("locator", finding.locator),
    ]
    if let needle = finding.needle { attributes.append(("needle", needle)) }
    if let suppressed = finding.suppressed { attributes.append(("accepted", suppressed.reason)) }
    let written = attributes.map { " \($0)=\"\(Self.text($1))\"" }.joined()
    output.write("    <vestige:finding\(written)>\n")
    output.write("      <vestige:message>\(Self.text(finding.message))</vestige:message>\n")
    for range in finding.ranges {
      output.write(
        "      <vestige:byte_run file_offset=\"\(range.offset)\" len=\"\(range.length)\"/>\n")
    }
    output.write("    </vestige:finding>\n")
  }

  private static func text(_ text: String) -> String { XMLText.escaped(text) }
}
