import Bytes
package import Findings
import Languages

/// One file for a browser, which needs no network: what came of the run on the first screen, then
/// everything to look into. Styles and scripts (`Page/`) stand in it and may run only as they were
/// written, by their hashes; the report is data in it, never markup.
package struct HTMLReport: ReportFormat {
  package let name = "html"
  package let details: Report.Detail = [.excerpts, .standards]

  package init() {}

  private static let style = page("css")
  private static let script =
    "'use strict';\n(() => {\n" + page("js") + "})();\n"

  private static func page(_ ending: String) -> String {
    EmbeddedPage.page.filter { "\($0.path)".hasSuffix("." + ending) }
      .map { "\($0.text)" }.joined(separator: "\n")
  }

  package func write(_ report: Report, to output: inout some TextOutputStream) {
    let say = Phrasebook.of(report.language)
    let overview = HTMLOverview(report, say)
    output.write(
      """
      <!doctype html>
      <html lang="\(report.language.rawValue)">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <meta name="generator" content="vestige \(Markup.text(report.toolVersion))">
      <title>\(Markup.text(overview.title))</title>
      <style>\(Self.style)</style>
      </head>
      <body>

      """)
    overview.write(to: &output)
    writeSections(report, say, to: &output)
    output.write("<script type=\"application/json\" id=\"data\">")
    HTMLData(report, say).write(to: &output)
    output.write("</script>\n<script>\(Self.script)</script>\n</body>\n</html>\n")
  }

  /// Nothing is loaded from anywhere, nothing is sent anywhere, and only these two texts are style and
  /// script.
  static var policy: String {
    "default-src 'none'; style-src '\(hash(style))'; script-src '\(hash(script))'; base-uri 'none';"
      + " form-action 'none'"
  }

  private static func hash(_ text: String) -> String {
    let digest = SHA256.digest(of: Array(text.utf8).span.bytes)
    var encoded = BaseEncoding.base64.encode(digest, shift: 0)
    // 32 bytes fill 42 characters and four bits of a further one.
    let last = Int(digest[31] & 15) << 2
    encoded.append(
      Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)[last])
    return "sha256-" + String(decoding: encoded, as: UTF8.self) + "="
  }

  /// The places that the scripts fill.
  private func writeSections(
    _ report: Report, _ say: Phrasebook, to output: inout some TextOutputStream
  ) {
    output.write("<main>\n<section id=\"findings\">\n<h2>\(Markup.text(say("Findings")))</h2>\n")
    output.write(
      """
      <div id="findings-tools" class="screen"></div>
      <div class="split screen">
      <div id="list" class="list" role="listbox" tabindex="0" aria-label="\(Markup.text(say("Findings")))"></div>
      <div id="detail" class="detail" tabindex="-1"></div>
      </div>
      <div id="print" class="print"></div>
      <noscript><p>\(Markup.text(say("Scripts are off here: this page shows the summary only. The JSON report has everything.")))</p></noscript>
      </section>

      """)
    for section in HTMLSection.of(report) {
      output.write(
        "<section id=\"\(section.id)\">\n<h2>\(Markup.text(say(section.title)))</h2>\n"
          + "<p class=\"soft\">\(Markup.text(say(section.about)))</p>\n</section>\n")
    }
    output.write(
      "</main>\n<footer class=\"page\">vestige \(Markup.text(report.toolVersion)) · "
        + "\(Markup.text(report.run.started)) · "
        + "\(Markup.text(say("Values are masked; fingerprints do not tell them. This file loads nothing and sends nothing.")))"
        + "</footer>\n")
  }
}

/// Text as HTML text or attribute value.
enum Markup {
  static func text(_ text: String) -> String {
    var escaped = ""
    for scalar in TextStyle.shown(text).unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
