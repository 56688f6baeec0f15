import Findings

@_implementationOnly import SwiftParser
@_implementationOnly import SwiftSyntax

/// The audit of Swift: parsed once by SwiftParser and walked once for all checks.
package enum SwiftAudit {
  /// Larger files are generated, and parsing one would take long.
  static let largest = 8 << 20

  /// The facts of a source file that `filter` asks for.
  package static func audit(
    _ input: AuditInput, filter: @escaping FactFilter
  ) -> AuditedSource {
    var result = AuditedSource()
    let bytes = input.bytes
    guard bytes.count <= largest else {
      result.damage = (1, "is larger than \(largest >> 20) MiB and was not parsed")
      return result
    }
    let tree = bytes.withUnsafeBufferPointer { Parser.parse(source: $0) }
    let file = SourceFile(bytes, name: input.name, path: input.path)
    let summaries = SwiftSummaries(of: tree)
    var wrappers = summaries.logWrappers
    for name in input.logFunctions { wrappers[name] = "log" }
    let walk = SwiftWalk(
      FactMaker(language: "swift", file: file, filter: filter), globals: summaries.variables,
      wrappers: wrappers)
    walk.walk(tree)
    result.facts = walk.maker.finish()
    if tree.hasError {
      result.damage = (line(of: tree, file), "is not Swift that the parser knows")
    }
    return result
  }

  /// The line of the first thing the parser did not expect or missed.
  private static func line(of tree: SourceFileSyntax, _ file: SourceFile) -> Int {
    var node = Syntax(tree)
    while let child = node.children(viewMode: .all).first(where: { $0.hasError || $0.isDamaged }) {
      if child.isDamaged {
        return file.line(of: child.positionAfterSkippingLeadingTrivia.utf8Offset)
      }
      node = child
    }
    return file.line(of: node.positionAfterSkippingLeadingTrivia.utf8Offset)
  }
}

extension Syntax {
  fileprivate var isDamaged: Bool {
    if let token = self.as(TokenSyntax.self) { return token.presence == .missing }
    return self.is(UnexpectedNodesSyntax.self)
  }
}

/// Walks a file and states facts.
final class SwiftWalk: SyntaxVisitor {
  var maker: FactMaker
  /// Functions of this file that hand their arguments to a log.
  private let wrappers: [String: String]
  private var variables: [Variables]
  private var types: [String] = []
  private var functions: [String] = []
  private var scopes: [String] = []

  init(_ maker: FactMaker, globals: Variables, wrappers: [String: String]) {
    self.maker = maker
    self.wrappers = wrappers
    variables = [Variables(in: globals)]
    super.init(viewMode: .sourceAccurate)
  }

  private var local: Variables {
    get { variables[variables.count - 1] }
    set { variables[variables.count - 1] = newValue }
  }

  private var surrounding: Surrounding {
    Surrounding(
      type: types.isEmpty ? nil : types.joined(separator: "."), function: functions.last,
      scope: Set(scopes))
  }

  private func range(_ node: some SyntaxProtocol) -> Range<Int> {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let end = node.endPositionBeforeTrailingTrivia.utf8Offset
    return start..<max(start, end)
  }

