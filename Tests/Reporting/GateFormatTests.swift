import Findings
import Foundation
import Reporting
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Collects the elements of an XML document.
private final class Elements: NSObject, XMLParserDelegate {
  var found: [(name: String, attributes: [String: String])] = []

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    guard parser.parse() else { throw parser.parserError ?? CocoaError(.coderReadCorrupt) }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    found.append((name, attributes))
  }

  func count(_ name: String) -> Int { found.count { $0.name == name } }
}

@Suite struct `The JUnit report` {
  @Test func `counts what fails, what was accepted and what was not read`() throws {
    let elements = try Elements(JUnitReport().render(.sample))
    #expect(elements.found.first?.name == "testsuites")
    let totals = try #require(elements.found.first?.attributes)
    #expect(elements.count("testcase") == Int(totals["tests"] ?? ""))
    #expect(elements.count("failure") == 3)
    #expect(totals["failures"] == "3")
    // A symbolic link is allowed in the sample.
    #expect(elements.count("error") == 2)
    #expect(totals["errors"] == "2")
    #expect(elements.count("skipped") == 2)
    #expect(totals["skipped"] == "2")
    for suite in elements.found where suite.name == "testsuite" {
      #expect(Double(suite.attributes["time"] ?? "") != nil)
    }
  }

  @Test func `lets pass what is below the threshold`() throws {
    var report = Report.sample
    report.run.failOn = .critical
    #expect(try Elements(JUnitReport().render(report)).count("failure") == 1)
    report.run.failOn = nil
    #expect(try Elements(JUnitReport().render(report)).count("failure") == 0)
    report.run.seconds = .nan
    #expect(!JUnitReport().render(report).contains("null"))
  }

  @Test(arguments: hostileTexts + ["\u{fffe}\u{ffff}", "]]>", "&amp;", "\u{b}\u{c}"])
  func `is XML whatever stands in it`(text: String) throws {
    let elements = try Elements(JUnitReport().render(.hostile(text)))
    #expect(elements.count("failure") == 3)
    #expect(elements.count("testsuite") == 3)
  }
}

@Suite struct `The GitLab reports` {
  private static func object(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  @Test(arguments: hostileTexts + [String(repeating: "é", count: 8_000)])
  func `hold what GitLab's schema asks for`(text: String) throws {
    for report in [Report.sample, .hostile(text)] {
      let written = try Self.object(GitLabReport().render(report))
      let scan = try #require(written["scan"] as? [String: Any])
      #expect(scan["type"] as? String == "sast")
      #expect(scan["start_time"] as? String == "2026-01-02T03:04:05")
      #expect((scan["messages"] as? [Any])?.count == 4)
      let found = try #require(written["vulnerabilities"] as? [[String: Any]])
      #expect(found.count == 4)
      #expect(Set(found.compactMap { $0["id"] as? String }).count == 4)
      for one in found {
        #expect(["Low", "Medium", "High", "Critical"].contains(one["severity"] as? String))
        #expect(
          (one["name"] as? String).map { (1...255).contains($0.unicodeScalars.count) } == true)
        #expect((one["identifiers"] as? [Any])?.isEmpty == false)
      }
      #expect(found[3]["flags"] is [Any])
      #expect(found[0]["flags"] == nil)
    }
  }

  @Test(arguments: hostileTexts)
  func `of code quality give every issue a fingerprint of its own`(text: String) throws {
    for report in [Report.sample, .hostile(text)] {
      let data = Data(CodeQualityReport().render(report).utf8)
      let issues = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
      #expect(issues.count == 7)
      #expect(Set(issues.compactMap { $0["fingerprint"] as? String }).count == 7)
      #expect(issues[3]["severity"] as? String == "info")
      #expect((issues[3]["description"] as? String)?.hasPrefix("accepted by baseline") == true)
    }
  }
}

@Suite struct `The CSV report` {
  /// Rows as RFC 4180 reads them.
  private static func rows(_ text: String) -> [[String]] {
    var rows: [[String]] = []
    var (row, cell, quoted) = ([String](), "", false)
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch (scalar, quoted) {
      case ("\"", true) where scalars.first == "\"":
        cell += "\""
        scalars.removeFirst()
      case ("\"", _): quoted.toggle()
      case (",", false):
        row.append(cell)
        cell = ""
      case ("\r", false): continue
      case ("\n", false):
        rows.append(row + [cell])
        (row, cell) = ([], "")
      default: cell.unicodeScalars.append(scalar)
      }
    }
    return rows
  }

  @Test(arguments: hostileTexts + ["=1+1", "+1", "-1", "@x", "\u{ff1d}1", "a,\"b\",c"])
  func `has a row for everything, of one width, and no formula`(text: String) {
    for report in [Report.sample, .hostile(text)] {
      let rows = Self.rows(CSVReport().render(report))
      #expect(rows.count == 1 + 4 + 2 + 3 + 1)
      #expect(rows.allSatisfy { $0.count == rows[0].count })
      for cell in rows.joined() {
        #expect(
          cell.unicodeScalars.first.map { "=+-@\t\r\u{ff1d}".unicodeScalars.contains($0) } != true)
      }
    }
  }
}

@Suite struct `The Markdown summary` {
  @Test func `starts with the verdict and shows the gravest first`() throws {
    let text = MarkdownReport().render(.sample)
    #expect(text.hasPrefix("## Vestige: findings at or above medium"))
    let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
    #expect(rows[2].hasPrefix("| **critical**"))
    #expect(rows[3].hasPrefix("| **high**"))
    #expect(text.contains("1 accepted"))
    #expect(text.contains("a test's token"))
  }

  @Test func `links to the lines of the commit`() {
    let text = MarkdownReport(links: "https://example.org/o/r/blob/c0/").render(.sample)
    #expect(
      text.contains(
        "](https://example.org/o/r/blob/c0/container/Library/Logs/app%20log.txt#L12)"))
    var elsewhere = Report.sample
    elsewhere.scope.roots = ["/tmp/x"]
    #expect(
      !MarkdownReport(links: "https://example.org/").render(elsewhere).contains("example.org"))
  }

  @Test func `stays short`() {
    var report = Report.sample
    report.findings = [Finding](repeating: report.findings[0], count: 50_000)
    report.diagnostics = [Diagnostic](repeating: report.diagnostics[0], count: 50_000)
    for index in report.findings.indices {
      report.findings[index].title = String(repeating: "`|<", count: 4_000)
      report.findings[index].sample = String(repeating: "`", count: 4_000)
      report.findings[index].context.table = String(repeating: "|", count: 4_000)
      report.findings[index].suppressed =
        index < 40_000
        ? nil : Suppression(by: .comment, reason: String(repeating: "&", count: 400) + "\(index)")
    }
    let text = MarkdownReport().render(report)
    #expect(text.utf8.count < 1 << 20)
    #expect(text.contains("39950 more"))
  }

  @Test(
    arguments: hostileTexts + ["| a | b |", "[x](javascript:1)", "@everyone #1", "```", "<img>"])
  func `shows hostile text as text`(text: String) {
    let written = MarkdownReport().render(.hostile(text))
    for line in written.split(separator: "\n", omittingEmptySubsequences: false)
    where line.hasPrefix("| ") {
      let bars = line.replacing("\\|", with: "").count { $0 == "|" }
      #expect(bars == 4, "\(line)")
    }
    let outsideOfCode = written.replacing(/(`+).*?\1/, with: "")
    #expect(!outsideOfCode.contains("["))
    #expect(!outsideOfCode.contains("@"))
    #expect(!outsideOfCode.contains("<img"))
    #expect(
      written.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7f })
  }
}
