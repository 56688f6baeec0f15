package import Findings
package import YAML

/// A rule of kind `storage`: it turns what readers observe of databases, their logs and what lies beside
/// them into findings.
package struct StorageRule: Equatable, Sendable {
  /// `<pack>.<rule>`, the path of its file below `packs/`.
  package var id: String
  package var title: String
  package var severity: Severity
  package var remedy: String
  package var controls: [String] = []
  package var references: [String] = []
  package var profiles: [String] = []

  /// Any of these makes a finding.
  package var observed: [Observation.Kind] = []
  /// What the observation must say besides: one of these texts for each name.
  package var conditions: [String: [String]] = [:]
  /// What must have been looked at for the rule to have decided anything.
  package var applies = Scope.store
  /// Whether one finding a scan says it all, with the other places beside it.
  package var isOnce = false
  package var examples = Examples()

  /// What a scan may have looked at. Raw values are the words of rule files.
  package enum Scope: String, CaseIterable, Sendable {
    /// A database, encrypted or not.
    case store
    case encrypted
    /// A write-ahead log.
    case log
    /// A rollback journal.
    case journal
    /// A database to which a replaced key was given.
    case oldKey = "old-key"
    /// A database whose own name says that it is encrypted.
    case name

    /// Why a rule decided nothing.
    package var missing: String {
      switch self {
      case .store: "no database was looked at"
      case .encrypted: "no encrypted database was looked at"
      case .log: "no write-ahead log was looked at"
      case .journal: "no rollback journal was looked at"
      case .oldKey: "no replaced key was given with --key old=…, or it had nothing to be tried on"
      case .name: "no database has a name that says that it is encrypted"
      }
    }
  }

  /// What was observed, as examples write it.
  package struct Example: Equatable, Sendable {
    package var observed: Observation.Kind
    package var values: [String: String]
  }

  /// The rule's own tests: every `match` must make a finding, no `clean` may.
  package struct Examples: Equatable, Sendable {
    package var match: [Example] = []
    package var clean: [Example] = []
  }

  package func matches(_ kind: Observation.Kind, _ values: [String: String]) -> Bool {
    observed.contains(kind)
      && conditions.allSatisfy { name, wanted in wanted.contains(values[name] ?? "") }
  }
}

extension StorageRule {
  private static let keys = [
    "id", "title", "severity", "kind", "observed", "when", "applies", "once", "remedy", "controls",
    "references", "profiles", "examples",
  ]

  /// The rule in a YAML document. `path` is the file's path below its packs folder and must agree with
  /// the rule's id.
  package init(_ root: YAMLNode, path: String) throws(YAMLError) {
    let fields = try root.fields(Self.keys)
    let idNode = try fields.required("id")
    id = try idNode.text()
    title = try fields.required("title").text()
    remedy = try fields.required("remedy").text()
    severity = try Severity(fields.required("severity"))
    guard id == RulePack.id(of: path) else {
      throw YAMLError(
        "the id must be \"\(RulePack.id(of: path))\", as the file's path says", at: idNode.mark)
    }
    for node in try fields.required("observed").items() {
      observed.append(try node.word(Observation.Kind.self))
    }
    for entry in try fields["when"]?.entries() ?? [] {
      conditions[entry.key] = try entry.value.texts()
    }
    if let node = fields["applies"] { applies = try node.word(Scope.self) }
    isOnce = try fields["once"]?.boolean() ?? false
    controls = try fields["controls"]?.texts() ?? []
    references = try fields["references"]?.texts() ?? []
    profiles = try fields["profiles"]?.texts() ?? []
    let node = try fields.required("examples")
    let given = try node.fields(["match", "clean"])
    for item in try given["match"]?.items() ?? [] { examples.match.append(try Example(item)) }
    for item in try given["clean"]?.items() ?? [] { examples.clean.append(try Example(item)) }
    guard !examples.match.isEmpty, !examples.clean.isEmpty else {
      throw YAMLError("a rule needs an example of each kind", at: node.mark)
    }
  }

  /// The examples that the rule gets wrong.
  package var failures: [RuleTest.Failure] {
    func wrong(_ examples: [Example], _ kind: String, wanted: Bool) -> [RuleTest.Failure] {
      examples.enumerated().compactMap { index, example in
        matches(example.observed, example.values) == wanted
          ? nil : RuleTest.Failure(rule: id, kind: kind, number: index + 1)
      }
    }
    return wrong(examples.match, "match", wanted: true)
      + wrong(examples.clean, "clean", wanted: false)
  }
}

extension StorageRule.Example {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var kind: Observation.Kind?
    values = [:]
    for entry in try node.entries() {
      if entry.key == "observed" {
        kind = try entry.value.word(Observation.Kind.self)
      } else {
        values[entry.key] = try entry.value.text()
      }
    }
    guard let kind else {
      throw YAMLError("an example says what was observed", at: node.mark)
    }
    observed = kind
  }
}

extension YAMLNode {
  /// The entries of a mapping, whatever their names.
  fileprivate func entries() throws(YAMLError) -> [Entry] {
    guard case .mapping(let entries) = value else {
      throw YAMLError("keys with values are wanted here", at: mark)
    }
    return entries
  }
}
