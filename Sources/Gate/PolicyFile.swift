import Findings
import RuleEngine
import Scanning
import YAML

extension Policy {
  private static let keys = [
    "policy", "packs", "rules", "fail-on", "allow", "needles", "needle-files", "keys", "lexicon",
    "lexicon-files", "required", "expect", "allowed",
  ]

  /// The policy in a YAML file.
  package init(yaml text: String, path: String) throws(GateFileError) {
    do throws(YAMLError) {
      guard let root = try YAMLParser.parse(text) else {
        throw YAMLError("the file is empty", at: YAMLMark(line: 1, column: 1))
      }
      let fields = try root.fields(Self.keys)
      self.init(name: try fields.required("policy").text(), path: path)
      try readChoices(fields)
      try readValues(fields)
      if let node = fields["required"] { required = try Required(node) }
      for node in try fields["expect"]?.items() ?? [] { expectations.append(try Expectation(node)) }
      for node in try fields["allowed"]?.items() ?? [] { allowances.append(try Allowance(node)) }
    } catch {
      throw GateFileError(
        path: path, mark: error.mark, detail: error.problem,
        remedy: "correct the policy; Rules/policies/README.md says what one may hold")
    }
  }

  /// What is looked for and what counts.
  private mutating func readChoices(_ fields: YAMLFields) throws(YAMLError) {
    packs = try fields["packs"]?.texts()
    rules = try fields["rules"]?.texts() ?? []
    if let node = fields["fail-on"] {
      threshold = try node.text() == "never" ? .never : .from(Severity(node))
    }
    for node in try fields["allow"]?.items() ?? [] {
      guard let code = Diagnostic.Code(rawValue: try node.text()) else {
        let known = Diagnostic.Code.allCases.map(\.rawValue).joined(separator: ", ")
        throw YAMLError("one of \(known) is wanted here", at: node.mark)
      }
      allow.insert(code)
    }
  }

  private mutating func readValues(_ fields: YAMLFields) throws(YAMLError) {
    needleFiles = try fields["needle-files"]?.texts() ?? []
    lexiconFiles = try fields["lexicon-files"]?.texts() ?? []
    lexicon = fields["lexicon"]
    for node in try fields["needles"]?.items() ?? [] {
      let needle = try NeedleSource(node)
      guard !needles.contains(where: { $0.id == needle.id }) else {
        throw YAMLError("an id stands here for the second time", at: node.mark)
      }
      needles.append(needle)
    }
    for node in try fields["keys"]?.items() ?? [] {
      let key = try node.text()
      let value = key.split(separator: "=", maxSplits: 1).last.map(String.init) ?? ""
      guard key.hasPrefix("hex=") || key.hasPrefix("passphrase="), isReference(value) else {
        throw YAMLError(
          "hex= or passphrase= with env:NAME or @FILE is wanted here: a policy holds no secret",
          at: node.mark)
      }
      keys.append(key)
    }
  }
}

/// Whether a text says where a secret stands, and is none itself.
private func isReference(_ text: String) -> Bool {
  text.hasPrefix("env:") && text.count > 4 || text.hasPrefix("@") && text.count > 1
}

extension Severity {
  init(_ node: YAMLNode) throws(YAMLError) {
    guard let severity = Severity(rawValue: try node.text()) else {
      throw YAMLError("low, medium, high or critical is wanted here", at: node.mark)
    }
    self = severity
  }
}

extension YAMLNode {
  /// One glob, or a list of them.
  fileprivate func globs() throws(YAMLError) -> [Glob] {
    if case .scalar(let text, _) = value {
      guard !text.isEmpty else { throw YAMLError("the pattern is empty", at: mark) }
      return [Glob(text)]
    }
    let globs = try texts().map(Glob.init)
    guard !globs.isEmpty, globs.allSatisfy({ !$0.pattern.isEmpty }) else {
      throw YAMLError("a pattern for paths is wanted here", at: mark)
    }
    return globs
  }

