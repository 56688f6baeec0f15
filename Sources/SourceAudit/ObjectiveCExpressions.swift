import Findings

extension ObjectiveCReader {
  private static let deepest = 60

  /// An expression up to a sign that cannot be part of it; calls in it become facts.
  mutating func expression(_ depth: Int) -> Expression {
    guard depth < Self.deepest else {
      skipOperand()
      return .unknown
    }
    var values = [operand(depth + 1)]
    while let token, token.kind == .sign {
      switch token.text {
      case "==", "!=", "<", ">", "<=", ">=", "&&", "||":
        index += 1
        _ = operand(depth + 1)
        values = [.truth]
      case "?":
        // What stands before the question mark is the question.
        index += 1
        if skip(":") {
          values.append(expression(depth + 1))
        } else {
          values = [expression(depth + 1)]
          if skip(":") { values.append(expression(depth + 1)) }
        }
      case "+", "-", "*", "/", "%", "|", "&", "^", "+=", "-=":
        index += 1
        values.append(operand(depth + 1))
      default:
        return values.count == 1 ? values[0] : .combined(values)
      }
    }
    return values.count == 1 ? values[0] : .combined(values)
  }

  private mutating func skipOperand() {
    switch token?.text {
    case "(": skipBalanced("(", ")")
    case "[": skipBalanced("[", "]")
    case "{": skipBalanced("{", "}")
    default: index += 1
    }
  }

  private mutating func operand(_ depth: Int) -> Expression {
    guard let token, depth < Self.deepest else {
      skipOperand()
      return .unknown
    }
    var value: Expression
    let start = index
    switch (token.kind, token.text) {
    case (.text, _):
      index += 1
      value = .literal(token.text)
      literal(token)
    case (.number, _):
      index += 1
      value = .number(token.text)
    case (.word, _):
      index += 1
      value = Self.word(token.text)
      mention(token.text)
    case (.sign, "["): value = message(depth)
    case (.sign, "("): value = parenthesis(depth)
    case (.sign, "@"): value = boxed(depth)
    case (.sign, "^"): value = block(depth)
    case (.sign, "!"):
      index += 1
      _ = operand(depth + 1)
      value = .truth
    case (.sign, "&"), (.sign, "*"), (.sign, "-"), (.sign, "+"), (.sign, "~"), (.sign, "++"),
      (.sign, "--"):
      index += 1
      value = operand(depth + 1)
    default: return .unknown
    }
    return suffixes(of: value, from: start, depth)
  }

  private static func word(_ text: String) -> Expression {
    switch text {
    case "nil", "NULL", "nullptr", "Nil": .nothing
    case "YES", "true", "TRUE", "kCFBooleanTrue": .number("true")
    case "NO", "false", "FALSE", "kCFBooleanFalse": .number("false")
    default: .name(text)
    }
  }

  private mutating func mention(_ name: String) {
    if name.hasPrefix("errSec") || name.hasPrefix("kSec") || name.hasPrefix("kCC") {
      maker.note(mention: name)
    }
  }

  private mutating func literal(_ token: ObjectiveCToken) {
    if maker.filter(.literal, token.text) {
      maker.add(.literal, token.text, [:], at: token.range, in: surrounding)
    }
  }

  /// Members, elements and calls behind a value.
  private mutating func suffixes(
    of first: Expression, from start: Int, _ depth: Int
  ) -> Expression {
    var value = first
    while let token, token.kind == .sign {
      switch token.text {
      case ".", "->", "::":
        guard let name = ahead(1), name.kind == .word else { return value }
        index += 2
        value = .member(value, name.text)
      case "[":
        index += 1
        let key = expression(depth + 1)
        _ = skip("]")
        value = .element(of: value, [Expression.Argument(label: nil, value: key)])
      case "(":
        guard value.lastName != nil else { return value }
        let arguments = arguments(depth)
        state(value, arguments, from: start)
        value = .call(value, arguments)
      case "++", "--": index += 1
      default: return value
      }
    }
    return value
  }

