import Findings
import Languages
import Reporting
import Scanning

/// Where one report goes, and in which format.
struct ReportOutput {
  private var format: any ReportFormat
  /// Nothing for standard output.
  private let path: String?
  private var language = Language.english

  /// What the format shows beyond findings and scope.
  var details: Report.Detail { format.details }

  static let option = Option(
    "--report", "FORMAT[=PATH]", isRepeatable: true, choices: ReportFormats.builtIn.map(\.name),
    "write a report to the terminal or to PATH: "
      + ReportFormats.builtIn.map(\.name).joined(separator: ", "))

  /// For commands that have the inputs before them: only those can write evidence.
  static let optionWithBundle = Option(
    "--report", "FORMAT[=PATH]", isRepeatable: true, choices: option.choices + ["bundle"],
    option.help + "; bundle=PATH writes a file of evidence for vestige verify")

  /// The outputs that `--report` asks for; text to the terminal where it asks for none.
  ///
  /// - Parameter showsReasons: Whether the text report says why checks were not evaluated.
  static func outputs(
    _ arguments: [String], _ terminal: Terminal, showsReasons: Bool = true,
    choices: [String] = option.choices
  ) throws(UsageError) -> [ReportOutput] {
    var outputs: [ReportOutput] = []
    for argument in arguments {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map(String.init)
      guard let name = parts.first, let format = ReportFormats.named(name) else {
        if parts.first == "bundle" {
          throw .badValue("--report", "can be bundle only where the inputs are read: vestige scan")
        }
        throw .badValue("--report", "must be one of \(choices.joined(separator: ", "))")
      }
      let path = parts.count == 2 ? parts[1] : nil
      guard path?.isEmpty != true else {
        throw .badValue("--report", "needs a path behind \(name)=, or no =")
      }
      outputs.append(ReportOutput(format: format, path: path))
    }
    let paths = outputs.compactMap(\.path)
    guard Set(paths).count == paths.count else {
      throw .badValue("--report", "names one path for two reports")
    }
    guard outputs.count(where: { $0.path == nil }) <= 1 else {
      throw .badValue("--report", "can go to the terminal only once; give FORMAT=PATH")
    }
    if outputs.isEmpty || terminal.isQuiet == false && !outputs.contains(where: { $0.path == nil })
    {
      outputs.insert(ReportOutput(format: TextReport(style: .plain), path: nil), at: 0)
    }
    return outputs.map { output in
      var output = output
      output.language = terminal.language
      output.fit(to: terminal, showsReasons)
      return output
    }
  }

  /// Finds out before any work is done whether the report could be written.
  func check() throws(OutputError) {
    if let path { try FileOutput.check(path) }
  }

  func check(isNoneOf inputs: [String]) throws(UsageError) {
    if let path { try FileOutput.check(path, isNoneOf: inputs) }
  }

  func check(isNoneScannedBy options: ScanOptions) throws(UsageError) {
    if let path { try FileOutput.check(path, isNoneScannedBy: options) }
  }

  /// The same with what only the place where it is written can tell: colour, and where links lead.
  private mutating func fit(to terminal: Terminal, _ showsReasons: Bool) {
    switch format.name {
    case "text":
      let style: TextStyle = path == nil && terminal.usesColor ? .colored : .plain
      format = TextReport(style: style, showsReasons: showsReasons)
    case "markdown": format = MarkdownReport(links: Self.links)
    default: break
    }
  }

  /// Where the files of the commit that a CI job works on can be looked at.
  private static var links: String? {
    func joined(_ names: [String], _ steps: [String]) -> String? {
      let values = names.compactMap(Terminal.variable).filter { !$0.isEmpty }
      guard values.count == names.count, values.allSatisfy({ $0.allSatisfy(isOfAddress) }) else {
        return nil
      }
      return zip(values, steps).map { $0 + $1 }.joined()
    }
    return joined(
      ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA"], ["/", "/blob/", "/"])
      ?? joined(["CI_PROJECT_URL", "CI_COMMIT_SHA"], ["/-/blob/", "/"])
  }

  private static func isOfAddress(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber || ":/._-~%".contains(character))
  }

  /// What the format is for decides what it is given: JSON stays in English, so that a program, and
  /// `vestige report` in any language, can read it.
  private func prepared(_ report: Report) throws -> Report {
    guard format.name != "json" else { return report }
    guard format.details.contains(.standards) else { return report.translated(into: language) }
    return try Self.standards(in: report, language)
  }

  /// The report in a language, with the standards that its rules speak to.
  static func standards(in report: Report, _ language: Language) throws -> Report {
    var report = report.translated(into: language)
    report.standards = try StandardFile.builtIn()
    return report
  }

  func write(_ report: Report) throws {
    let report = try prepared(report)
    var output = FileOutput.standardOutput()
    if let path { output = try FileOutput(creating: path) }
    format.write(report, to: &output)
    try output.finish()
  }
}
