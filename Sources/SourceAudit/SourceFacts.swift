package import Findings

/// What an audit of one source file brought up.
package struct AuditedSource: Sendable {
  package var facts: [Fact] = []
  /// The first thing in it that is not of the language: line, and what is said of it.
  package var damage: (line: Int, message: String)?

  package init() {}
}

/// Which facts are asked for: a subject and a name.
package typealias FactFilter = (Fact.Subject, String) -> Bool

/// A source file to audit.
package struct AuditInput {
  package var bytes: [UInt8]
  package var name: String
  /// Where it lies, which says whether it ships.
  package var path: String
  /// Functions that hand on to a log what they are given, besides those the file shows itself.
  package var logFunctions: [String]
  /// Whether a name is sensitive: calls that are given such a value are followed into other files.
  package var isSensitive: ((String) -> Bool)?

  package init(
    _ bytes: [UInt8], name: String, path: String, logFunctions: [String] = [],
    isSensitive: ((String) -> Bool)? = nil
  ) {
    self.bytes = bytes
    self.name = name
    self.path = path
    self.logFunctions = logFunctions
    self.isSensitive = isSensitive
  }
}

/// What stands around a fact: in which type and function, and what else happens there.
struct Surrounding {
  var type: String?
  var function: String?
  /// Conditions of compilation and kinds of code: `debug`, `test`, `preview`, `mock`.
  var scope: Set<String> = []
}

/// Turns expressions into facts. What only the whole function tells (`beside`, `mentions`) is added
/// when the function ends.
struct FactMaker {
  let language: String
  let file: SourceFile
  let filter: FactFilter
  let isSensitive: ((String) -> Bool)?
  private(set) var facts: [Fact] = []
  /// Facts of the functions that are open, by depth.
  private var open: [OpenFunction] = [OpenFunction()]
  var imports: [String] = []
  /// What the file does with each of its variables.
  private var members: [String: Members] = [:]

  private struct Members {
    var set: Set<String> = []
    var called: Set<String> = []

    mutating func add(_ member: String, _ isSet: Bool) {
      if isSet { set.insert(member) } else { called.insert(member) }
    }
  }

  private struct OpenFunction {
    var facts: [Fact] = []
    var calls: [String] = []
    var mentions: Set<String> = []
  }

  /// More facts than these say nothing new of one file.
  private static let most = 50_000

  init(
    language: String, file: SourceFile, isSensitive: ((String) -> Bool)? = nil,
    filter: @escaping FactFilter
  ) {
    self.language = language
    self.file = file
    self.filter = filter
    self.isSensitive = isSensitive
  }

  mutating func enterFunction() { open.append(OpenFunction()) }

  mutating func leaveFunction() {
    guard let ended = open.popLast() else { return }
    let calls = ended.calls
    let mentions = ended.mentions.sorted()
    for var fact in ended.facts {
      fact.values["beside"] = calls
      if !mentions.isEmpty { fact.values["mentions"] = mentions }
      facts.append(fact)
    }
    // What an inner function or closure does, its outer one does too.
    if !open.isEmpty {
      open[open.count - 1].calls += calls.prefix(512)
      open[open.count - 1].mentions.formUnion(ended.mentions)
    }
  }

  /// All facts, once everything was seen.
  mutating func finish() -> [Fact] {
    while !open.isEmpty { leaveFunction() }
    for index in facts.indices where facts[index].subject == .declaration {
      guard let known = members[facts[index].name] else { continue }
      facts[index].values["assigned"] = known.set.sorted()
      facts[index].values["used"] = known.called.sorted()
    }
    for index in facts.indices where !imports.isEmpty { facts[index].values["imports"] = imports }
    return facts
  }

  /// How many facts the open function has.
  var factCount: Int { open[open.count - 1].facts.count }

  /// Says of the call that starts at an offset that nothing takes its result.
  mutating func markUnused(since first: Int, at offset: Int) {
    let last = open.count - 1
    for index in open[last].facts.indices.dropFirst(first)
    where open[last].facts[index].subject == .call {
      if case .pieces(let pieces) = open[last].facts[index].place.origin,
        pieces.first?.source == offset
      {
        open[last].facts[index].values["result"] = ["unused"]
      }
    }
  }

  mutating func note(call name: String) { open[open.count - 1].calls.append(name) }

  /// Notes that a member of a variable is set, or a method of it called.
  mutating func note(_ member: String, of variable: String, isSet: Bool) {
    guard members.count < 8_192 else { return }
    members[variable, default: Members()].add(member, isSet)
  }

  mutating func note(mention name: String) { open[open.count - 1].mentions.insert(name) }

