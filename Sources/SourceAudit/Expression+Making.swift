/// What an expression is made from, all the way down: the functions that made it and the names that
/// went in.
struct Making {
  /// Callees and members, as written: `SHA256.hash`, `.documentDirectory`.
  private(set) var calls: [String] = []
  /// Names of values that went in anywhere.
  private(set) var names: [String] = []

  /// Short texts that went in anywhere: the parts of a path.
  private(set) var texts: [String] = []

  private static let most = 48

  init(of expression: Expression, in variables: Variables) {
    collect(expression, variables, 0)
  }

  private mutating func collect(_ expression: Expression, _ variables: Variables, _ depth: Int) {
    guard depth < 10, calls.count < Self.most, names.count < Self.most else { return }
    let next = depth + 1
    switch expression {
    case .name(let name):
      names.append(name)
      if let value = variables[name]?.value, value != expression, depth < 6 {
        collect(value, variables, next + 2)
      }
    case .member(let base, let name):
      calls.append(base == nil ? name : base.map { $0.text + "." + name } ?? name)
      names.append(name)
      if let base { collect(base, variables, next) }
    case .call(let callee, let arguments):
      calls.append(callee.text)
      if case .member(let base?, _) = callee { collect(base, variables, next) }
      for argument in arguments { collect(argument.value, variables, next) }
    case .element(let base, let arguments):
      collect(base, variables, next)
      for argument in arguments { collect(argument.value, variables, next) }
    case .interpolated(let segments):
      for segment in segments { if let value = segment.value { collect(value, variables, next) } }
    case .array(let items), .combined(let items):
      for item in items.prefix(32) { collect(item, variables, next) }
    case .dictionary(let entries):
      for entry in entries.prefix(32) { collect(entry.value, variables, next) }
    case .literal(let text):
      if text.utf8.count <= 128, texts.count < Self.most { texts.append(text) }
    case .number, .nothing, .closure, .truth, .unknown:
      break
    }
  }
}