  // MARK: What encloses

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    let name = node.path.map(\.name.text).joined(separator: ".")
    maker.imports.append(name)
    if name == "XCTest" || name == "Testing" || name == "XCTVapor" { scopes.append("test") }
    if maker.filter(.importing, name) {
      maker.add(.importing, name, [:], at: range(node), in: surrounding)
    }
    return .skipChildren
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(node.name.text, node.inheritanceClause, node)
  }
  override func visitPost(_ node: ClassDeclSyntax) { leaveType() }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(node.name.text, node.inheritanceClause, node)
  }
  override func visitPost(_ node: StructDeclSyntax) { leaveType() }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(node.name.text, node.inheritanceClause, node)
  }
  override func visitPost(_ node: EnumDeclSyntax) { leaveType() }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(node.name.text, node.inheritanceClause, node)
  }
  override func visitPost(_ node: ActorDeclSyntax) { leaveType() }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    enterType(node.extendedType.trimmedDescription, node.inheritanceClause, node)
  }
  override func visitPost(_ node: ExtensionDeclSyntax) { leaveType() }

  private func enterType(
    _ name: String, _ inheritance: InheritanceClauseSyntax?, _ node: some SyntaxProtocol
  ) -> SyntaxVisitorContinueKind {
    types.append(name)
    let inherited = inheritance?.inheritedTypes.map { $0.type.trimmedDescription } ?? []
    let lowered = name.lowercased()
    if inherited.contains("PreviewProvider") || lowered.hasSuffix("previews") {
      scopes.append("preview")
    } else if lowered.hasPrefix("mock") || lowered.hasSuffix("mock") || lowered.hasPrefix("stub") {
      scopes.append("mock")
    } else if inherited.contains(where: { $0.hasSuffix("TestCase") }) {
      scopes.append("test")
    } else {
      scopes.append("type")
    }
    if maker.filter(.declaration, name) {
      maker.add(
        .declaration, name, ["kind": ["type"], "inherits": inherited], at: range(node),
        in: surrounding)
    }
    return .visitChildren
  }

  private func leaveType() {
    types.removeLast()
    scopes.removeLast()
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    enterFunction(node.name.text, node.signature.parameterClause, node)
  }
  override func visitPost(_ node: FunctionDeclSyntax) { leaveFunction() }
  override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
    enterFunction("init", node.signature.parameterClause, node)
  }
  override func visitPost(_ node: InitializerDeclSyntax) { leaveFunction() }
  override func visit(_ node: AccessorBlockSyntax) -> SyntaxVisitorContinueKind {
    enterFunction(functions.last ?? "get", nil, node)
  }
  override func visitPost(_ node: AccessorBlockSyntax) { leaveFunction() }

  private func enterFunction(
    _ name: String, _ parameters: FunctionParameterClauseSyntax?, _ node: some SyntaxProtocol
  ) -> SyntaxVisitorContinueKind {
    if maker.filter(.declaration, name) {
      maker.add(.declaration, name, ["kind": ["function"]], at: range(node), in: surrounding)
    }
    functions.append(name)
    maker.enterFunction()
    variables.append(local)
    for parameter in parameters?.parameters ?? [] {
      let name = (parameter.secondName ?? parameter.firstName).text
      local.set(name, nil, type: parameter.type.trimmedDescription)
      local.spoil(name)
    }
    return .visitChildren
  }

  private func leaveFunction() {
    functions.removeLast()
    maker.leaveFunction()
    variables.removeLast()
  }

  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    scopes.append(Self.scope(of: node) ?? "config")
    return .visitChildren
  }
  override func visitPost(_ node: IfConfigClauseSyntax) { scopes.removeLast() }

  /// `#if DEBUG`, and the `#else` of `#if !DEBUG`.
  private static func scope(of clause: IfConfigClauseSyntax) -> String? {
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

  override func visit(_ node: MacroExpansionDeclSyntax) -> SyntaxVisitorContinueKind {
    scopes.append(node.macroName.text == "Preview" ? "preview" : "macro")
    return .visitChildren
  }
  override func visitPost(_ node: MacroExpansionDeclSyntax) { scopes.removeLast() }
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    scopes.append(node.macroName.text == "Preview" ? "preview" : "macro")
    return .visitChildren
  }
  override func visitPost(_ node: MacroExpansionExprSyntax) { scopes.removeLast() }

  // MARK: What happens

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
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
    } else {
      functions.append(functions.last ?? "")
      if functions.last == "" { functions[functions.count - 1] = "" }
    }
    return .visitChildren
  }
  override func visitPost(_ node: VariableDeclSyntax) { functions.removeLast() }

  private static func bare(_ type: String) -> String {
    var type = type[...]
    while let last = type.last, "?!".contains(last) { type = type.dropLast() }
    return String(type)
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

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    if let name = node.pattern.as(IdentifierPatternSyntax.self)?.identifier.text {
      if let value = node.initializer?.value {
        let expression = SwiftExpressions.expression(value)
        if expression != .name(name) { local.set(name, expression) }
      }
    }
    return .visitChildren
  }

  override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
    let elements = Array(node.elements.prefix(3))
    guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self) else {
      return .visitChildren
    }
    let rest = Array(node.elements.dropFirst(2))
    let value =
      rest.count == 1
      ? SwiftExpressions.expression(rest[0])
      : SwiftExpressions.expression(
        ExprSyntax(SequenceExprSyntax(elements: ExprListSyntax(rest))))
    assign(value, to: SwiftExpressions.expression(elements[0]), node)
    return .visitChildren
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
    if case .member(let base?, let member) = target {
      if let variable = base.lastName { maker.note(member, of: variable, isSet: true) }
      maker.note(mention: member)
    }
    guard maker.filter(.assignment, name) else { return }
    var values: [String: [String]] = [:]
    FactMaker.add(value, as: "value", to: &values, local)
    if case .element(let base, let arguments) = target, let key = arguments.first?.value {
      values["key"] = [FactMaker.entryKey(key) ?? key.text]
      values["key.names"] = key.keyName.map { [$0] } ?? []
      values["target"] = [base.text]
    } else if case .member(let base?, let member) = target {
      values["key"] = [member]
      values["target"] = [base.text]
      values["target.names"] = [base.lastName ?? ""].map(Expression.withoutField)
      if let type = local.type(of: base) { values["target.type"] = [type] }
    }
    maker.add(.assignment, name, values, at: range(node), in: surrounding)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
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
    if maker.filter(.call, name) || sink != nil {
      var values = FactMaker.values(ofCall: callee, arguments, in: local)
      values["result"] = [Self.use(of: node)]
      if let kind = Self.kindOfTry(node) { values["try"] = [kind] }
      if let sink { values["wraps"] = [sink] }
      maker.add(
        .call, sink.map { "\(name)→\($0)" } ?? name, values, at: range(node), in: surrounding)
    }
    return .visitChildren
  }

  override func visit(_ node: DictionaryExprSyntax) -> SyntaxVisitorContinueKind {
    let expression = SwiftExpressions.expression(ExprSyntax(node))
    guard case .dictionary(let entries) = expression, !entries.isEmpty,
      maker.filter(.dictionary, "")
    else { return .visitChildren }
    var values: [String: [String]] = [:]
    FactMaker.add(expression, as: "value", to: &values, local)
    maker.add(.dictionary, "", values, at: range(node), in: surrounding)
    return .visitChildren
  }

  override func visit(_ node: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind {
    let text = node.segments.compactMap { $0.as(StringSegmentSyntax.self)?.content.text }.joined()
    if maker.filter(.literal, text) {
      maker.add(.literal, text, [:], at: range(node), in: surrounding)
    }
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.declName.baseName.text
    if name == "utf8" || name == "bytes",
      let base = node.base?.as(DeclReferenceExprSyntax.self)?.baseName.text
    {
      maker.note(name, of: base, isSet: false)
    }
    return .visitChildren
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.baseName.text
    if name.hasPrefix("errSec") || name.hasPrefix("kSec") || name.hasPrefix("kCC") {
      maker.note(mention: name)
    }
    return .skipChildren
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

  /// What becomes of the result of a call.
  private static func use(of node: FunctionCallExprSyntax) -> String {
    var current = Syntax(node)
    while let parent = current.parent {
      if parent.is(TryExprSyntax.self) || parent.is(AwaitExprSyntax.self) {
        current = parent
        continue
      }
      if let item = parent.as(CodeBlockItemSyntax.self) {
        // The only statement of a closure or function may be what it returns.
        let list = item.parent?.as(CodeBlockItemListSyntax.self)
        let isAlone = list?.count == 1
        if isAlone, list?.parent?.is(ClosureExprSyntax.self) == true { return "returned" }
        if isAlone, let body = list?.parent?.as(CodeBlockSyntax.self),
          let function = body.parent?.as(FunctionDeclSyntax.self),
          function.signature.returnClause != nil
        {
          return "returned"
        }
        return "unused"
      }
      if let sequence = parent.as(ExprListSyntax.self)?.parent?.as(SequenceExprSyntax.self),
        sequence.elements.first?.is(DiscardAssignmentExprSyntax.self) == true
      {
        return "discarded"
      }
      return "used"
    }
    return "used"
  }

  private static func kindOfTry(_ node: FunctionCallExprSyntax) -> String? {
    var current = Syntax(node)
    while let parent = current.parent {
      if let attempt = parent.as(TryExprSyntax.self) {
        return attempt.questionOrExclamationMark.map { $0.text == "?" ? "optional" : "forced" }
          ?? "throws"
      }
      guard
        parent.is(AwaitExprSyntax.self) || parent.is(MemberAccessExprSyntax.self)
          || parent.is(FunctionCallExprSyntax.self) || parent.is(OptionalChainingExprSyntax.self)
      else { return nil }
      current = parent
    }
    return nil
  }
}
