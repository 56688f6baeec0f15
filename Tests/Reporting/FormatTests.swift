import Findings
import Foundation
import Reporting
import Testing

/// JSON as Foundation reads it.
private func parsed(_ text: String) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
}

/// Texts that break out of one format or another.
let hostileTexts = [
  "\u{0}\u{1}\u{1f}\u{7f}\u{9b}31m", "\u{1b}[31mred\u{1b}]0;title\u{7}", "\"}],\\\"\n\r\t",
  "</script><!--",
  "\u{2028}\u{2029}\u{feff}\u{202e}gnp", "日本語 🇨🇳 é e\u{301}", "%SRCROOT%/../..", "${x} $(x) `x`", "",
]

@Suite struct `The JSON report` {
  @Test func `has every field of the interface`() throws {
    let report = try parsed(JSONReport().render(.sample))
    #expect(
      Set(report.keys) == [
        "schema", "tool", "run", "scope", "inputs", "findings", "results", "diagnostics", "notes",
        "components", "rules",
      ])
    #expect(report["schema"] as? String == "vestige-report/1")
    let run = try #require(report["run"] as? [String: Any])
    #expect(run["failOn"] as? String == "medium")
    #expect(run["reveal"] as? Bool == false)
    #expect(run["status"] as? Int == 1)
    #expect(run["seconds"] as? Double == 1.25)
    let findings = try #require(report["findings"] as? [[String: Any]])
    #expect(findings.count == 4)
    for finding in findings {
      for name in [
        "fingerprint", "rule", "title", "severity", "message", "remedy", "path", "locator",
        "ranges",
        "liveness", "context", "sample", "controls", "suppressed", "also",
      ] { #expect(finding[name] != nil, "\(name)") }
    }
    let row = findings[2]
    #expect((row["ranges"] as? [[String: Int]])?.first == ["offset": 45_100, "length": 4])
    let context = try #require(row["context"] as? [String: Any])
    #expect(context["rowid"] as? Int == 7)
    #expect(context["role"] as? String == "table-leaf")
    let suppressed = try #require(findings[3]["suppressed"] as? [String: Any])
    #expect(suppressed["by"] as? String == "baseline")
    #expect(findings[0]["suppressed"] is NSNull)
    let inputs = try #require(report["inputs"] as? [[String: Any]])
    #expect(inputs[2]["sha256"] is NSNull)
    #expect(inputs[1]["encrypted"] as? String == "mixed")
    let results = try #require(report["results"] as? [[String: Any]])
    #expect(results.map { $0["outcome"] as? String } == ["fail", "notEvaluated"])
  }

  @Test(arguments: hostileTexts)
  func `keeps any text and stays JSON of plain lines`(text: String) throws {
    let written = JSONReport().render(.hostile(text))
    let report = try parsed(written)
    let finding = try #require((report["findings"] as? [[String: Any]])?.first)
    #expect((finding["sample"] as? String).map { Array($0.utf8) } == Array(text.utf8))
    #expect((finding["path"] as? String).map { Array($0.utf8) } == Array(text.utf8))
    #expect(
      written.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0x7f })
    #expect(!written.contains("<") && !written.contains("\u{2028}"))
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, 1e-9, -0.0, 0.1 + 0.2])
  func `writes any number as JSON does`(number: Double) throws {
    var sample = Report.sample
    sample.run.seconds = number
    sample.scope.chanceHits[0].expected = number
    let run = try #require(try parsed(JSONReport().render(sample))["run"] as? [String: Any])
    #expect(run["seconds"] is NSNull == !number.isFinite)
  }

  @Test func `never holds what neighbours say`() {
    for format in ReportFormats.builtIn {
      #expect(!format.render(.sample).contains("never printed"), "\(format.name)")
    }
    #expect(JSONReport().render(.sample).contains("table-leaf"))
  }
}

@Suite struct `The SARIF report` {
  private static func run(_ report: Report) throws -> [String: Any] {
    let log = try parsed(SARIFReport().render(report))
    #expect(log["version"] as? String == "2.1.0")
    #expect((log["$schema"] as? String)?.contains("sarif") == true)
    return try #require((log["runs"] as? [[String: Any]])?.first)
  }

  private static func results(_ report: Report) throws -> [[String: Any]] {
    try #require(try run(report)["results"] as? [[String: Any]])
  }

