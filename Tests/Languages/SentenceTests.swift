import Findings
import Foundation
import Languages
import Testing

@Suite struct `What the program says` {
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

  /// Folders whose strings a person may be shown.
  private static let folders = [
    "Artifacts", "Scanning", "Gate", "Evidence", "Findings", "Formats", "SQLiteFormat",
    "RuleEngine", "SourceAudit", "YAML", "Languages", "Commands", "Reporting", "Inspection",
    "Proving", "Vault", "VaultKeys", "SecretBytes",
  ]

  /// Strings with three words in a row that nobody is shown: licences as they are recognised, SQL, shell
  /// and manual-page code, content of canaries, a fault that stops the program.
  private static let isNoMessage: [@Sendable (String) -> Bool] = [
    { $0.contains(#/^(?:SELECT|INSERT|CREATE) /#) },
    { $0.contains(#/(?i)\b(?:licen[sc]e|copyright|permission|warranty|unencumbered)\b/#) },
    { ["neither the name", "may not be used to endorse"].contains($0) },
    { $0.contains("_describe command") || $0.hasPrefix("# fish") || $0.hasPrefix(".") },
    { $0 == "names of its contributors may" || $0.hasPrefix("th he in er") },
    { $0 == "meet 7 behind the old mill" || $0 == "a buffer without memory" },
  ]

  /// A sentence, or a part of one that is put together, is known where an entry holds it.
  private static func isKnown(_ text: String, in entries: [Catalogue.Entry]) -> Bool {
    let say = Phrasebook.simplifiedChinese
    // Numbers and what they count are put in as one.
    let counted = text.replacing("of 7 ", with: "of 7 pages ").replacing("s 7 ", with: "s 7 bytes ")
    for whole in [
      text, "x " + text, counted, text.replacing("s 7 ", with: "s 7 frames "),
      text.replacing("of 7 ", with: "of 7 bytes "),
      text.replacing("after 7", with: "after 7 bytes"),
      text.replacing("with 7 ", with: "with 7 bytes "),
      text.replacing("counts 7,", with: "counts 7 members,"),
    ] {
      let sayings: [(String) -> String] = [
        { say($0) }, say.title, say.error, say.inspection, say.proof, { say.help($0) ?? $0 },
      ]
      if sayings.contains(where: { $0(whole) != whole }) { return true }
    }
    let part = text.trimmingCharacters(in: .whitespaces)
    return entries.contains {
      $0.english.contains(part)
        || $0.english.replacing("{t}", with: "7").replacing("{}", with: "7").contains(part)
    }
  }

  @Test(arguments: folders)
  func `is said in Chinese too`(folder: String) throws {
    let sentences = try SourceSentences(below: Self.sources.appendingPathComponent(folder)).all
    let catalogue = try Catalogue.builtIn(.simplifiedChinese)
    let entries =
      catalogue.phrases + catalogue.errors + catalogue.titles + catalogue.inspection
      + catalogue.proof + catalogue.help + catalogue.page
    let unknown = sentences.filter { sentence in
      !Self.isNoMessage.contains { $0(sentence.text) } && !Self.isKnown(sentence.text, in: entries)
    }
    #expect(unknown.isEmpty, "\(unknown.map { "\($0.place): \($0.text)" })")
    let invented = "the gate of the harbour is nobody's 7"
    #expect(!Self.isKnown(invented, in: entries))
  }

  /// `1 pages` is wrong in English: `counted` chooses the word.
  @Test(arguments: ["Artifacts", "Inspection", "Reporting", "Commands"])
  func `does not fix the plural behind a number`(folder: String) throws {
    let files = FileManager.default.subpaths(
      atPath: Self.sources.appendingPathComponent(folder).path)
    let fixed = #/\\\([A-Za-z.]*(?:\.count|Count)\) (?!as\b)[a-z]+s\b/#
    #expect("\"\\(pages.count) pages can be read\"".contains(fixed))
    for file in try #require(files) where file.hasSuffix(".swift") {
      let path = Self.sources.appendingPathComponent(folder).appendingPathComponent(file)
      for match in try String(contentsOf: path, encoding: .utf8).matches(of: fixed) {
        // What a limit lets through is never one.
        guard !match.0.contains("largest") else { continue }
        Issue.record("\(file): \(match.0)")
      }
    }
  }

  @Test func `is read from sources as it is written`() {
    let source = """
      // "no literal at all here"
      say("one \\(a ? "x" : "y") of them is" + " left here") ; f("two words")
      let a = "and \\"quoted\\" words stay"
      """
    let literals = SourceSentences.literals(of: Array(source.utf8))
    #expect(
      literals.map(\.text) == [
        "one 7 of them is left here", "two words", "and \"quoted\" words stay",
      ])
    #expect(literals.map(\.line) == [2, 2, 3])
  }
}
