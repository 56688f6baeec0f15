import Findings

@_implementationOnly import SwiftSyntax

/// The types, functions and conditions of compilation that a fact stands in.
extension SwiftWalk {
  var surrounding: Surrounding {
    Surrounding(
      type: types.isEmpty ? nil : types.joined(separator: "."), function: functions.last,
      scope: Set(scopes))
  }

  func enter(_ module: ImportDeclSyntax) {
    let name = module.path.map(\.name.text).joined(separator: ".")
    maker.imports.append(name)
    if name == "XCTest" || name == "Testing" || name == "XCTVapor" { scopes.append("test") }
    if maker.filter(.importing, name) {
      maker.add(.importing, name, [:], at: range(module), in: surrounding)
    }
  }

  func enterType(
    _ name: String, _ inheritance: InheritanceClauseSyntax?, _ node: some SyntaxProtocol
  ) -> SyntaxVisitorContinueKind {
    types.append(name)
    let inherited = inheritance?.inheritedTypes.map { $0.type.trimmedDescription } ?? []
    scopes.append(Self.scope(ofType: name, inherited))
    if maker.filter(.declaration, name) {
      maker.add(
        .declaration, name, ["kind": ["type"], "inherits": inherited], at: range(node),
        in: surrounding)
    }
    return .visitChildren
  }

  private static func scope(ofType name: String, _ inherited: [String]) -> String {
    let lowered = name.lowercased()
    if inherited.contains("PreviewProvider") || lowered.hasSuffix("previews") { return "preview" }
    if lowered.hasPrefix("mock") || lowered.hasSuffix("mock") || lowered.hasPrefix("stub") {
      return "mock"
    }
    return inherited.contains { $0.hasSuffix("TestCase") } ? "test" : "type"
  }

  func leaveType() {
    types.removeLast()
    scopes.removeLast()
  }

  func enterFunction(
    _ name: String, _ parameters: FunctionParameterClauseSyntax?, _ node: some SyntaxProtocol
  ) -> SyntaxVisitorContinueKind {
    if maker.filter(.declaration, name) {
      var values = ["kind": ["function"]]
      let callable = FollowedCall.name(of: name, in: types.last)
      if let log = callables[callable] {
        values["logs"] = [log]
        values["callable"] = [callable]
      }
      if followsKeychain,
        let query = KeychainHelper.values(returning: name + "()", in: local, named: callable)
      {
        values.merge(query) { $1 }
      }
      maker.add(.declaration, name, values, at: range(node), in: surrounding)
    }
    functions.append(name)
    maker.enterFunction()
    enclosing.append(local)
    local = Variables(in: local)
    self.parameters.append([])
    for parameter in parameters?.parameters ?? [] { enter(parameter) }
    return .visitChildren
  }

  private func enter(_ parameter: FunctionParameterSyntax) {
    let name = (parameter.secondName ?? parameter.firstName).text
    parameters[parameters.count - 1].insert(name)
    // A class that callers may leave out is the one that most items get.
    let preset = parameter.defaultValue.map { SwiftExpressions.expression($0.value) }
    let isClass = preset?.lastName?.hasPrefix("kSecAttrAccessible") == true
    local.set(name, isClass ? preset : nil, type: parameter.type.trimmedDescription)
    local.spoil(name)
  }

  func leaveFunction() {
    functions.removeLast()
    parameters.removeLast()
    maker.leaveFunction()
    local = enclosing.removeLast()
  }

  /// `#if DEBUG`, and the `#else` of `#if !DEBUG`.
  static func scope(of clause: IfConfigClauseSyntax) -> String? {
    guard let condition = clause.condition?.trimmedDescription else {
      guard let list = clause.parent?.as(IfConfigClauseListSyntax.self),
        let first = list.first?.condition?.trimmedDescription
      else { return nil }
      return first.hasPrefix("!") && isDebug(String(first.dropFirst())) ? "debug" : nil
    }
    return isDebug(condition)
      ? "debug"
      : condition.contains("targetEnvironment(simulator)")
        && !condition.contains("!") ? "simulator" : nil
  }

  private static func isDebug(_ condition: String) -> Bool {
    let words = condition.split { !($0.isLetter || $0.isNumber || $0 == "_") }
    return !condition.contains("!") && !condition.contains("||")
      && words.contains { word in SourceFile.debugWords.contains { word.contains($0) } }
  }
}