  private mutating func arguments(_ depth: Int) -> [Expression.Argument] {
    _ = skip("(")
    var arguments: [Expression.Argument] = []
    while let token, token.text != ")" || token.kind != .sign {
      let start = index
      arguments.append(Expression.Argument(label: nil, value: expression(depth + 1)))
      _ = skip(",")
      if index == start { index += 1 }
    }
    _ = skip(")")
    return arguments
  }

  /// `[receiver first:value second:value]`
  private mutating func message(_ depth: Int) -> Expression {
    let start = index
    _ = skip("[")
    let receiver = operand(depth + 1)
    guard let selector = token, selector.kind == .word else {
      // A list or a lambda of C++: nothing this reads.
      index = start
      skipBalanced("[", "]")
      return .unknown
    }
    index += 1
    var arguments: [Expression.Argument] = []
    var label: String?
    if skip(":") {
      arguments.append(Expression.Argument(label: nil, value: expression(depth + 1)))
      while let token, token.text != "]" || token.kind != .sign {
        let position = index
        if skip(",") {
          arguments.append(Expression.Argument(label: nil, value: expression(depth + 1)))
        } else if token.kind == .word, isSign(":", ahead: 1) {
          label = token.text
          index += 2
          arguments.append(Expression.Argument(label: label, value: expression(depth + 1)))
        }
        if index == position { index += 1 }
      }
    }
    _ = skip("]")
    let callee = Expression.member(receiver, selector.text)
    track(callee, arguments)
    state(callee, arguments, from: start)
    return .call(callee, arguments)
  }

  /// A cast, or an expression in parentheses.
  private mutating func parenthesis(_ depth: Int) -> Expression {
    if isCast {
      skipBalanced("(", ")")
      return operand(depth + 1)
    }
    _ = skip("(")
    let value = expression(depth + 1)
    if skip("=") { _ = expression(depth + 1) }
    _ = skip(")")
    return value
  }

  /// `(NSString *)`, `(__bridge id)`: words and stars only, and a value behind it.
  private var isCast: Bool {
    var position = 1
    var words = 0
    while let token = ahead(position), token.text != ")" || token.kind != .sign {
      guard token.kind == .word || ["*", "<", ">", ","].contains(token.text), position < 16 else {
        return false
      }
      if token.kind == .word { words += 1 }
      position += 1
    }
    guard words > 0, let next = ahead(position + 1) else { return false }
    return next.kind != .sign || ["[", "@", "(", "&", "^"].contains(next.text)
  }

  /// `@{…}`, `@[…]`, `@(…)`, `@5`, `@selector(…)`.
  private mutating func boxed(_ depth: Int) -> Expression {
    index += 1
    guard let token else { return .unknown }
    switch token.text {
    case "{" where token.kind == .sign: return dictionary(depth)
    case "[" where token.kind == .sign:
      index += 1
      var items: [Expression] = []
      while let token = self.token, token.text != "]" || token.kind != .sign {
        let start = index
        items.append(expression(depth + 1))
        _ = skip(",")
        if index == start { index += 1 }
      }
      _ = skip("]")
      return .array(items)
    case "(" where token.kind == .sign:
      _ = skip("(")
      let value = expression(depth + 1)
      _ = skip(")")
      return value
    case "selector", "protocol", "encode":
      index += 1
      skipBalanced("(", ")")
      return .unknown
    case "available":
      index += 1
      skipBalanced("(", ")")
      return .truth
    default:
      index += 1
      return token.kind == .number ? .number(token.text) : Self.word(token.text)
    }
  }

  private mutating func dictionary(_ depth: Int) -> Expression {
    let start = index
    _ = skip("{")
    var entries: [Expression.Entry] = []
    while let token, token.text != "}" || token.kind != .sign {
      let position = index
      let key = operand(depth + 1)
      if skip(":") {
        entries.append(Expression.Entry(key: key, value: expression(depth + 1)))
      }
      _ = skip(",")
      if index == position { index += 1 }
    }
    _ = skip("}")
    let value = Expression.dictionary(entries)
    if !entries.isEmpty, maker.filter(.dictionary, "") {
      var values: [String: [String]] = [:]
      FactMaker.add(value, as: "value", to: &values, variables)
      maker.add(.dictionary, "", values, at: range(from: start), in: surrounding)
    }
    return value
  }

