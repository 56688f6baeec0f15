/// What is known of the variables of a function: what they were made from, their type, and the entries
/// of dictionaries that are filled by several statements.
struct Variables: NameScope {
  struct Variable: Sendable {
    /// What it was last set to.
    var value: Expression?
    var type: String?
    /// Entries by their key; those of a dictionary that came from elsewhere are not all known.
    var entries: [(key: Expression, value: Expression)] = []
    var isDictionary = false
    var isComplete = true
  }

  private var known: [String: Variable] = [:]
  /// What encloses it: shared, because every function of a file starts from the same.
  private let outer: Outer?
  /// In one scope.
  private static let most = 4_096

  private final class Outer: Sendable {
    let known: [String: Variable]
    let outer: Outer?

    init(_ variables: Variables) {
      known = variables.known
      outer = variables.outer
    }
  }

  init() { outer = nil }

  /// Nothing of a function's own yet, where `others` are known. Costs the same however many they are.
  init(in others: Variables) {
    outer = others.known.isEmpty ? others.outer : Outer(others)
  }

  subscript(name: String) -> Variable? {
    if let variable = known[name] { return variable }
    var scope = outer
    while let enclosing = scope {
      if let variable = enclosing.known[name] { return variable }
      scope = enclosing.outer
    }
    return nil
  }

  mutating func set(_ name: String, _ value: Expression?, type: String? = nil) {
    guard known.count < Self.most else { return }
    var variable = Variable(value: value, type: type)
    if let value { fill(&variable, from: value) }
    if let type, Self.isDictionaryType(type) { variable.isDictionary = true }
    if variable.type == nil { variable.type = value.flatMap { self.type(of: $0) } }
    known[name] = variable
  }

  private func fill(_ variable: inout Variable, from value: Expression) {
    switch value {
    case .dictionary(let entries):
      variable.isDictionary = true
      variable.entries = entries.map { ($0.key, $0.value) }
    case .name(let other):
      guard let source = self[other], source.isDictionary else { return }
      variable.isDictionary = true
      variable.entries = source.entries
      variable.isComplete = source.isComplete
    case .call(let callee, let arguments):
      fill(&variable, fromCall: callee, arguments)
    default:
      break
    }
  }

  private func fill(
    _ variable: inout Variable, fromCall callee: Expression, _ arguments: [Expression.Argument]
  ) {
    let name = callee.lastName ?? ""
    if ["NSMutableDictionary", "NSDictionary", "Dictionary", "dictionary", "new", "init"].contains(
      name), arguments.allSatisfy({ $0.isTrailing }) || name.hasPrefix("NS"),
      callee.text.contains("ictionary") || name.hasPrefix("NS")
    {
      variable.isDictionary = true
      for argument in arguments { fill(&variable, from: argument.value) }
    } else if ["mutableCopy", "copy"].contains(name), case .member(let base?, _) = callee {
      fill(&variable, from: base)
    } else if name == "merging", case .member(let base?, _) = callee {
      fill(&variable, from: base)
      if let other = arguments.first?.value {
        var added = Variable()
        fill(&added, from: other)
        variable.entries += added.entries
        variable.isComplete = variable.isComplete && added.isDictionary
      }
    } else if let made = self[name + "()"], made.isDictionary {
      variable.isDictionary = true
      variable.entries = made.entries
      variable.isComplete = made.isComplete
    } else if case .dictionary(let entries) = callee, entries.isEmpty {
      variable.isDictionary = true
    }
  }

  /// Notes that a key of a dictionary (or of anything that is filled like one) was set.
  mutating func setEntry(of name: String, _ key: Expression, _ value: Expression) {
    guard known.count < Self.most else { return }
    var variable = self[name] ?? Variable(isComplete: false)
    guard variable.entries.count < 256 else { return }
    variable.entries.removeAll { $0.key == key }
    variable.entries.append((key, value))
    known[name] = variable
  }

  /// Notes that entries came in that nobody knows.
  mutating func spoil(_ name: String) {
    guard var variable = self[name] else { return }
    variable.isComplete = false
    known[name] = variable
  }

  /// Adds what a function or property that returns a dictionary is known to return.
  mutating func add(_ name: String, _ variable: Variable) { known[name] = variable }

  func names(behind name: String, depth: Int) -> [String] {
    guard depth < 6, let variable = self[name] else { return [name] }
    var names = [name]
    for entry in variable.entries where !entry.value.isConstant() {
      if let key = entry.key.keyName { names.append(key) }
    }
    switch variable.value {
    case .name(let other)? where other != name:
      names += self.names(behind: other, depth: depth + 2)
    case .interpolated?, .combined?, .member?, .call?, .element?:
      names += variable.value?.names(in: self, depth: depth + 2) ?? []
    default:
      break
    }
    return names
  }

  /// The type that an expression has, as far as a reader of the text would know it.
  func type(of expression: Expression, depth: Int = 0) -> String? {
    guard depth < 6 else { return nil }
    switch expression {
    case .name(let name): return self[name].map(\.type) ?? (Self.isType(name) ? name : nil)
    case .call(.name(let name), _): return Self.isType(name) ? name : nil
    case .call(.member(let base?, let name), _):
      if name == "init" || name == "alloc" || name == "new" || Self.instances.contains(name) {
        return type(of: base, depth: depth + 1)
      }
      return Self.isType(name) ? name : type(of: base, depth: depth + 1).flatMap(Self.ownType)
    case .member(let base?, let name):
      if case .name("self") = base { return self[name]?.type }
      if Self.instances.contains(name) { return type(of: base, depth: depth + 1) }
      return Self.isType(name) ? name : self[name]?.type
    default: return nil
    }
  }

  /// Members of a type that are one of it.
  static let instances: Set<String> = [
    "standard", "shared", "sharedInstance", "default", "general", "main", "current", "init",
    "standardUserDefaults", "generalPasteboard", "defaultManager", "sharedManager", "instance",
    "alloc", "new", "autorelease", "retain", "initWithSuiteName", "mainBundle", "defaultStore",
    "sharedHTTPCookieStorage", "sharedKeychainBindings", "sharedURLCache", "sharedApplication",
  ]

  private static func ownType(_ type: String) -> String? {
    // Methods that return the object they are called on.
    ["Keychain", "Logger"].contains(type) ? type : nil
  }

  private static func isType(_ name: String) -> Bool { name.first?.isUppercase ?? false }

  private static func isDictionaryType(_ type: String) -> Bool {
    type.hasPrefix("[") && type.contains(":") || type.contains("Dictionary")
  }
}
