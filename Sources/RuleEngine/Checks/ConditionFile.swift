import YAML

extension Condition {
  private static let tests = [
    "in", "is", "matches", "contains", "starts", "ends", "less-than", "greater-than", "present",
    "absent", "classified",
  ]
  private static let keys =
    ["all", "any", "not", "unit-has", "unit-lacks", "check", "value"] + tests

  /// The condition in a node; a list means that all of it holds.
  init(_ node: YAMLNode) throws(YAMLError) {
    if case .sequence(let items) = node.value {
      var conditions: [Condition] = []
      for item in items { conditions.append(try Condition(item)) }
      self = .all(conditions)
      return
    }
    let fields = try node.fields(Self.keys)
    if fields["value"] != nil {
      self = try Self.value(fields)
      return
    }
    guard fields.entries.count == 1, let entry = fields.entries.first else {
      throw YAMLError("one of all, any, not, unit-has, unit-lacks, check or value", at: node.mark)
    }
    switch entry.key {
    case "all": self = try Self.all(Self.list(entry.value))
    case "any": self = try Self.any(Self.list(entry.value))
    case "not": self = .not(try Condition(entry.value))
    case "unit-has": self = .unitHas(try FactPattern(entry.value))
    case "unit-lacks": self = .not(.unitHas(try FactPattern(entry.value)))
    case "check": self = try Self.predicate(entry.value)
    default: throw YAMLError("\"\(entry.key)\" needs \"value\" beside it", at: node.mark)
    }
  }

  private static func list(_ node: YAMLNode) throws(YAMLError) -> [Condition] {
    var conditions: [Condition] = []
    for item in try node.items() { conditions.append(try Condition(item)) }
    guard !conditions.isEmpty else { throw YAMLError("the list is empty", at: node.mark) }
    return conditions
  }

  private static func predicate(_ node: YAMLNode) throws(YAMLError) -> Condition {
    let name = try node.text()
    guard Predicate.named(name) != nil else {
      let known = Predicate.builtIn.map(\.name).joined(separator: ", ")
      throw YAMLError("unknown check \"\(name)\"; known are \(known)", at: node.mark)
    }
    return .predicate(name)
  }

  /// `value` and the tests beside it, all of which must hold; without a test it must be there.
  private static func value(_ fields: YAMLFields) throws(YAMLError) -> Condition {
    let key = ValueKey(try fields.required("value").text())
    var tests: [Condition] = []
    for entry in fields.entries where entry.key != "value" {
      let node = entry.value
      switch entry.key {
      case "in", "is": tests.append(.value(key, .oneOf(try node.oneOrMore())))
      case "matches":
        let text = try node.text()
        try check(text, at: node.mark)
        tests.append(.value(key, .matches(text)))
      case "contains": tests.append(.value(key, .contains(try node.oneOrMore())))
      case "starts": tests.append(.value(key, .starts(try node.oneOrMore())))
      case "ends": tests.append(.value(key, .ends(try node.oneOrMore())))
      case "less-than": tests.append(.value(key, .less(try node.number())))
      case "greater-than": tests.append(.value(key, .greater(try node.number())))
      case "present", "absent":
        let isPresent = try node.boolean() == (entry.key == "present")
        tests.append(isPresent ? .value(key, .present) : .not(.value(key, .present)))
      case "classified": tests.append(try classified(key, node))
      default: throw YAMLError("\"\(entry.key)\" cannot stand beside \"value\"", at: entry.keyMark)
      }
    }
    if tests.isEmpty { return .value(key, .present) }
    return tests.count == 1 ? tests[0] : .all(tests)
  }

  private static func classified(
    _ key: ValueKey, _ node: YAMLNode
  ) throws(YAMLError) -> Condition {
    switch node.value {
    case .scalar("true", quoted: false): return .value(key, .classified([]))
    case .scalar("false", quoted: false): return .not(.value(key, .classified([])))
    default: return .value(key, .classified(try node.oneOrMore()))
    }
  }

  /// A regular expression is compiled once, so that a mistake is told with its place.
  static func check(_ expression: String, at mark: YAMLMark) throws(YAMLError) {
    do throws(Pattern.SyntaxError) {
      _ = try Pattern(expression, ignoresCase: false)
    } catch {
      throw YAMLError(
        "the expression does not compile: \(error.problem) (character \(error.offset + 1))",
        at: mark)
    }
  }
}

extension ValueKey {
  init(_ text: String) {
    switch text {
    case "name": self = .name
    case "path": self = .path
    case let text where text.hasSuffix("*"): self = .prefix(String(text.dropLast()))
    default: self = .key(text)
    }
  }
}