  /// `^{…}`, `^(BOOL ok, NSError *error) {…}`: what happens in it happens in the function.
  private mutating func block(_ depth: Int) -> Expression {
    index += 1
    if token?.kind == .word { index += 1 }
    if isSign("*") { index += 1 }
    if isSign("(") { skipBalanced("(", ")") }
    readBlock(depth + 1)
    return .closure
  }

  /// States a call.
  private mutating func state(
    _ callee: Expression, _ arguments: [Expression.Argument], from start: Int
  ) {
    var name = callee.text
    if name.hasPrefix("self.") { name = String(name.dropFirst(5)) }
    maker.note(call: name)
    if case .member(let base?, let method) = callee, let variable = base.lastName {
      maker.note(method, of: variable, isSet: false)
      if method.hasPrefix("set"), let first = method.dropFirst(3).first {
        maker.note(first.lowercased() + method.dropFirst(4), of: variable, isSet: true)
      }
    }
    if Self.logs.contains(name) { noteWrapper(of: name, arguments, from: start) }
    let sink = wrappers[name]
    guard maker.filter(.call, name) || sink != nil else {
      if followsKeychain,
        let values = KeychainHelper.values(handing: callee, arguments, in: variables, type: type)
      {
        maker.add(
          .call, KeychainHelper.handed(to: name), values, at: range(from: start), in: surrounding)
      }
      guard followsCalls,
        let values = maker.values(ofFollowed: callee, arguments, in: variables, type: type)
      else { return }
      maker.add(.call, FactMaker.followed(name), values, at: range(from: start), in: surrounding)
      return
    }
    var values = FactMaker.values(ofCall: callee, arguments, in: variables)
    if followsKeychain { noteKeychain(callee, arguments, values, from: start) }
    values["result"] = ["used"]
    if let sink { values["wraps"] = [sink] }
    var surrounding = self.surrounding
    if let volume, let needed = LogVolume(call: name), needed > volume {
      // It is compiled only where the level is another: in a build that is debugged.
      surrounding.scope.insert("debug")
    }
    maker.add(
      .call, sink.map { "\(name)→\($0)" } ?? name, values, at: range(from: start),
      in: surrounding)
  }

  /// States that the present function hands to a log what it is given, for those who call it.
  private mutating func noteWrapper(
    of log: String, _ arguments: [Expression.Argument], from start: Int
  ) {
    guard let function, !parameters.isEmpty, maker.filter(.declaration, function) else { return }
    let surrounding = self.surrounding
    guard surrounding.scope.isEmpty,
      arguments.contains(where: { argument in
        argument.value.names(in: variables).contains { parameters.contains($0) }
      })
    else { return }
    let callable = FollowedCall.name(of: function, in: isMethod ? type : nil)
    maker.add(
      .declaration, function, ["kind": ["function"], "logs": [log], "callable": [callable]],
      at: range(from: start), in: surrounding)
  }

  /// States that the present function stores in the keychain under what it is given.
  private mutating func noteKeychain(
    _ callee: Expression, _ arguments: [Expression.Argument], _ values: [String: [String]],
    from start: Int
  ) {
    guard let function, maker.filter(.declaration, function),
      let helper = KeychainHelper.values(
        storing: callee, arguments, values, parameters, in: variables,
        named: FollowedCall.name(of: function, in: isMethod ? type : nil))
    else { return }
    maker.add(.declaration, function, helper, at: range(from: start), in: surrounding)
  }

  /// Follows what a message does to a dictionary.
  private mutating func track(_ callee: Expression, _ arguments: [Expression.Argument]) {
    guard case .member(let base?, let method) = callee, let variable = base.lastName,
      variables[variable]?.isDictionary == true
    else { return }
    switch method {
    case "setObject", "setValue":
      guard arguments.count == 2 else { return }
      variables.setEntry(of: variable, arguments[1].value, arguments[0].value)
    case "addEntriesFromDictionary":
      guard let other = arguments.first?.value else { return }
      if case .dictionary(let entries) = other {
        for entry in entries { variables.setEntry(of: variable, entry.key, entry.value) }
      } else {
        variables.spoil(variable)
      }
    default: break
    }
  }
}