  @Test func `has what readers require of each result`() throws {
    let run = try Self.run(.sample)
    let tool = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
    #expect(tool["name"] as? String == "vestige")
    let rules = try #require(tool["rules"] as? [[String: Any]])
    #expect(
      rules.compactMap { $0["id"] as? String } == ["needle.date", "needle.text", "secrets.token"])
    for rule in rules {
      for name in [
        "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties",
      ] {
        #expect(rule[name] is [String: Any], "\(name)")
      }
      let properties = try #require(rule["properties"] as? [String: Any])
      #expect(Double(properties["security-severity"] as? String ?? "") != nil)
      #expect((properties["tags"] as? [String])?.contains("security") == true)
    }
    let results = try Self.results(.sample)
    #expect(results.count == 4)
    for result in results {
      let number = try #require(result["ruleIndex"] as? Int)
      #expect(rules[number]["id"] as? String == result["ruleId"] as? String)
      #expect(["note", "warning", "error"].contains(result["level"] as? String))
      #expect((result["message"] as? [String: Any])?["text"] is String)
      #expect((result["partialFingerprints"] as? [String: String])?.isEmpty == false)
      let place = try Self.physicalLocation(result)
      let region = try #require(place["region"] as? [String: Any])
      #expect((region["startLine"] as? Int ?? 1) >= 1)
      #expect(region["startLine"] != nil || region["byteOffset"] != nil)
    }
    #expect(results[3]["suppressions"] is [[String: Any]])
    #expect(results[0]["suppressions"] == nil)
  }

  private static func physicalLocation(_ result: [String: Any]) throws -> [String: Any] {
    let location = try #require((result["locations"] as? [[String: Any]])?.first)
    return try #require(location["physicalLocation"] as? [String: Any])
  }

  @Test(arguments: [
    ("a b.txt", "a%20b.txt"), ("日记.txt", "%E6%97%A5%E8%AE%B0.txt"), ("100%", "100%25"),
    // A byte that is no UTF-8, in a name; and a page that a cache named so.
    ("a%FFb", "a%FFb"), ("%E6%97%A5.html", "%25E6%2597%25A5.html"), ("a%0Ab", "a%0Ab"),
    ("/abs/x", "abs/x"), ("c:d", "c%3Ad"), ("a?b#c", "a%3Fb%23c"), ("a\\b", "a%5Cb"),
    ("a\nb", "a%0Ab"),
    ("x/-_.~y", "x/-_.~y"),
  ])
  func `names files by relative URIs in plain ASCII`(path: String, uri: String) throws {
    var report = Report.sample
    report.findings = [report.findings[0]]
    report.findings[0].path = path
    let artifact = try #require(
      try Self.physicalLocation(try Self.results(report)[0])["artifactLocation"] as? [String: Any])
    #expect(artifact["uri"] as? String == uri)
    #expect(artifact["uriBaseId"] as? String == "%SRCROOT%")
  }

  @Test(arguments: [
    (0, "passed: no finding fails this run, and everything was read (exit 0)"),
    (3, "incomplete: no finding fails this run, but not everything was read (exit 3)"),
  ])
  func `says of a run without a threshold that nothing fails it`(status: Int32, verdict: String) {
    var report = Report.sample
    (report.run.status, report.run.failOn) = (status, nil)
    #expect(TextReport(style: .plain).render(report).hasSuffix(verdict + "\n"))
    report.run.failOn = .medium
    #expect(TextReport(style: .plain).render(report).contains("at or above medium"))
  }

  @Test func `shows the place inside a file whose name has the mark that leads there`() throws {
    var report = Report.sample
    report.findings = [report.findings[0]]
    report.findings[0].path = "a!b.zip"
    report.findings[0].locator = "a%21b.zip!/c.txt"
    let texts = [TextReport(style: .plain).render(report), MarkdownReport().render(report)]
    #expect(texts.allSatisfy { $0.contains("!/c.txt") && !$0.contains("ip!/c.txt") })
    report.findings[0].locator = "a%21b.zip"
    #expect(MarkdownReport().render(report).contains("a!b.zip"))
    #expect(!MarkdownReport().render(report).contains("`zip`"))
  }

  @Test func `tells what was not looked at as notifications`() throws {
    let invocation = try #require((try Self.run(.sample)["invocations"] as? [[String: Any]])?.first)
    let notes = try #require(invocation["toolExecutionNotifications"] as? [[String: Any]])
    let codes = notes.compactMap { ($0["descriptor"] as? [String: Any])?["id"] as? String }
    #expect(codes == ["format.encrypted", "read.changed", "walk.symlink", "baseline.gone"])
    #expect(invocation["exitCode"] as? Int == 1)
    #expect(invocation["executionSuccessful"] as? Bool == true)
  }

  @Test func `keeps to what GitHub takes, the gravest first, and says what it left out`() throws {
    var report = Report.sample
    let low = report.findings[2]
    report.findings = (0..<25_010).map { number in
      var finding = low
      finding.severity = .low
      finding.fingerprint = "\(number)"
      return finding
    }
    report.findings[25_009].severity = .critical
    let results = try Self.results(report)
    #expect(results.count == 25_000)
    #expect((results.last?["partialFingerprints"] as? [String: String])?.values.first == "25009")
    #expect((results.first?["partialFingerprints"] as? [String: String])?.values.first == "0")
    #expect(SARIFReport().render(report).contains("10 further results"))
    #expect(SARIFReport().render(report).contains("shows the gravest 5000"))
    report.findings.removeLast(10)
    #expect(!SARIFReport().render(report).contains("further results"))
    report.findings.removeLast(20_000)
    #expect(!SARIFReport().render(report).contains("shows the gravest"))
  }

  @Test func `lets go of what was accepted first`() throws {
    var report = Report.sample
    let (open, accepted) = (report.findings[2], report.findings[3])
    report.findings = [Finding](repeating: accepted, count: 10)
    report.findings += [Finding](repeating: open, count: 25_000)
    let results = try Self.results(report)
    #expect(results.count == 25_000)
    #expect(results.allSatisfy { $0["suppressions"] == nil })
  }

  /// Text that does not compress: what GitHub refuses is the size after compression.
  @Test func `is small enough to upload, compressed, however large its texts`() throws {
    var random = SystemRandomNumberGenerator()
    var report = Report.sample
    let low = report.findings[2]
    report.findings = (0..<3_000).map { number in
      var finding = low
      finding.fingerprint = "\(number)"
      finding.severity = number.isMultiple(of: 100) ? .critical : .low
      finding.message = (0..<700).map { _ in String(random.next() as UInt64, radix: 36) }.joined()
      return finding
    }
    let written = SARIFReport().render(report)
    let results = try Self.results(report)
    #expect(results.count < 3_000)
    #expect(written.contains("\(3_000 - results.count) further results"))
    #expect(results.count { $0["level"] as? String == "error" } == 30)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(written.utf8).write(to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/bin/sh")
    gzip.arguments = ["-c", "gzip -c '\(folder.path)' | wc -c"]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let count = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let size = try #require(Int(count.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(size < 10_000_000)
    #expect(size > 8_000_000)
  }

  @Test(arguments: hostileTexts)
  func `keeps any text and stays JSON`(text: String) throws {
    let results = try Self.results(.hostile(text))
    #expect(results.count == 4)
    let message = (results[0]["message"] as? [String: Any])?["text"] as? String
    #expect(message.map { Array($0.utf8) } == Array("\(text): \(text)".utf8))
  }
}

