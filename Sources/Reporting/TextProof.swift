package import Findings
import Languages

/// A proof as text for a terminal: a line a scenario while it runs, then the matrix of places.
package struct TextProof: Sendable {
  private let usesColor: Bool
  private let say: Phrasebook

  package init(usesColor: Bool, language: Language = .english) {
    self.usesColor = usesColor
    say = Phrasebook.of(language)
  }

  /// Failures shown below a scenario's line; the JSON report has more.
  private static let shown = 3
  private static let indent = String(repeating: " ", count: 14)

  /// What came of one scenario: verdict, name, how much was tried, and what went wrong.
  package func lines(of scenario: Proof.Scenario) -> String {
    var text = paint(padded(say.proof(scenario.verdict.rawValue), 14), scenario.verdict)
    text += padded(scenario.name, 36) + amount(of: scenario) + "\n"
    for failure in scenario.failures.prefix(Self.shown) {
      let message = say.proof(failure.message)
      let what = failure.fault.isEmpty ? message : say.proof(failure.fault) + say(": ") + message
      text += Self.indent + say.proof(failure.verdict.rawValue) + say(": ") + harmless(what) + "\n"
      if failure.point != nil {
        text += Self.indent + say.proof("again") + say(": ") + harmless(failure.reproduce) + "\n"
      }
    }
    let more = scenario.failureCount - Self.shown
    if more > 0 { text += Self.indent + say.proof("and \(more) more") + "\n" }
    for note in scenario.notes {
      text += Self.indent + say.proof("note") + say(": ") + harmless(say.proof(note)) + "\n"
    }
    return text
  }

  private func amount(of scenario: Proof.Scenario) -> String {
    var parts: [String] = []
    if scenario.kills > 0 { parts.append(say.proof(counted(scenario.kills, "kill"))) }
    if scenario.images > 0 { parts.append(say.proof(counted(scenario.images, "power-loss image"))) }
    if scenario.errors > 0 { parts.append(say.proof(counted(scenario.errors, "failed call"))) }
    let tried = scenario.kills + scenario.images + scenario.errors
    if tried > 0, tried < scenario.population {
      parts.append(say.proof("of \(scenario.population)"))
    }
    guard scenario.verdict != .skipped else { return "" }
    parts.append(say.proof("\((scenario.seconds * 10).rounded() / 10) s"))
    return parts.joined(separator: say(", "))
  }

  /// Scenarios by places: what was found where, and whether a leak planted there was found.
  package func matrix(of proof: Proof) -> String {
    let places = Self.order.filter { place in
      proof.scenarios.contains { $0.cells.contains { $0.place == place } }
    }
    var text =
      padded("", 36) + places.map { padded(say.proof($0), 11) }.joined() + say.proof("state") + "\n"
    for scenario in proof.scenarios where scenario.verdict != .skipped {
      text += padded(scenario.name, 36)
      for place in places {
        let cells = scenario.cells.filter { $0.place == place }
        guard let worst = cells.map(\.verdict).max() else {
          text += padded("", 11)
          continue
        }
        // A star: a leak planted in this place, in this scenario, was found.
        let star = worst == .clean && cells.contains { $0.foundPlanted == true } ? "*" : ""
        text += paint(padded(say.proof(worst.rawValue) + star, 11), worst)
      }
      let state = scenario.failures.map(\.verdict).filter { $0 != .leaked }.max() ?? .clean
      text += paint(say.proof(state.rawValue), state) + "\n"
    }
    return text
  }

  private static let order = [
    "files", "temporary", "keys", "writes", "output", "opened", "memory", "core", "backup",
  ]

  /// The last lines: everything in numbers.
  package func summary(of report: Report) -> String {
    guard let proof = report.proof else { return "" }
    var text = ""
    for mutant in proof.mutants {
      text +=
        say.proof(mutant.isCaught ? "caught" : "not caught") + "  "
        + harmless(say.proof(mutant.name)) + say(": ") + harmless(say.proof(mutant.detail)) + "\n"
    }
    let tried = proof.kills + proof.images + proof.errors
    let rate = report.run.seconds > 0 ? Double(tried) / report.run.seconds : 0
    text += say.proof("\(harmless(proof.store)), seed \(proof.seed)") + say(": ")
    text += [
      counted(proof.scenarios.count, "scenario"), counted(proof.kills, "kill"),
      counted(proof.images, "power-loss image"), counted(proof.errors, "failed call"),
    ].map(say.proof).joined(separator: say(", "))
    let seconds = (report.run.seconds * 10).rounded() / 10
    text += say.proof(" in \(seconds) s (\((rate * 10).rounded() / 10) a second)") + "\n"
    text +=
      say.proof(
        "\(counted(report.scope.files, "file")) and \(report.scope.bytes >> 20) MiB searched for "
          + "\(counted(report.scope.needles, "canary", "canaries")) in "
          + counted(report.scope.forms, "form")) + "\n"
    let bad = proof.scenarios.filter { !$0.verdict.isGood }.count
    let skipped = proof.scenarios.filter { $0.verdict == .skipped }.count
    text += say.proof(bad == 0 ? "clean" : counted(bad, "scenario") + " not clean")
    text += skipped > 0 ? say(", ") + say.proof("\(skipped) not run") : ""
    return text + say.proof(" (exit \(report.run.status))") + "\n"
  }

  private func padded(_ text: String, _ width: Int) -> String {
    TextLayout.padded(text, width)
  }

  private func paint(_ text: String, _ verdict: Proof.Verdict) -> String {
    guard usesColor else { return text }
    let code =
      switch verdict {
      case .clean: "32"
      case .skipped: "2"
      case .noAnswer: "33"
      case .leaked, .wrongProfile, .undecidable, .lost: "1;31"
      }
    return "\u{1b}[\(code)m\(text)\u{1b}[0m"
  }

  /// What a driver says may hold anything.
  private func harmless(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) ? "\u{fffd}" : scalar
        }))
  }
}
