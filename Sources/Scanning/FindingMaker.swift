import Bytes
import Findings
import RuleEngine

/// Turns sights into findings: names, severity, message, fingerprint.
struct FindingMaker: Sendable {
  let engine: Engine
  let checks: CheckSet
  let key: FingerprintKey
  var storageRules: [StorageRule] = []

  /// The findings of every sight, in the order of the sights, then those of what was noted.
  func findings(from scan: SourceScan, path: String) -> [Finding] {
    let locator = Locator(file: path)
    let storage = scan.noted.flatMap { note in
      storageRules.filter { $0.matches(note.observation.kind, note.observation.values) }
        .map { finding($0, note, path: path, locator) }
    }
    let veil = ValueVeil(scan.sights.map(\.sighting.plain))
    // What was left out may be a name in what is kept.
    let others = scan.isFlooded ? RuleVeil(engine) : nil
    let seen = scan.sights.map { seen in
      let sight = others == nil ? seen : seen.withoutTellingKeys
      var made =
        switch sight.sighting.subject {
        case .rule(let index): finding(engine.rules[index], sight, path: path, locator)
        case .needle(let index): finding(engine.needles[index], sight, path: path, locator)
        }
      made.excerpt = sight.excerpt
      if !veil.isEmpty { made.coverNames(veil.cover) }
      if let others { made.coverNames(others.cover) }
      return made
    }
    return seen + storage
  }

  private func finding(
    _ rule: Rule, _ sight: SourceScan.Sight, path: String, _ locator: Locator
  ) -> Finding {
    Finding(
      fingerprint: key.fingerprint(
        of: [rule.id] + identity(of: sight, path: path), value: sight.sighting.digest,
        bitsOfValue: Self.bits(of: rule)),
      rule: rule.id, title: rule.title,
      severity: Self.severity(of: rule, in: sight.context.member ?? path),
      message: "\(rule.title) in \(Self.place(of: sight))", remedy: rule.remedy, path: path,
      locator: locator.inside(sight.steps).description, ranges: sight.ranges, line: sight.line,
      liveness: sight.liveness, context: sight.context, needle: nil, form: nil,
      sample: sight.sighting.revealed ?? sight.sighting.sample, controls: rule.controls,
      suppressed: Self.suppression(of: sight.steps), also: also(of: sight, locator))
  }

  private func finding(
    _ needle: Needle, _ sight: SourceScan.Sight, path: String, _ locator: Locator
  ) -> Finding {
    let form = sight.sighting.form ?? ""
    return Finding(
      fingerprint: key.fingerprint(
        of: [needle.rule, needle.id] + identity(of: sight, path: path), value: nil, bitsOfValue: 0),
      rule: needle.rule, title: "Protected value in clear", severity: needle.severity,
      message: "protected value \"\(needle.id)\" as \(form) in \(Self.place(of: sight))",
      remedy: "Keep the value encrypted; remove this copy, and what deleted copies lie in.",
      path: path, locator: locator.inside(sight.steps).description, ranges: sight.ranges,
      line: sight.line, liveness: sight.liveness, context: sight.context, needle: needle.id,
      form: form, sample: sight.sighting.revealed ?? sight.sighting.sample,
      controls: ControlOutcomes.ofNeedles,
      suppressed: Self.suppression(of: sight.steps), also: also(of: sight, locator))
  }

  /// A protected value in the name of a file or folder, of which no byte of a file is evidence.
  func finding(inName needle: Needle, _ sighting: Sighting, path: String) -> Finding {
    let form = sighting.form ?? ""
    return Finding(
      fingerprint: key.fingerprint(
        of: [needle.rule, needle.id, StableName.path(path), "name"], value: nil, bitsOfValue: 0),
      rule: needle.rule, title: "Protected value in clear", severity: needle.severity,
      message: "protected value \"\(needle.id)\" as \(form) in the name of a file or folder",
      remedy: "Give files and folders names that say nothing; whoever lists them reads the value.",
      path: path, locator: Locator(file: path).inside(["name"]).description, ranges: [], line: nil,
      liveness: .live, context: Context(), needle: needle.id, form: form,
      sample: sighting.revealed ?? sighting.sample, controls: ControlOutcomes.ofNeedles)
  }

  private func finding(
    _ rule: StorageRule, _ note: SourceScan.Noted, path: String, _ locator: Locator
  ) -> Finding {
    let place = note.observation.place
    // A page has a name, its number, which does not move; bytes and frames do.
    let page = note.observation.kind == .plaintextPage ? place.context.page.map(String.init) : nil
    let identity = [
      rule.id, StableName.path(path), place.context.member ?? "", note.observation.kind.rawValue,
      page ?? "",
    ]
    return Finding(
      fingerprint: key.fingerprint(of: identity, value: nil, bitsOfValue: 0), rule: rule.id,
      title: rule.title, severity: rule.severity, message: note.observation.message,
      remedy: rule.remedy, path: path, locator: locator.inside(note.steps).description,
      ranges: note.ranges, line: nil, liveness: place.liveness, context: place.context, needle: nil,
      form: nil, sample: "", controls: rule.controls,
      suppressed: Self.suppression(of: note.steps))
  }

  /// What a given key opened is where it should be: it is reported, and is no leak.
  private static func suppression(of steps: [String]) -> Suppression? {
    guard steps.contains("decrypted") else { return nil }
    return Suppression(by: .policy, reason: "inside ciphertext that a given key opens")
  }

  private func also(of sight: SourceScan.Sight, _ locator: Locator) -> [String] {
    Set(sight.also.map { locator.inside($0).description }).sorted()
  }

  /// What says where a finding is without naming an offset, a page or a line, or a folder that has
  /// another name in every run. Nor the key that the value stands under: whether a text is taken for
  /// settings with keys depends on its other lines.
  private func identity(of sight: SourceScan.Sight, path: String) -> [String] {
    [
      StableName.path(path), StableName.path(sight.context.member ?? ""),
      sight.context.table ?? "", sight.context.column ?? "",
      sight.liveness == .live ? "live" : "residue",
    ]
  }

  private static func severity(of rule: Rule, in path: String) -> Severity {
    guard let severity = rule.severityInCode, let ending = path.split(separator: ".").last,
      endingsOfCode.contains(ending.lowercased())
    else { return rule.severity }
    return severity
  }

  private static let endingsOfCode: Set<String> = [
    "c", "cc", "cpp", "cs", "cxx", "dart", "go", "h", "hpp", "java", "js", "jsx", "kt", "kts", "m",
    "mm", "php", "proto", "py", "rb", "rs", "scala", "swift", "ts", "tsx",
  ]

  /// How hard the values of a rule are to guess, in bits, at the least.
  private static func bits(of rule: Rule) -> Double {
    rule.id.hasPrefix("pii.") || rule.id.contains("password") ? 0 : FingerprintKey.guessableBelow
  }

  /// The place in words.
  private static func place(of sight: SourceScan.Sight) -> String {
    let context = sight.context
    var words: [String] = []
    if sight.liveness != .live { words.append("\(sight.liveness.rawValue) bytes of") }
    if let table = context.table {
      words.append("table \(table)" + (context.column.map { ", column \($0)" } ?? ""))
    } else if let section = context.section {
      words.append("section \(section)")
    } else if let member = context.member {
      words.append("member \(member)")
    } else if let key = context.key {
      words.append("the value of \(key)")
    } else if let line = sight.line {
      words.append("line \(line)")
    } else if let role = context.role {
      words.append("a \(role) page")
    } else {
      words.append("the file")
    }
    return words.joined(separator: " ")
  }
}