@Suite struct `The text report` {
  @Test func `keeps to 80 columns but for names and places`() {
    let report = Report.sample
    let names =
      report.findings.flatMap { [$0.path, $0.locator] } + report.diagnostics.map(\.locator)
    for line in TextReport(style: .plain).render(report).split(separator: "\n") {
      #expect(line.count <= 80 || names.contains { line.contains($0) }, "\(line)")
    }
  }

  @Test func `shows the first findings of a rule and counts the rest`() {
    var report = Report.sample
    report.findings = [Finding](repeating: report.findings[0], count: 25)
    let text = TextReport(style: .plain).render(report)
    #expect(text.split(separator: "\n").count { $0.contains("line 12") } == 10)
    #expect(text.contains("15 more of secrets.token"))
    #expect(text.contains("25 findings: 25 critical"))
  }

  @Test func `leaves out what is suppressed`() {
    var report = Report.sample
    report.findings = [report.findings[3]]
    let text = TextReport(style: .plain).render(report)
    #expect(!text.contains("API key or token under a telling name"))
    #expect(text.contains("0 findings"))
  }

  @Test(arguments: [(0, "clean"), (1, "findings"), (3, "incomplete")] as [(Int32, String)])
  func `ends with a verdict and its exit status`(status: Int32, word: String) throws {
    var report = Report.sample
    report.run.status = status
    let last = try #require(TextReport(style: .plain).render(report).split(separator: "\n").last)
    #expect(last.hasPrefix(word))
    #expect(last.hasSuffix("(exit \(status))"))
  }

  @Test(arguments: hostileTexts)
  func `cannot take over a terminal`(text: String) {
    let written = TextReport(style: .plain).render(.hostile(text))
    #expect(written.contains("4 files"))
    #expect(
      written.unicodeScalars.allSatisfy { scalar in
        scalar == "\n" || scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
      })
  }

  @Test func `is coloured only where asked`() {
    #expect(!TextReport(style: .plain).render(.sample).contains("\u{1b}"))
    #expect(TextReport(style: .colored).render(.sample).contains("\u{1b}[1;31m"))
  }
}
