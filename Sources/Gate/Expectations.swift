import Findings
import Scanning

/// What a policy expects of files, decided on what a run read.
struct Expectations {
  let policy: Policy
  let key: FingerprintKey
  let classes: @Sendable (String) -> Set<String>

  func judge(_ report: inout Report) {
    requireScope(&report)
    for expectation in policy.expectations {
      let inputs = report.inputs.filter { input in
        expectation.paths.contains { $0.matches(input.path) }
      }
      if expectation.isRequired { require(expectation, inputs, &report) }
      if expectation.isAbsent { forbid(expectation, inputs, &report) }
      if expectation.encrypted != nil { requireCiphertext(expectation, inputs, &report) }
      if !expectation.no.isEmpty { forbidFindings(expectation, &report) }
      if expectation.hasNeutralNames { requireNeutralNames(expectation, inputs, &report) }
    }
  }

  // MARK: What was looked at

  private func requireScope(_ report: inout Report) {
    let files = report.scope.files
    if files < policy.required.files {
      add(
        "policy.required", "", "",
        "\(files) files were read, and the policy wants \(policy.required.files)", .high,
        "name the paths that the policy is about; nothing found in nothing means nothing", [],
        &report)
    }
    for glob in policy.required.paths {
      let isRead = report.inputs.contains { $0.isHashed && glob.matches($0.path) }
      guard !isRead else { continue }
      add(
        "policy.required", glob.pattern, glob.pattern,
        "no file that \(glob.pattern) means was read to its end", .high,
        "build or export it before the gate, or correct the policy", [], &report)
    }
  }

  private func require(
    _ expectation: Policy.Expectation, _ inputs: [InputRecord], _ report: inout Report
  ) {
    guard !inputs.contains(where: { $0.isHashed }) else { return }
    let pattern = expectation.pattern
    add(
      "policy.required", pattern, pattern, "no file that \(pattern) means was read to its end",
      expectation.severity, expectation.remedy("build or export it before the gate"),
      expectation.controls, &report)
  }

  // MARK: Files

  private func forbid(
    _ expectation: Policy.Expectation, _ inputs: [InputRecord], _ report: inout Report
  ) {
    // What could not be read is there all the same.
    let unread = report.diagnostics.map(\.path).filter { path in
      expectation.paths.contains { $0.matches(path) }
    }
    let paths = Set(inputs.map(\.path) + unread).sorted()
    for path in paths {
      add(
        "policy.absent", path, path, "a file is here that must not exist", expectation.severity,
        expectation.remedy("remove it, and what writes it"), expectation.controls, &report)
    }
    decide("policy.absent", expectation, paths.isEmpty ? .pass : .fail, paths.count, &report)
  }

  private func requireCiphertext(
    _ expectation: Policy.Expectation, _ inputs: [InputRecord], _ report: inout Report
  ) {
    var (failed, undecided) = (0, 0)
    for input in inputs {
      switch Self.isCiphertext(input, expectation.encrypted) {
      case .pass: continue
      case .fail:
        failed += 1
        let seen = input.encrypted == .mixed ? "is so only in part" : "is not"
        add(
          "policy.encrypted", input.path, input.path,
          "the policy wants ciphertext here, and this file (\(input.kind)) \(seen)",
          expectation.severity,
          expectation.remedy(
            "encrypt the store; plaintext that was written stays until it is erased"),
          expectation.controls, &report)
      case .notEvaluated:
        undecided += 1
        report.diagnostics.append(
          Diagnostic(
            path: input.path, locator: input.path, code: .policyUndecided,
            message: "it cannot be told whether this file (\(input.kind)) is ciphertext",
            remedy: "give its key with --key, or look at it with vestige inspect"))
      }
    }
    let outcome: RuleResult.Outcome =
      failed > 0 ? .fail : undecided > 0 || inputs.isEmpty ? .notEvaluated : .pass
    decide("policy.encrypted", expectation, outcome, inputs.count, &report)
  }

  private static func isCiphertext(
    _ input: InputRecord, _ wanted: Policy.Encryption?
  ) -> RuleResult.Outcome {
    // An empty file holds nothing, and a log's shared index nothing but page numbers.
    if input.bytes == 0 || input.kind == "sqlite-shm" { return .pass }
    switch input.encrypted {
    case .no, .mixed: return .fail
    case .unknown: return .notEvaluated
    case .yes:
      let isDatabase = ["sqlcipher", "sqlite", "sqlite-wal", "sqlite-journal"].contains(input.kind)
      return wanted == .any || isDatabase ? .pass : .fail
    }
  }

  // MARK: Findings and names

