import CrashImages
package import Findings
import Scanning

/// What came of one scenario, before it becomes a part of the report.
package struct ScenarioOutcome: Sendable {
  var name: String
  var title: String
  var look = Look()
  var failures: [Failure] = []
  var notes: [String] = []
  var skipped: String?
  var kills = 0
  var images = 0
  var errors = 0
  var population = 0
  var seconds = 0.0
  /// Points that were to be tried and were not, since the time was over.
  var left = 0
  /// Every change there was, without bytes: what mutants choose from.
  var changes: [FileChange] = []

  struct Failure: Sendable {
    var point: Int?
    var fault: String
    var judgement: Judgement
  }

  package init(name: String, title: String, planted: [String: Bool] = [:]) {
    self.name = name
    self.title = title
    look.planted = planted
  }

  mutating func add(_ outcome: PointOutcome) {
    look.add(outcome.look)
    switch outcome.point.kind {
    case .fault(.killBefore), .fault(.killMiddle), .fault(.killAfter),
      .fault(.abort):
      kills += 1
    case .fault(.full), .fault(.error), .fault(.errors), .fault(.short): errors += 1
    case .power: images += 1
    }
    if outcome.judgement.verdict != .clean {
      failures.append(
        Failure(point: outcome.point.number, fault: outcome.fault, judgement: outcome.judgement))
    }
    // The first leak of a kind says at which point it was.
    for leak in outcome.look.leaks.prefix(1) {
      failures.append(
        Failure(
          point: outcome.point.number, fault: outcome.fault,
          judgement: Judgement(
            verdict: .leaked, message: "\(leak.finding.message), in \(leak.place)")))
    }
  }
}

extension ScenarioOutcome {
  /// Failures kept in a report: the rest is counted.
  private static let mostFailures = 20

  /// The scenario as the report shows it.
  func scenario(_ options: ProofOptions, groups: [Canary.Group]) -> Proof.Scenario {
    var scenario = Proof.Scenario(name: name, title: title)
    scenario.notes = notes
    (scenario.kills, scenario.images, scenario.errors) = (kills, images, errors)
    (scenario.population, scenario.seconds) = (population, seconds)
    if let skipped {
      scenario.verdict = .skipped
      scenario.notes.append(skipped)
      return scenario
    }
    scenario.cells = cells(groups)
    let all = failures + missedLeaks
    scenario.failureCount = all.count
    scenario.failures = all.prefix(Self.mostFailures).map { failure in
      Proof.Failure(
        point: failure.point, fault: failure.fault, verdict: failure.judgement.verdict,
        message: failure.judgement.message,
        reproduce: Self.command(options, name, failure.point))
    }
    let verdicts = all.map(\.judgement.verdict) + scenario.cells.map(\.verdict)
    scenario.verdict = verdicts.max() ?? .clean
    // Of what nobody looked at nothing is known.
    if left > 0, kills + images + errors == 0, all.isEmpty { scenario.verdict = .skipped }
    if left > 0 { scenario.notes.append("\(left) points were left out: the time was over") }
    return scenario
  }

  /// Places of which nothing is known: what was planted there was not found.
  private var missedLeaks: [Failure] {
    look.planted.sorted { $0.key < $1.key }.compactMap { place, isFound in
      guard !isFound, !look.leaks.contains(where: { $0.place == place }) else { return nil }
      return Failure(
        point: nil, fault: "",
        judgement: Judgement(
          verdict: .noAnswer, message: "a leak planted in \(place) was not found"))
    }
  }

  private static func command(_ options: ProofOptions, _ name: String, _ point: Int?) -> String {
    "vestige prove --driver '\(options.driver.text)' --seed \(options.seed) --scenario \(name)"
      + (point.map { " --point \($0)" } ?? "")
  }

  private func cells(_ groups: [Canary.Group]) -> [Proof.Cell] {
    let places = Set(look.bytes.keys).union(look.leaks.map(\.place)).sorted()
    return places.flatMap { place in
      let leaking = Set(look.leaks.filter { $0.place == place }.map(\.group))
      let looked = (look.groups[place] ?? groups).filter { !(place == "keys" && $0 == .keys) }
      return Set(looked).union(leaking).sorted { $0.rawValue < $1.rawValue }.map { group in
        let found = look.leaks.filter { $0.place == place && $0.group == group }
        return Proof.Cell(
          place: place, canaries: group.rawValue, verdict: found.isEmpty ? .clean : .leaked,
          bytes: look.bytes[place] ?? 0,
          foundPlanted: leaking.isEmpty ? look.planted[place] : nil,
          findings: Array(Set(found.map(\.finding.fingerprint)).sorted().prefix(20)))
      }
    }
  }

  /// What goes among the report's findings: leaks, each place once, and every other way to fail.
  package func findings(_ options: ProofOptions) -> [Finding] {
    var seen: Set<[String]> = []
    var findings: [Finding] = []
    for leak in look.leaks {
      let finding = leak.finding
      // The same place at the next point is the same leak.
      guard seen.insert([leak.place, finding.fingerprint]).inserted else { continue }
      findings.append(finding)
    }
    for failure in failures + missedLeaks where !failure.judgement.verdict.isGood {
      guard failure.judgement.verdict != .leaked || failure.point == nil else { continue }
      findings.append(Self.finding(failure, name, options))
    }
    return findings
  }

  private static func finding(
    _ failure: Failure, _ name: String, _ options: ProofOptions
  ) -> Finding {
    let verdict = failure.judgement.verdict
    let locator = name + (failure.point.map { "!/point/\($0)" } ?? "")
    return Finding(
      fingerprint: FingerprintKey.published.fingerprint(
        of: ["proof", options.driver.text, locator, verdict.rawValue, failure.judgement.message]),
      rule: "proof.\(verdict.rawValue)", title: verdict.title,
      severity: verdict == .noAnswer ? .high : .critical,
      message: [failure.fault, failure.judgement.message].filter { !$0.isEmpty }
        .joined(separator: ": "),
      remedy: "See it again: \(command(options, name, failure.point))", path: name,
      locator: locator, ranges: [], line: nil, liveness: .live, context: Context(), needle: nil,
      form: nil, sample: "", controls: [])
  }
}

extension Proof.Verdict {
  package var title: String {
    switch self {
    case .clean: "Nothing found"
    case .skipped: "Not looked at"
    case .noAnswer: "Store does not answer"
    case .leaked: "Protected value in clear"
    case .wrongProfile: "Data of another profile"
    case .undecidable: "Undecidable state"
    case .lost: "Committed data lost"
    }
  }
}