  /// A day that exists.
  func day() throws(YAMLError) -> String {
    let text = try text()
    guard Day.isDay(text) else { throw YAMLError("a day is wanted here: 2027-01-31", at: mark) }
    return text
  }

  /// Text that is not empty.
  func words() throws(YAMLError) -> String {
    let text = try text()
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw YAMLError("this may not be empty", at: mark)
    }
    return text
  }
}

extension Policy.NeedleSource {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    // What stands in a policy by mistake may be a value: no key of it is echoed.
    let fields = try node.fields(["id", "kind", "value", "severity", "note"], echoes: false)
    let kind = try fields.required("kind")
    guard let known = Needle.Kind(rawValue: try kind.text()) else {
      let all = Needle.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw YAMLError("kind must be one of \(all)", at: kind.mark)
    }
    let value = try fields.required("value")
    let source = try value.text()
    guard isReference(source) else {
      throw YAMLError(
        "env:NAME or @FILE is wanted here: a policy holds no protected value", at: value.mark)
    }
    self.init(
      id: try fields.required("id").words(), kind: known, source: source, severity: .high,
      note: try fields["note"]?.text())
    if let node = fields["severity"] { severity = try Severity(node) }
  }
}

extension Policy.Required {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    self.init()
    let fields = try node.fields(["files", "paths"])
    if let node = fields["files"] {
      files = try node.integer()
      guard files >= 1 else { throw YAMLError("at least 1 is wanted here", at: node.mark) }
    }
    if let node = fields["paths"] { paths = try node.globs() }
  }
}

extension Policy.Expectation {
  private static let keys = [
    "paths", "encrypted", "absent", "no", "names", "required", "severity", "why", "controls",
  ]

  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    let fields = try node.fields(Self.keys)
    self.init(
      paths: try fields.required("paths").globs(), severity: .high,
      why: try fields["why"]?.words() ?? "", line: node.mark.line)
    if let node = fields["severity"] { severity = try Severity(node) }
    controls = try fields["controls"]?.texts() ?? []
    isRequired = try fields["required"]?.boolean() ?? false
    if let node = fields["encrypted"] {
      guard let known = Policy.Encryption(rawValue: try node.text()) else {
        throw YAMLError("sqlcipher or any is wanted here", at: node.mark)
      }
      encrypted = known
    }
    isAbsent = try fields["absent"]?.boolean() ?? false
    for node in try fields["no"]?.items() ?? [] {
      let word = try node.words()
      no.append(word == "needles" ? "needle" : word)
    }
    if let node = fields["names"] {
      guard try node.text() == "neutral" else {
        throw YAMLError("neutral is wanted here", at: node.mark)
      }
      hasNeutralNames = true
    }
    guard encrypted != nil || isAbsent || !no.isEmpty || hasNeutralNames || isRequired else {
      throw YAMLError(
        "nothing is expected: say encrypted, absent, no, names or required", at: node.mark)
    }
    if isAbsent, encrypted != nil || isRequired {
      throw YAMLError("what is absent can be neither encrypted nor required", at: node.mark)
    }
  }
}

extension Policy.Allowance {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    let fields = try node.fields(["rule", "paths", "fingerprint", "reason", "owner", "until"])
    self.init(
      reason: try fields.required("reason").words(), owner: try fields.required("owner").words(),
      until: try fields.required("until").day(), line: node.mark.line)
    rule = try fields["rule"]?.words()
    fingerprint = try fields["fingerprint"]?.words()
    if let node = fields["paths"] { paths = try node.globs() }
    guard rule != nil || fingerprint != nil else {
      throw YAMLError("a rule or a fingerprint is wanted here", at: node.mark)
    }
    if rule == "*" {
      throw YAMLError("a rule, or all of a pack as pack.*, is wanted here", at: node.mark)
    }
  }
}