  private func forbidFindings(_ expectation: Policy.Expectation, _ report: inout Report) {
    for pack in expectation.no {
      let rule = "policy.no-\(pack)"
      let isInEffect =
        pack == "needle" ? report.scope.needles > 0 : report.rules.contains { $0.id.isIn(pack) }
      guard isInEffect else {
        undecided(
          rule, expectation, "no \(pack == "needle" ? "needle" : "rule of \(pack)") is in effect",
          &report)
        continue
      }
      var counts: [(path: String, count: Int)] = []
      for finding in report.findings
      where finding.suppressed == nil && finding.rule.isIn(pack)
        && expectation.paths.contains(where: { $0.matches(finding.path) })
      {
        if counts.last?.path == finding.path {
          counts[counts.count - 1].count += 1
        } else {
          counts.append((finding.path, 1))
        }
      }
      for (path, count) in counts {
        add(
          rule, path, path,
          "the policy wants nothing of \(pack) here, and \(count) \(count == 1 ? "was" : "were") found",
          expectation.severity, expectation.remedy("see the findings in this file"),
          expectation.controls, &report)
      }
      decide(rule, expectation, counts.isEmpty ? .pass : .fail, counts.count, &report)
    }
  }

  private func requireNeutralNames(
    _ expectation: Policy.Expectation, _ inputs: [InputRecord], _ report: inout Report
  ) {
    var told: Set<String> = []
    for input in inputs {
      var folder = ""
      for step in input.path.split(separator: "/") {
        folder += folder.isEmpty ? "\(step)" : "/\(step)"
        let said = classes(String(step))
        // A folder is told once, not with every file in it.
        guard !said.isEmpty, told.insert(folder).inserted else { continue }
        add(
          "policy.names", folder, folder,
          "the name \(step) says what it holds: \(said.sorted().joined(separator: ", "))",
          expectation.severity,
          expectation.remedy("name it by something that says nothing, such as a random identifier"),
          expectation.controls, &report)
      }
    }
    let outcome: RuleResult.Outcome =
      !told.isEmpty ? .fail : inputs.isEmpty ? .notEvaluated : .pass
    decide("policy.names", expectation, outcome, inputs.count, &report)
  }

  // MARK: What is told

  private func add(
    _ rule: String, _ path: String, _ identity: String, _ message: String, _ severity: Severity,
    _ remedy: String, _ controls: [String], _ report: inout Report
  ) {
    report.findings.append(
      Finding(
        fingerprint: key.fingerprint(of: [rule, StableName.path(identity)]), rule: rule,
        title: Self.titles[rule] ?? "Found where the policy wants nothing", severity: severity,
        message: message, remedy: remedy, path: path, locator: path, ranges: [], line: nil,
        liveness: .live, context: Context(), needle: nil, form: nil, sample: "", controls: controls)
    )
  }

  static let titles = [
    "policy.required": "Not seen, and the policy wants it", "policy.absent": "Must not be here",
    "policy.encrypted": "Must be ciphertext", "policy.names": "A name says what it holds",
  ]

  private func decide(
    _ rule: String, _ expectation: Policy.Expectation, _ outcome: RuleResult.Outcome, _ count: Int,
    _ report: inout Report
  ) {
    let files = "\(count) file\(count == 1 ? "" : "s")"
    let reason =
      switch outcome {
      case .pass: count == 0 ? "nothing against it" : "\(files) looked at"
      case .fail: "not so in \(expectation.pattern)"
      case .notEvaluated: count == 0 ? "no file is meant" : "not every one of \(files) can be told"
      }
    report.results.append(
      RuleResult(rule: rule, path: expectation.pattern, outcome: outcome, reason: reason))
  }

  /// An expectation that nothing could have contradicted was not checked: the run is incomplete.
  private func undecided(
    _ rule: String, _ expectation: Policy.Expectation, _ reason: String, _ report: inout Report
  ) {
    report.results.append(
      RuleResult(rule: rule, path: expectation.pattern, outcome: .notEvaluated, reason: reason))
    report.diagnostics.append(
      Diagnostic(
        path: policy.path, locator: "\(policy.path):\(expectation.line)", code: .policyUndecided,
        message: "\(rule) for \(expectation.pattern) was not checked: \(reason)",
        remedy: "give needles or packs, or take the expectation out"))
  }
}

extension Policy.Expectation {
  /// The paths it is about, in one text.
  var pattern: String { paths.map(\.pattern).joined(separator: ", ") }

  /// What to do, with the policy's own reason.
  func remedy(_ remedy: String) -> String { why.isEmpty ? remedy : "\(remedy) (\(why))" }
}

extension String {
  /// Whether a rule's id is one of a pack, or the rule itself.
  func isIn(_ pack: String) -> Bool { self == pack || hasPrefix(pack + ".") }
}