  mutating func add(
    _ subject: Fact.Subject, _ name: String, _ values: [String: [String]],
    at range: Range<Int>, in surrounding: Surrounding
  ) {
    guard open[open.count - 1].facts.count + facts.count < Self.most else { return }
    var values = values
    let scope = surrounding.scope.union(file.scope)
    if !scope.isEmpty { values["scope"] = scope.sorted() }
    values["language"] = [language]
    if subject == .call { values["earlier"] = open[open.count - 1].calls.suffix(64).dropLast() }
    if let type = surrounding.type { values["class"] = [type] }
    if let function = surrounding.function { values["function"] = [function] }
    var context = Context()
    let symbols = [surrounding.type, surrounding.function].compactMap { $0 }
    if !symbols.isEmpty { context.symbol = symbols.joined(separator: ".") }
    let place = Place(
      steps: [], context: context,
      origin: .pieces([Piece(offset: 0, source: range.lowerBound, count: range.count)]),
      line: file.line(of: range.lowerBound))
    open[open.count - 1].facts.append(Fact(subject, name, values: values, at: place))
  }
}

extension FactMaker {
  /// States what is assigned, in either language, where a check asks for it.
  mutating func add(
    assignmentOf value: Expression, to target: Expression, named name: String,
    _ variables: Variables, at range: Range<Int>, in surrounding: Surrounding
  ) {
    if case .member(let base?, let member) = target {
      if let variable = base.lastName { note(member, of: variable, isSet: true) }
      note(mention: member)
    }
    guard filter(.assignment, name) else { return }
    var values: [String: [String]] = [:]
    Self.add(value, as: "value", to: &values, variables)
    if case .element(let base, let arguments) = target, let key = arguments.first?.value {
      values["key"] = [Self.entryKey(key) ?? key.text]
      values["key.names"] = key.keyName.map { [$0] } ?? []
      values["target"] = [base.text]
    } else if case .member(let base?, let member) = target {
      values["key"] = [member]
      values["target"] = [base.text]
      values["target.names"] = [Expression.withoutField(base.lastName ?? "")]
      if let type = variables.type(of: base) { values["target.type"] = [type] }
    }
    add(.assignment, name, values, at: range, in: surrounding)
  }

  /// The values of a call: its arguments by label or position, and everything known of them.
  static func values(
    ofCall callee: Expression, _ arguments: [Expression.Argument], in variables: Variables
  ) -> [String: [String]] {
    var values: [String: [String]] = [:]
    var position = 0
    for argument in arguments {
      let key: String
      if let label = argument.label, label != "_" {
        key = label
      } else {
        key = String(position)
      }
      position += 1
      add(argument.value, as: key, to: &values, variables)
      if key == "0", callee.lastName == "SecItemUpdate" { setAsideQuery(&values) }
    }
    addFormat(callee, arguments, to: &values, variables)
    if case .member(let base?, let method) = callee {
      values["method"] = [method]
      if case .call(_, let made) = resolve(base, variables) {
        values["base.arguments"] = made.compactMap(\.label)
      }
      let making = Making(of: base, in: variables)
      values["base.calls"] = making.calls
      values["base.deep"] = making.names
      values["base"] = [base.text]
      if case .literal(let text) = resolve(base, variables) { values["base.content"] = [text] }
      values["base.names"] = base.names(in: variables)
      if let type = variables.type(of: base) { values["type"] = [type] }
    } else if let name = callee.lastName {
      values["method"] = [name]
    }
    return values
  }

  /// The first dictionary of an update says which items are meant; what protects them from then on
  /// stands in the second.
  private static func setAsideQuery(_ values: inout [String: [String]]) {
    for name in ["kSecAttrAccessible", "kSecAttrAccessControl", "kSecAttrSynchronizable"] {
      for key in [name, name + ".names", name + ".kind"] {
        values["query." + key] = values.removeValue(forKey: key)
      }
    }
  }

  static func add(
    _ value: Expression, as key: String, to values: inout [String: [String]],
    _ variables: Variables
  ) {
    let resolved = resolve(value, variables)
    values[key, default: []] += value.texts
    if resolved != value { values[key, default: []] += resolved.texts }
    values["arguments", default: []] += value.texts
    let names = value.names(in: variables)
    values[key + ".names", default: []] += names
    if key == "forKey" || key == "key" || key == "account", let name = value.keyName {
      values[key + ".names", default: []].append(name)
    }
    values["arguments.names", default: []] += names
    values[key + ".kind"] = [resolved.isConstant(in: variables) ? "constant" : resolved.kind]
    values[key + ".form"] = [resolved.kind]
    let making = Making(of: value, in: variables)
    values[key + ".calls"] = making.calls
    values[key + ".deep"] = making.names
    // Where something is written to: the parts of the path.
    if ["to", "toFile", "atPath"].contains(key) { values[key + ".texts"] = making.texts }
    if resolved.isTyped { values[key + ".origin"] = ["input"] }
    if let type = variables.type(of: value) { values[key + ".type"] = [type] }
    addSegments(resolved, to: &values, variables)
    addEntries(value, to: &values, variables)
  }

