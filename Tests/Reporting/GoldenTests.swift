import Findings
import Foundation
import Languages
import Reporting
import Testing

@Suite struct `Golden reports` {
  /// `Reports/`, beside `Tests/`.
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Reports")

  /// The file of a format in a language; JSON is for programs, and has one.
  private static func name(_ format: String, _ language: Language) -> String {
    language == .english || format == "json"
      ? "sample.\(format)" : "sample.\(language.rawValue).\(format)"
  }

  @Test(arguments: ReportFormats.builtIn.map(\.name), Language.allCases)
  func `are what a format writes, byte for byte`(name: String, language: Language) throws {
    let format = try #require(ReportFormats.named(name))
    let file = Self.folder.appendingPathComponent(Self.name(name, language))
    var report = name == "json" ? Report.sample : Report.sample.translated(into: language)
    if format.details.contains(.standards) {
      report.standards = try StandardFile.builtIn().filter { $0.id == "pipl" || $0.id == "masvs" }
    }
    let written = Data(format.render(report).utf8)
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil { try written.write(to: file) }
    let golden = try Data(contentsOf: file)
    #expect(
      written == golden, "run with RECORD_GOLDEN=1 to write Reports/\(file.lastPathComponent)")
  }

  /// Three English words in a row are a sentence, or a part of one; names of people's things, paths and
  /// commands are not.
  @Test(arguments: ReportFormats.builtIn.map(\.name).filter { $0 != "json" })
  func `in Chinese hold no English but names and identifiers`(name: String) throws {
    let file = Self.folder.appendingPathComponent(Self.name(name, .simplifiedChinese))
    var text = try String(contentsOf: file, encoding: .utf8)
    // The page's styles, scripts, and its list of words are no part of what a person reads.
    for part in [
      #/<style>(?s:.*?)</style>/#, #/<script>(?s:.*?)</script>/#, #/"words": \{(?s:.*?)\}\n/#,
    ] { text = text.replacing(part, with: "") }
    text = text.replacing("Licence of our own", with: "").replacing("A bad thing.", with: "")
    for sentence in text.matches(of: #/[A-Za-z]{2,} [a-z]{2,},? [a-z]{2,}/#) {
      #expect(sentence.0.hasPrefix("vestige "), "\(sentence.0)")
    }
  }

  @Test func `are those of the formats there are`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    let expected = ReportFormats.builtIn.flatMap { format in
      Language.allCases.map { Self.name(format.name, $0) }
    }
    #expect(Set(names) == Set(expected))
  }
}
