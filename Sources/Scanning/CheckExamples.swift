import Bytes
import Findings
package import RuleEngine

/// Runs checks on their own examples, read as in a scan.
package enum CheckExamples {
  /// What a check says of an example.
  package enum Outcome: String, Sendable {
    case fails, warns, passes
    case undecided
    /// There was nothing in it to decide on.
    case nothing
  }

  /// An example that a check got wrong, by number.
  package struct Failure: Equatable, Sendable, CustomStringConvertible {
    package var rule: String
    package var kind: String
    /// From 1.
    package var number: Int
    package var outcome: Outcome

    package var description: String {
      "\(rule): \(kind) example \(number): the outcome is \"\(outcome.rawValue)\""
    }
  }

  /// Every wrong example, each judged with its check alone.
  package static func failures(of checks: [Check], lexicon: Lexicon) -> [Failure] {
    var failures: [Failure] = []
    for check in checks {
      let set = CheckSet([check], lexicon: lexicon)
      let examples = check.examples
      let kinds: [(String, [Check.Example], Set<Outcome>)] = [
        ("match", examples.match, [.fails]), ("warn", examples.warn, [.warns]),
        ("clean", examples.clean, [.passes, .nothing]),
        ("undecided", examples.undecided, [.undecided]),
      ]
      for (kind, examples, wanted) in kinds {
        for (index, example) in examples.enumerated() {
          let outcome = outcome(of: example, with: set)
          guard !wanted.contains(outcome) else { continue }
          failures.append(
            Failure(rule: check.id, kind: kind, number: index + 1, outcome: outcome))
        }
      }
    }
    return failures
  }

  /// What a set of one check says of an example.
  package static func outcome(of example: Check.Example, with set: CheckSet) -> Outcome {
    guard let engine = try? Engine(rules: [], needles: [], allowsNothing: true) else {
      return .nothing
    }
    let task = ScanTask(
      searcher: Searcher(engine), judge: Judge(set), limits: ScanOptions.Limits(), keys: [])
    let findings = FindingMaker(engine: engine, checks: set, key: .published)
    var results = CheckResults(set)
    var report = Report(
      toolVersion: "", run: .init(started: "", seconds: 0, status: 0, failOn: nil, reveals: false),
      scope: Report.Scope())
    func finish(_ scan: SourceScan, _ path: String) {
      results.add(findings.rulings(from: scan, path: path, into: &report.findings))
    }
    for file in example.files {
      task.begin(file.name, below: ".") { suffix in sibling(file.name, suffix, example) }
      let name = file.name.split(separator: "/").last.map(String.init) ?? file.name
      let scan = SourceScan(task: task, name: name, depth: 0, steps: [])
      scan.scan(Array(file.text.utf8))
      scan.stateFile(file.name, byteCount: file.text.utf8.count)
      finish(scan, file.name)
    }
    if !example.facts.isEmpty {
      task.begin("example", below: ".") { _ in nil }
      let scan = SourceScan(task: task, name: "example", depth: 0, steps: [])
      for fact in example.facts { scan.state(fact) }
      finish(scan, "example")
    }
    results.add(task.judge.tally)
    results.finish(&report, roots: ["."], findings: findings)
    return Outcome(results.total)
  }

  /// A file of the example beside another, as in a folder.
  private static func sibling(
    _ name: String, _ suffix: String, _ example: Check.Example
  ) -> (any ByteSource)? {
    let folder = name.split(separator: "/").dropLast().map { $0 + "/" }.joined()
    let wanted = suffix.hasPrefix("-") ? name + suffix : folder + suffix
    return example.files.first { $0.name == wanted }.map { MemorySource(Array($0.text.utf8)) }
  }
}

extension CheckExamples.Outcome {
  init(_ count: Tally.Count) {
    if count.failed > 0 {
      self = .fails
    } else if !count.undecided.isEmpty {
      self = .undecided
    } else if count.warned > 0 {
      self = .warns
    } else {
      self = count.applied > 0 ? .passes : .nothing
    }
  }
}
