/// A value as source writes it, in what Swift and Objective-C have in common: what it names, what it
/// is made from. Casts, `try`, `await`, unwrapping and parentheses leave no trace.
indirect enum Expression: Equatable, Sendable {
  case name(String)
  /// A member; without a base it is one of a type that the compiler knows (`.always`).
  case member(Expression?, String)
  case call(Expression, [Argument])
  case element(of: Expression, [Argument])
  /// Text without any value in it.
  case literal(String)
  case interpolated([Segment])
  case number(String)
  case array([Expression])
  case dictionary([Entry])
  case nothing
  case closure
  /// A comparison or a condition: it shows no value but a truth.
  case truth
  /// An operation on values that shows them: a sum, a choice.
  case combined([Expression])
  case unknown

  struct Argument: Equatable, Sendable {
    var label: String?
    var value: Expression
    /// A closure that stands behind the parentheses.
    var isTrailing = false
  }

  struct Entry: Equatable, Sendable {
    var key: Expression
    var value: Expression
  }

  /// A part of a text with values in it.
  struct Segment: Equatable, Sendable {
    var text = ""
    var value: Expression?
    /// What `privacy:` says: `public`, `private`, `sensitive`.
    var privacy: String?
  }
}

extension Expression {
  /// The value as text: names as written, a literal's content, without casts.
  var text: String {
    switch self {
    case .name(let name): name
    case .member(let base, let name): (base?.text ?? "") + "." + name
    // `[NSUserDefaults standardUserDefaults]` is what Swift writes without parentheses.
    case .call(.member(let base, let name), []) where Variables.instances.contains(name):
      (base?.text ?? "") + "." + name
    case .call(let callee, _): callee.text + "()"
    case .element(let base, let arguments):
      base.text + "[" + arguments.map(\.value.text).joined(separator: ",") + "]"
    case .literal(let text): text
    case .interpolated(let segments): segments.map { $0.value == nil ? $0.text : "\\()" }.joined()
    case .number(let text): text
    case .nothing: "nil"
    case .closure: "{}"
    case .truth: "?"
    case .array(let items): "[" + items.prefix(8).map(\.text).joined(separator: ",") + "]"
    case .dictionary: "[:]"
    case .combined, .unknown: "…"
    }
  }

  /// The texts of a value that may be several: those of a set of options are its members.
  var texts: [String] {
    switch self {
    case .array(let items) where items.count <= 64: items.flatMap(\.texts)
    case .combined(let items): items.flatMap(\.texts)
    default: [text]
    }
  }

  /// The last name: of a member, of what is called.
  var lastName: String? {
    switch self {
    case .name(let name), .member(_, let name): name
    case .call(let callee, _): callee.lastName
    case .element(let base, _): base.lastName
    default: nil
    }
  }

  /// What kind of value it is, in the words of rule files.
  var kind: String {
    switch self {
    case .name: "name"
    case .member: "member"
    case .call: "call"
    case .element: "element"
    case .literal: "literal"
    case .interpolated: "interpolated"
    case .number: "number"
    case .array: "array"
    case .dictionary: "dictionary"
    case .nothing: "nil"
    case .closure: "closure"
    case .truth: "truth"
    case .combined, .unknown: "other"
    }
  }
}

extension Expression {
  /// Calls and members that turn a constant into another form of it.
  private static let conversions: Set<String> = [
    "utf8", "data", "Data", "Array", "String", "NSString", "NSData", "Bytes", "UInt8", "[UInt8]",
    "dataUsingEncoding", "dataWithBytes", "stringWithString", "stringWithUTF8String", "cString",
    "UTF8String", "bytes", "utf8CString", "init", "withUTF8", "hexadecimal", "hexToBytes",
  ]

  /// Whether every run has the same value here: a literal, one in another form, or the name of one.
  func isConstant(in variables: Variables = Variables(), depth: Int = 0) -> Bool {
    guard depth < 8 else { return false }
    let next = depth + 1
    switch self {
    case .literal, .number: return true
    case .name(let name), .member(.name("self")?, let name), .member(.name("Self")?, let name):
      guard let value = variables[name]?.value, value != self else { return false }
      return value.isConstant(in: variables, depth: next + 1)
    case .interpolated(let segments): return segments.allSatisfy { $0.value == nil }
    case .array(let items), .combined(let items):
      return !items.isEmpty && items.allSatisfy { $0.isConstant(in: variables, depth: next) }
    case .member(let base?, let name):
      return Self.conversions.contains(name) && base.isConstant(in: variables, depth: next)
    case .call(let callee, let arguments):
      return Self.isConstantCall(callee, arguments, variables, next)
    default: return false
    }
  }

  /// `"…".data(using: .utf8)`, `Data("…".utf8)`, `[UInt8](repeating: 0, count: 16)`
  private static func isConstantCall(
    _ callee: Expression, _ arguments: [Argument], _ variables: Variables, _ depth: Int
  ) -> Bool {
    if case .member(let base?, let name) = callee, conversions.contains(name),
      base.isConstant(in: variables, depth: depth)
    {
      return true
    }
    guard let name = callee.lastName ?? arrayType(callee), conversions.contains(name),
      let first = arguments.first, first.label != "count", first.label != "capacity"
    else { return false }
    return first.value.isConstant(in: variables, depth: depth)
  }

  /// `[UInt8]` where it is called as a type.
  private static func arrayType(_ callee: Expression) -> String? {
    if case .array(let items) = callee, items.count == 1, case .name(let name) = items[0] {
      return "[\(name)]"
    }
    return nil
  }
}
