package import Findings

extension Report {
  /// The report for people who read this language: titles, messages and what to do are translated; paths,
  /// locators, ids and everything else that a program reads stay as they are.
  package func translated(into language: Language) -> Report {
    var report = self
    report.language = language
    guard language != .english else { return report }
    // The same sentences come again and again.
    var known: [String: String] = [:]
    let say = Phrasebook.of(language)
    func translate(_ text: inout String) {
      if let translation = known[text] {
        text = translation
      } else {
        let translation = say(text)
        if known.count < 20_000 { known[text] = translation }
        text = translation
      }
    }
    for index in report.findings.indices {
      let (title, message) = (report.findings[index].title, report.findings[index].message)
      translate(&report.findings[index].title)
      if message.hasPrefix(title + " in ") {
        var place = String(message.dropFirst(title.count + 4))
        translate(&place)
        report.findings[index].message = "\(place)：\(report.findings[index].title)"
      } else {
        translate(&report.findings[index].message)
      }
      translate(&report.findings[index].remedy)
      if var suppressed = report.findings[index].suppressed {
        translate(&suppressed.reason)
        report.findings[index].suppressed = suppressed
      }
    }
    for index in report.results.indices { translate(&report.results[index].reason) }
    for index in report.rules.indices {
      translate(&report.rules[index].title)
      translate(&report.rules[index].remedy)
    }
    for index in report.diagnostics.indices {
      translate(&report.diagnostics[index].message)
      translate(&report.diagnostics[index].remedy)
    }
    return report
  }
}
