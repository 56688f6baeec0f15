package import Findings

extension Report {
  /// The report for people who read this language: titles, messages and what to do are translated; paths,
  /// locators, ids and everything else that a program reads stay as they are.
  package func translated(into language: Language) -> Report {
    var report = self
    report.language = language
    guard language != .english else { return report }
    let say = Phrasebook.of(language)
    var sentences = Cache { say($0) }
    var titles = Cache { say.title($0) }
    for index in report.findings.indices {
      let (title, message) = (report.findings[index].title, report.findings[index].message)
      if report.findings[index].rule.hasPrefix("proof.") {
        report.findings[index].title = say.proof(title)
        report.findings[index].remedy = say.proof(report.findings[index].remedy)
        report.findings[index].message =
          message.split(separator: ": ", maxSplits: 1).map { say.proof(String($0)) }
          .joined(separator: say(": "))
        continue
      }
      report.findings[index].title = titles[title]
      report.findings[index].remedy = titles[report.findings[index].remedy]
      if message.hasPrefix(title + " in ") {
        let place = sentences[String(message.dropFirst(title.count + 4))]
        report.findings[index].message = "\(place)：\(titles[title])"
      } else if message.hasPrefix(title + ": ") {
        // What it is, what it is about, and where: names stay as they are.
        let names = message.dropFirst(title.count + 2)
        report.findings[index].message = "\(titles[title])：\(say.names(names))"
      } else {
        report.findings[index].message = sentences[message]
      }
      if let suppressed = report.findings[index].suppressed {
        report.findings[index].suppressed?.reason = say.whole(suppressed.reason)
      }
    }
    for index in report.results.indices {
      report.results[index].reason = sentences.list(report.results[index].reason)
    }
    for index in report.rules.indices {
      report.rules[index].title = titles[report.rules[index].title]
      report.rules[index].remedy = titles[report.rules[index].remedy]
    }
    for index in report.diagnostics.indices {
      report.diagnostics[index].message = sentences[report.diagnostics[index].message]
      report.diagnostics[index].remedy = sentences[report.diagnostics[index].remedy]
    }
    report.proof = report.proof.map { $0.translated(by: say) }
    for index in report.notes.indices {
      report.notes[index].message = sentences[report.notes[index].message]
      report.notes[index].remedy = sentences[report.notes[index].remedy]
    }
    return report
  }
}

extension Proof {
  /// Titles, notes and what went wrong; names of scenarios and commands stay as they are.
  fileprivate func translated(by say: Phrasebook) -> Proof {
    var proof = self
    for index in proof.scenarios.indices {
      proof.scenarios[index].title = say.proof(proof.scenarios[index].title)
      proof.scenarios[index].notes = proof.scenarios[index].notes.map(say.proof)
      for number in proof.scenarios[index].failures.indices {
        let failure = proof.scenarios[index].failures[number]
        proof.scenarios[index].failures[number].fault = say.proof(failure.fault)
        proof.scenarios[index].failures[number].message = say.proof(failure.message)
      }
    }
    for index in proof.mutants.indices {
      proof.mutants[index].name = say.proof(proof.mutants[index].name)
      proof.mutants[index].detail = say.proof(proof.mutants[index].detail)
    }
    return proof
  }
}

/// Translations made so far: the same sentences come again and again.
private struct Cache {
  private static let most = 20_000

  let translate: (String) -> String
  private var known: [String: String] = [:]

  init(_ translate: @escaping (String) -> String) {
    self.translate = translate
  }

  subscript(text: String) -> String {
    mutating get {
      if let translation = known[text] { return translation }
      let translation = translate(text)
      if known.count < Self.most { known[text] = translation }
      return translation
    }
  }

  /// Several sentences in one: each is translated by itself where all of them can be.
  mutating func list(_ text: String) -> String {
    let sentences = text.split(separator: "; ").map(String.init)
    guard sentences.count > 1 else { return self[text] }
    var parts: [String] = []
    for sentence in sentences { parts.append(self[sentence]) }
    let isWhole = zip(parts, sentences).allSatisfy { $0 != $1 }
    let whole = self[text]
    return isWhole || whole == text ? parts.joined(separator: self["; "]) : whole
  }
}
