import Findings

@_implementationOnly import SwiftSyntax

/// What values are declared, assigned and handed over.
extension SwiftWalk {
  static func bare(_ type: String) -> String {
    var type = type[...]
    while let last = type.last, "?!".contains(last) { type = type.dropLast() }
    return String(type)
  }

  /// Notes the variables of a declaration, and enters the function that computes them.
  func enter(_ node: VariableDeclSyntax) {
    for binding in node.bindings {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
        continue
      }
      let value = binding.initializer.map { SwiftExpressions.expression($0.value) }
      let type = binding.typeAnnotation?.type.trimmedDescription
      local.set(name, value, type: type.map(Self.bare))
      declare(name, value, type, node)
    }
    if node.bindings.count == 1, let binding = node.bindings.first,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
      binding.accessorBlock != nil
    {
      functions.append(name)
      declareQuery(name, node)
    } else {
      functions.append(functions.last ?? "")
    }
  }

  /// `static var query: [String: Any] { … }`
  private func declareQuery(_ name: String, _ node: VariableDeclSyntax) {
    guard followsKeychain, maker.filter(.declaration, name),
      let values = KeychainHelper.values(
        returning: name, in: enclosing.first ?? local,
        named: FollowedCall.name(of: name, in: types.last))
    else { return }
    maker.add(.declaration, name, values, at: range(node), in: surrounding)
  }

  private func declare(
    _ name: String, _ value: Expression?, _ type: String?, _ node: VariableDeclSyntax
  ) {
    guard maker.filter(.declaration, name) else { return }
    var values: [String: [String]] = ["kind": [node.bindingSpecifier.text]]
    let known = type.map(Self.bare) ?? value.flatMap { local.type(of: $0) }
    if let known { values["type"] = [known] }
    if let value {
      FactMaker.add(value, as: "value", to: &values, local)
    }
    let attributes = node.attributes.compactMap {
      $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription
    }
    if !attributes.isEmpty { values["attributes"] = attributes }
    values["modifiers"] = node.modifiers.map(\.name.text)
    maker.add(.declaration, name, values, at: range(node), in: surrounding)
  }

  /// `if let name = value`
  func bind(_ node: OptionalBindingConditionSyntax) {
    guard let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
      let value = node.initializer?.value
    else { return }
    let expression = SwiftExpressions.expression(value)
    if expression != .name(name) { local.set(name, expression) }
  }

  /// `target = value`, as the parser leaves it: a sequence of expressions and operators.
  func assign(_ node: SequenceExprSyntax) {
    let elements = Array(node.elements.prefix(3))
    guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self) else { return }
    let rest = Array(node.elements.dropFirst(2))
    let value =
      rest.count == 1
      ? SwiftExpressions.expression(rest[0])
      : SwiftExpressions.expression(
        ExprSyntax(SequenceExprSyntax(elements: ExprListSyntax(rest))))
    assign(value, to: SwiftExpressions.expression(elements[0]), node)
  }

  private func assign(_ value: Expression, to target: Expression, _ node: SequenceExprSyntax) {
    let name: String
    switch target {
    case .name(let variable), .member(.name("self")?, let variable):
      local.set(variable, value, type: local[variable]?.type)
      name = variable
    case .element(let base, let arguments):
      guard let key = arguments.first?.value else { return }
      if let variable = base.lastName { local.setEntry(of: variable, key, value) }
      name = base.text + "[" + (FactMaker.entryKey(key) ?? "") + "]"
    default:
      name = target.text
    }
    maker.add(
      assignmentOf: value, to: target, named: name, local, at: range(node), in: surrounding)
  }

  func call(_ node: FunctionCallExprSyntax) {
    let callee = SwiftExpressions.expression(node.calledExpression)
    let arguments = SwiftExpressions.arguments(node)
    track(callee, arguments)
    var name = callee.text
    if name.hasPrefix(".") || name.hasPrefix("self.") {
      name = String(name.drop { $0 != "." }.dropFirst())
    }
    maker.note(call: name)
    if case .member(let base?, let method) = callee, let variable = base.lastName {
      maker.note(method, of: variable, isSet: false)
    }
    let sink = wrappers[name] ?? callee.lastName.flatMap { wrappers[$0] }
    guard maker.filter(.call, name) || sink != nil else {
      return follow(name, callee, arguments, node)
    }
    var values = FactMaker.values(ofCall: callee, arguments, in: local)
    if followsKeychain { noteKeychain(callee, arguments, &values, node) }
    values["result"] = [node.use]
    if let kind = node.kindOfTry { values["try"] = [kind] }
    if let sink { values["wraps"] = [sink] }
    maker.add(
      .call, sink.map { "\(name)→\($0)" } ?? name, values, at: range(node), in: surrounding)
  }

  /// What a call of the keychain owes to the callers of this function, and to functions elsewhere.
  private func noteKeychain(
    _ callee: Expression, _ arguments: [Expression.Argument], _ values: inout [String: [String]],
    _ node: FunctionCallExprSyntax
  ) {
    guard callee.lastName?.hasPrefix("SecItem") == true, let function = functions.last else {
      return
    }
    values["query"] = KeychainHelper.query(of: arguments, in: local, type: types.last)
    guard maker.filter(.declaration, function),
      let helper = KeychainHelper.values(
        storing: callee, arguments, values, parameters.last ?? [], in: local,
        named: FollowedCall.name(of: function, in: types.last))
    else { return }
    maker.add(.declaration, function, helper, at: range(node), in: surrounding)
  }

  /// A call of a function that may log, or store in the keychain, in another file.
  private func follow(
    _ name: String, _ callee: Expression, _ arguments: [Expression.Argument],
    _ node: FunctionCallExprSyntax
  ) {
    if followsKeychain,
      let values = KeychainHelper.values(handing: callee, arguments, in: local, type: types.last)
    {
      maker.add(
        .call, KeychainHelper.handed(to: name), values, at: range(node), in: surrounding)
    }
    guard followsCalls,
      let values = maker.values(
        ofFollowed: callee, arguments, in: local, type: types.last)
    else { return }
    maker.add(.call, FactMaker.followed(name), values, at: range(node), in: surrounding)
  }

  func dictionary(_ node: DictionaryExprSyntax) {
    let expression = SwiftExpressions.expression(ExprSyntax(node))
    guard case .dictionary(let entries) = expression, !entries.isEmpty,
      maker.filter(.dictionary, "")
    else { return }
    var values: [String: [String]] = [:]
    FactMaker.add(expression, as: "value", to: &values, local)
    maker.add(.dictionary, "", values, at: range(node), in: surrounding)
  }

  /// Follows what a call does to a dictionary.
  private func track(_ callee: Expression, _ arguments: [Expression.Argument]) {
    guard case .member(let base?, let method) = callee, let variable = base.lastName else { return }
    switch method {
    case "setValue", "setObject", "updateValue", "set":
      guard arguments.count >= 2, local[variable]?.isDictionary == true else { return }
      local.setEntry(of: variable, arguments[1].value, arguments[0].value)
    case "merge", "addEntries", "setValuesForKeys":
      guard let other = arguments.first?.value, local[variable]?.isDictionary == true else {
        return
      }
      if case .dictionary(let entries) = other {
        for entry in entries { local.setEntry(of: variable, entry.key, entry.value) }
      } else if case .name(let name) = other, let known = local[name], known.isDictionary {
        for entry in known.entries { local.setEntry(of: variable, entry.key, entry.value) }
        if !known.isComplete { local.spoil(variable) }
      } else {
        local.spoil(variable)
      }
    default: break
    }
  }
}
