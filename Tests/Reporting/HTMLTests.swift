import Bytes
import Findings
import Foundation
import Reporting
import Testing

@Suite struct `The HTML report` {
  /// The page as text, and the data in it.
  private static func page(_ report: Report) throws -> (text: String, data: [String: Any]) {
    let text = HTMLReport().render(report)
    let start = try #require(text.range(of: "<script type=\"application/json\" id=\"data\">"))
    let end = try #require(text.range(of: "</script>", range: start.upperBound..<text.endIndex))
    let data = Data(text[start.upperBound..<end.lowerBound].utf8)
    return (text, try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]))
  }

  @Test func `loads nothing and allows only its own style and script`() throws {
    let text = HTMLReport().render(.sample)
    for word in ["src=", "href=\"http", "url(", "@import", "<link", "<img", "fetch(", "XMLHttp"] {
      #expect(!text.contains(word), "\(word)")
    }
    let style = try #require(text.firstMatch(of: #/<style>((?s:.*?))</style>/#)).1
    let script = try #require(text.firstMatch(of: #/<script>((?s:.*?))</script>/#)).1
    for (kind, content) in [("style-src", style), ("script-src", script)] {
      let digest = Data(SHA256.digest(of: Array(content.utf8).span.bytes)).base64EncodedString()
      #expect(text.contains("\(kind) 'sha256-\(digest)';"))
    }
    #expect(text.contains("default-src 'none'"))
  }

  @Test func `says on its first screen what came of it`() {
    var report = Report.sample
    let failed = HTMLReport().render(report)
    #expect(failed.contains("<strong>Failed</strong>"))
    #expect(failed.contains("Findings at or above medium: 3"))
    #expect(failed.contains("files: 4 (1.3 MiB)"))
    report.run.status = 0
    report.findings = []
    report.diagnostics = []
    let passed = HTMLReport().render(report)
    #expect(passed.contains("<strong>Passed</strong>"))
    #expect(passed.contains("Nothing was found."))
    report.run.status = 3
    report.scope.files = 0
    #expect(HTMLReport().render(report).contains("Nothing was read."))
  }

  @Test func `holds every finding, with its excerpt`() throws {
    var report = Report.sample
    report.findings[0].excerpt = Excerpt(source: .file, offset: 496, bytes: [0x3d, nil, nil])
    let (_, data) = try Self.page(report)
    let rows = try #require(data["findings"] as? [[Any]])
    #expect(rows.count == 4)
    #expect(rows[0][15] as? [AnyHashable] == [0, 496, "3d...."])
    #expect(rows.allSatisfy { $0.count == 19 })
  }

  @Test(arguments: hostileTexts + ["<img src=x onerror=alert(1)>", "'\"><b>", "<!--", "&lt;"])
  func `takes no text for markup`(text: String) throws {
    let (written, data) = try Self.page(.hostile(text))
    #expect(written.components(separatedBy: "<script").count == 3)
    #expect(!written.contains("<img") && !written.contains("<b>"))
    // Comments and unfinished tags would swallow what follows.
    let body = try #require(written.range(of: "<body>"))
    #expect(!written[body.upperBound...].prefix(4_000).contains("<!--"))
    let strings = try #require(data["strings"] as? [String])
    #expect(strings.contains { Array($0.utf8) == Array(text.utf8) })
  }

  @Test func `holds the layout of each database, and no content of it`() throws {
    let data = try Self.page(.sample).data
    let layouts = try #require(data["layouts"] as? [[Any]])
    #expect(layouts.count == 1)
    #expect(layouts[0][0] as? String == "store.sqlite")
    #expect((layouts[0][4] as? [[Any]])?.map { $0[1] as? Int } == [1, 11, 3])
  }

  @Test func `never holds what neighbours say`() {
    #expect(!HTMLReport().render(.sample).contains("never printed"))
  }

  @Test func `keeps names apart that only look alike`() throws {
    var report = Report.sample
    report.findings[0].path = "caf\u{e9}"
    report.findings[1].path = "cafe\u{301}"
    let strings = try #require(try Self.page(report).data["strings"] as? [String])
    #expect(strings.count { $0 == "caf\u{e9}" } == 2)
  }
}
