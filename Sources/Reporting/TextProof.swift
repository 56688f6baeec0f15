package import Findings

/// A proof as text for a terminal: a line a scenario while it runs, then the matrix of places.
package struct TextProof: Sendable {
  private let usesColor: Bool

  package init(usesColor: Bool) {
    self.usesColor = usesColor
  }

  /// Failures shown below a scenario's line; the JSON report has more.
  private static let shown = 3

  /// What came of one scenario: verdict, name, how much was tried, and what went wrong.
  package func lines(of scenario: Proof.Scenario) -> String {
    var text = paint(padded(scenario.verdict.rawValue, 14), scenario.verdict)
    text += padded(scenario.name, 36) + amount(of: scenario) + "\n"
    for failure in scenario.failures.prefix(Self.shown) {
      let what = failure.fault.isEmpty ? failure.message : "\(failure.fault): \(failure.message)"
      text += "              \(failure.verdict.rawValue): \(harmless(what))\n"
      if failure.point != nil { text += "              again: \(harmless(failure.reproduce))\n" }
    }
    let more = scenario.failureCount - Self.shown
    if more > 0 { text += "              and \(more) more\n" }
    for note in scenario.notes { text += "              note: \(harmless(note))\n" }
    return text
  }

  private func amount(of scenario: Proof.Scenario) -> String {
    var parts: [String] = []
    if scenario.kills > 0 { parts.append("\(scenario.kills) kills") }
    if scenario.images > 0 { parts.append("\(scenario.images) power-loss images") }
    if scenario.errors > 0 { parts.append("\(scenario.errors) failed calls") }
    let tried = scenario.kills + scenario.images + scenario.errors
    if tried > 0, tried < scenario.population { parts.append("of \(scenario.population)") }
    guard scenario.verdict != .skipped else { return "" }
    return (parts + ["\((scenario.seconds * 10).rounded() / 10) s"]).joined(separator: ", ")
  }

  /// Scenarios by places: what was found where, and whether a leak planted there was found.
  package func matrix(of proof: Proof) -> String {
    let places = Self.order.filter { place in
      proof.scenarios.contains { $0.cells.contains { $0.place == place } }
    }
    var text = padded("", 36) + places.map { padded($0, 11) }.joined() + "state\n"
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
        text += paint(padded(worst.rawValue + star, 11), worst)
      }
      let state = scenario.failures.map(\.verdict).filter { $0 != .leaked }.max() ?? .clean
      text += paint(state.rawValue, state) + "\n"
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
        "\(mutant.isCaught ? "caught" : "not caught")  \(harmless(mutant.name)): \(harmless(mutant.detail))\n"
    }
    let tried = proof.kills + proof.images + proof.errors
    let rate = report.run.seconds > 0 ? Double(tried) / report.run.seconds : 0
    text += "\(harmless(proof.store)), seed \(proof.seed): \(proof.scenarios.count) scenarios"
    text +=
      ", \(proof.kills) kills, \(proof.images) power-loss images, \(proof.errors) failed calls"
    text +=
      " in \((report.run.seconds * 10).rounded() / 10) s (\((rate * 10).rounded() / 10) a second)\n"
    text += "\(report.scope.files) files and \(report.scope.bytes >> 20) MiB searched for "
    text += "\(report.scope.needles) canaries in \(report.scope.forms) forms\n"
    let bad = proof.scenarios.filter { !$0.verdict.isGood }.count
    let skipped = proof.scenarios.filter { $0.verdict == .skipped }.count
    text += bad == 0 ? "clean" : "\(bad) scenarios not clean"
    text += skipped > 0 ? ", \(skipped) not run" : ""
    return text + " (exit \(report.run.status))\n"
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
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
