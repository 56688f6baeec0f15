import Findings
package import YAML

extension Check {
  private static let keys = [
    "id", "kind", "title", "severity", "remedy", "controls", "aliases", "references", "profiles",
    "note", "facts", "unit", "applies", "undecided", "fail", "warn", "once", "triggers", "nothing",
    "tests", "examples",
  ]

  /// The check in a YAML document. `path` is the file's path below its packs folder and must agree
  /// with the check's id.
  package init(_ root: YAMLNode, path: String, kind: Kind) throws(YAMLError) {
    let fields = try root.fields(Self.keys)
    let id = try fields.required("id")
    self.init(
      id: try id.text(), kind: kind, title: try fields.required("title").text(),
      severity: try Severity(fields.required("severity")),
      remedy: try fields.required("remedy").text())
    guard self.id == RulePack.id(of: path) else {
      throw YAMLError(
        "the id must be \"\(RulePack.id(of: path))\", as the file's path says", at: id.mark)
    }
    controls = try fields["controls"]?.texts() ?? []
    aliases = try fields["aliases"]?.texts() ?? []
    references = try fields["references"]?.texts() ?? []
    profiles = try fields["profiles"]?.texts() ?? []
    note = try fields["note"]?.text()
    nothing = try fields["nothing"]?.text()
    isOnce = try fields["once"]?.boolean() ?? false
    if let node = fields["unit"] { unit = try node.word(Unit.self) }
    try readDecision(fields)
    try readTriggers(fields)
    examples = try Examples(fields.required("examples"), of: kind)
  }

  private mutating func readDecision(_ fields: YAMLFields) throws(YAMLError) {
    for node in try fields.required("facts").items() { facts.append(try FactPattern(node)) }
    guard !facts.isEmpty else {
      throw YAMLError("a check needs facts to look at", at: fields.mark)
    }
    if let node = fields["applies"] { applies = try Condition(node) }
    looksAtTests = try fields["tests"]?.boolean() ?? false
    if kind == .source, !looksAtTests {
      let isShipped = Condition.not(.value(.key("scope"), .oneOf(Self.unshipped)))
      applies = applies == .all([]) ? isShipped : .all([isShipped, applies])
    }
    undecided = try Self.clauses(fields["undecided"], severity: .low)
    fail = try Self.clauses(fields["fail"], severity: severity)
    warn = try Self.clauses(fields["warn"], severity: .low)
    guard !fail.isEmpty || !warn.isEmpty else {
      throw YAMLError("a check needs \"fail\" or \"warn\"", at: fields.mark)
    }
  }

  /// What an audit of source says of code that is not part of the app that ships.
  private static let unshipped = ["test", "preview", "mock", "tooling", "debug", "simulator"]

  /// One clause, given as its conditions, or several, each with `when` and what is said of it.
  private static func clauses(
    _ node: YAMLNode?, severity: Severity
  ) throws(YAMLError) -> [Clause] {
    guard let node else { return [] }
    let items = try node.items()
    guard let first = items.first, case .mapping(let entries) = first.value,
      entries.contains(where: { $0.key == "when" })
    else { return [Clause(when: try Condition(node), severity: severity)] }
    var clauses: [Clause] = []
    for item in items {
      let fields = try item.fields(["when", "severity", "message"])
      clauses.append(
        Clause(
          when: try Condition(fields.required("when")),
          severity: try fields["severity"].map { node throws(YAMLError) in try Severity(node) }
            ?? severity,
          message: try fields["message"]?.text()))
    }
    return clauses
  }

  /// Source is only parsed where a trigger stands in it, so each name needs a word that must be there.
  private mutating func readTriggers(_ fields: YAMLFields) throws(YAMLError) {
    if let node = fields["triggers"] {
      triggers = try node.texts()
    } else if kind == .source {
      for pattern in facts {
        for name in pattern.names {
          guard let word = name.word, word.utf8.count >= 3 else {
            throw YAMLError(
              "a source check with this name needs \"triggers\": words of which one stands in every"
                + " file it is about", at: fields.mark)
          }
          if !triggers.contains(word) { triggers.append(word) }
        }
        guard !pattern.names.isEmpty else {
          throw YAMLError("a source check without names needs \"triggers\"", at: fields.mark)
        }
      }
    }
  }
}

extension Check.Kind {
  init(node: YAMLNode) throws(YAMLError) {
    guard let kind = Self(rawValue: try node.text()) else {
      let known = (["pattern"] + Self.allCases.map(\.rawValue)).joined(separator: ", ")
      throw YAMLError("the kind must be one of \(known)", at: node.mark)
    }
    self = kind
  }
}

extension Severity {
  init(_ node: YAMLNode) throws(YAMLError) {
    guard let severity = Severity(rawValue: try node.text()) else {
      throw YAMLError("severity must be low, medium, high or critical", at: node.mark)
    }
    self = severity
  }
}

extension YAMLNode {
  /// One of the words an enumeration knows.
  func word<Word: RawRepresentable & CaseIterable>(
    _: Word.Type
  ) throws(YAMLError) -> Word where Word.RawValue == String {
    guard let word = Word(rawValue: try text()) else {
      let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw YAMLError("must be one of \(known)", at: mark)
    }
    return word
  }

  /// A text, or a list of texts.
  func oneOrMore() throws(YAMLError) -> [String] {
    guard case .sequence = value else { return [try text()] }
    let texts = try texts()
    guard !texts.isEmpty else { throw YAMLError("the list is empty", at: mark) }
    return texts
  }
}

extension FactPattern {
  init(_ node: YAMLNode) throws(YAMLError) {
    let fields = try node.fields(["subject", "name", "where", "same"])
    subjects = []
    let subject = try fields.required("subject")
    for name in try subject.oneOrMore() {
      guard let known = Fact.Subject(rawValue: name) else {
        let all = Fact.Subject.allCases.map(\.rawValue).joined(separator: ", ")
        throw YAMLError("unknown subject \"\(name)\"; known are \(all)", at: subject.mark)
      }
      subjects.append(known)
    }
    names = try fields["name"]?.oneOrMore().map(NamePattern.init) ?? []
    for case .expression(let text) in names { try Condition.check(text, at: node.mark) }
    if let node = fields["where"] { conditions = try Condition(node) }
    shared = try fields["same"]?.text()
  }
}