  /// Which values a format of the unified log makes public.
  private static func addFormat(
    _ callee: Expression, _ arguments: [Expression.Argument],
    to values: inout [String: [String]], _ variables: Variables
  ) {
    guard callee.lastName?.hasPrefix("os_log") == true else { return }
    let plain = arguments.filter { $0.label == nil }
    guard
      let position = plain.firstIndex(where: { if case .literal = $0.value { true } else { false } }
      ),
      case .literal(let format) = plain[position].value
    else { return }
    let shown = plain[(position + 1)...]
    for (argument, privacy) in zip(shown, FormatString.privacies(in: format)) {
      values["\(privacy).names", default: []] += argument.value.names(in: variables)
    }
  }

  /// A name that stands for a constant is as good as the constant.
  static func resolve(_ value: Expression, _ variables: Variables) -> Expression {
    var value = value
    for _ in 0..<4 {
      let name: String
      switch value {
      case .name(let text): name = text
      case .member(.name("self")?, let text), .member(.name("Self")?, let text): name = text
      default: return value
      }
      guard let known = variables[name]?.value, known != value else { return value }
      value = known
    }
    return value
  }

  /// What interpolations say of their privacy.
  private static func addSegments(
    _ value: Expression, to values: inout [String: [String]], _ variables: Variables
  ) {
    guard case .interpolated(let segments) = value else { return }
    for segment in segments {
      guard let value = segment.value else { continue }
      let names = value.names(in: variables)
      values["\(segment.privacy ?? "open").names", default: []] += names
    }
  }

  /// The entries of a dictionary that reaches a call are values of the call.
  static func addEntries(
    _ value: Expression, to values: inout [String: [String]], _ variables: Variables
  ) {
    let entries: [(key: Expression, value: Expression)]
    var isComplete = true
    switch value {
    case .dictionary(let literal):
      entries = literal.map { ($0.key, $0.value) }
    case .name(let name), .member(.name("self")?, let name):
      guard let variable = variables[name], variable.isDictionary || !variable.entries.isEmpty
      else {
        return
      }
      entries = variable.entries
      isComplete = variable.isComplete && variable.isDictionary
    case .call(let callee, let arguments):
      if let name = callee.lastName, let made = variables[name + "()"], made.isDictionary {
        entries = made.entries
        isComplete = made.isComplete
      } else if ["copy", "mutableCopy"].contains(callee.lastName ?? ""),
        case .member(let base?, _) = callee
      {
        return addEntries(base, to: &values, variables)
      } else {
        for argument in arguments { addEntries(argument.value, to: &values, variables) }
        return
      }
    default:
      return
    }
    values["dictionary"] = [isComplete ? "known" : "partial"]
    for entry in entries { add(entry, to: &values, variables) }
  }

  private static func add(
    _ entry: (key: Expression, value: Expression), to values: inout [String: [String]],
    _ variables: Variables
  ) {
    guard let key = entryKey(entry.key) else {
      values["dictionary"] = ["partial"]
      return
    }
    values["keys", default: []].append(key)
    let resolved = resolve(entry.value, variables)
    values[key, default: []] += entry.value.texts
    if resolved != entry.value { values[key, default: []] += resolved.texts }
    values[key + ".names", default: []] += entry.value.names(in: variables)
    values[key + ".kind"] = [resolved.isConstant(in: variables) ? "constant" : resolved.kind]
    values["entries.names", default: []] += entry.value.isConstant() ? [] : [key]
  }

  /// How rule files name a key: `kSecAttrAccessible`, `protectionKey`, the text of a literal.
  static func entryKey(_ key: Expression) -> String? {
    switch key {
    case .name(let name): name
    case .member(nil, let name): name
    case .member(.name(let base)?, let name):
      base.first?.isUppercase == true ? name : nil
    case .literal(let text): text
    default: nil
    }
  }
}

extension Expression {
  /// Whether it is what a person typed into a field.
  var isTyped: Bool {
    switch self {
    case .member(let base?, let name):
      return Expression.typedMembers.contains(name)
        && (base.lastName.map {
          Expression.withoutField($0) != $0 || $0.lowercased().hasSuffix("field")
        }
          ?? false)
    case .combined(let items): return items.contains { $0.isTyped }
    case .call(.member(let base?, let name), _):
      return Expression.transparentMethods.contains(name) && base.isTyped
    default: return false
    }
  }
}
