@_implementationOnly import SwiftSyntax

/// What a file says of itself before its functions are looked into: its constants, the dictionaries
/// its functions return, and the functions that hand what they are given to a log.
struct SwiftSummaries {
  private(set) var variables = Variables()
  /// Names of such functions, and the log behind them.
  private(set) var logWrappers: [String: String] = [:]
  /// The same, by names with their types: `Tracer.note`.
  private(set) var callables: [String: String] = [:]

  init(of tree: SourceFileSyntax) {
    let collector = SummaryWalk(viewMode: .sourceAccurate)
    collector.walk(tree)
    variables = collector.variables
    logWrappers = collector.wrappers
    callables = collector.callables
  }
}

/// Collects summaries: properties with values, functions that return dictionaries, log wrappers.
private final class SummaryWalk: SyntaxVisitor {
  var variables = Variables()
  var wrappers: [String: String] = [:]
  var callables: [String: String] = [:]
  private var types: [String] = []
  private static let logs: Set<String> = [
    "NSLog", "print", "debugPrint", "dump", "os_log", "NSLogv", "printf",
  ]

  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    for binding in node.bindings {
      guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
        continue
      }
      if let value = binding.initializer?.value {
        variables.set(
          name, SwiftExpressions.expression(value),
          type: binding.typeAnnotation?.type.trimmedDescription.trimmingOptional)
      } else if let type = binding.typeAnnotation?.type.trimmedDescription {
        variables.set(name, nil, type: type.trimmingOptional)
        if case .getter(let body)? = binding.accessorBlock?.accessors {
          addReturned(by: name, body)
        }
      }
    }
    return .skipChildren
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text)
  }
  override func visitPost(_ node: ClassDeclSyntax) { types.removeLast() }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text)
  }
  override func visitPost(_ node: StructDeclSyntax) { types.removeLast() }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text)
  }
  override func visitPost(_ node: EnumDeclSyntax) { types.removeLast() }
  override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.name.text)
  }
  override func visitPost(_ node: ActorDeclSyntax) { types.removeLast() }
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node.extendedType.trimmedDescription)
  }
  override func visitPost(_ node: ExtensionDeclSyntax) { types.removeLast() }

  private func enter(_ type: String) -> SyntaxVisitorContinueKind {
    types.append(type)
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let body = node.body else { return .skipChildren }
    addReturned(by: node.name.text + "()", body.statements)
    addWrapper(node, body.statements)
    return .skipChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  /// The dictionary that a function builds and returns, if that is what it does.
  private func addReturned(by name: String, _ body: CodeBlockItemListSyntax) {
    var local = Variables()
    for item in body.prefix(64) {
      switch item.item {
      case .decl(let declaration):
        guard let variable = declaration.as(VariableDeclSyntax.self) else { continue }
        for binding in variable.bindings {
          guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text else {
            continue
          }
          local.set(
            name, binding.initializer.map { SwiftExpressions.expression($0.value) },
            type: binding.typeAnnotation?.type.trimmedDescription)
        }
      case .stmt(let statement):
        if let result = statement.as(ReturnStmtSyntax.self)?.expression {
          add(SwiftExpressions.expression(result), as: name, local)
        } else {
          noteConditional(statement, &local)
        }
      case .expr(let expression):
        if body.count == 1 {
          add(SwiftExpressions.expression(expression), as: name, local)
        } else {
          noteAssignment(expression, &local)
        }
      @unknown default:
        continue
      }
    }
  }

  private func noteAssignment(_ expression: ExprSyntax, _ local: inout Variables) {
    if let branch = expression.as(IfExprSyntax.self) {
      for item in branch.body.statements {
        if case .expr(let inner) = item.item { noteAssignment(inner, &local) }
      }
      return
    }
    guard let sequence = expression.as(SequenceExprSyntax.self) else { return }
    let elements = Array(sequence.elements.prefix(3))
    guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self),
      case .element(.name(let name), let arguments) = SwiftExpressions.expression(elements[0]),
      let key = arguments.first?.value
    else { return }
    local.setEntry(of: name, key, SwiftExpressions.expression(elements[2]))
  }

  private func noteConditional(_ statement: StmtSyntax, _ local: inout Variables) {
    guard let inner = statement.as(ExpressionStmtSyntax.self) else { return }
    noteAssignment(inner.expression, &local)
  }

  private func add(_ result: Expression, as name: String, _ local: Variables) {
    var holder = local
    holder.set(name, result)
    guard var variable = holder[name], variable.isDictionary else { return }
    variable.value = nil
    variables.add(name, variable)
  }

  /// A function whose parameter reaches a log call in its body.
  private func addWrapper(_ node: FunctionDeclSyntax, _ body: CodeBlockItemListSyntax) {
    let parameters = Set(
      node.signature.parameterClause.parameters.map { ($0.secondName ?? $0.firstName).text })
    guard !parameters.isEmpty, body.count <= 40 else { return }
    let finder = LogFinder(parameters: parameters, logs: Self.logs)
    finder.walk(body)
    guard let log = finder.found else { return }
    wrappers[node.name.text] = log
    callables[FollowedCall.name(of: node.name.text, in: types.last)] = log
  }
}

/// Finds a log call that is given one of some parameters as it is.
private final class LogFinder: SyntaxVisitor {
  private let parameters: Set<String>
  private let logs: Set<String>
  var found: String?

  init(parameters: Set<String>, logs: Set<String>) {
    self.parameters = parameters
    self.logs = logs
    super.init(viewMode: .sourceAccurate)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard found == nil,
      let name = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
      logs.contains(name)
    else { return .visitChildren }
    let arguments = SwiftExpressions.arguments(node)
    let scope = Variables()
    let shown = arguments.flatMap { $0.value.names(in: scope) }
    if shown.contains(where: { parameters.contains($0) }) { found = name }
    return .visitChildren
  }

  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    // What only a debug build logs is no log of the app.
    node.condition?.trimmedDescription.contains("DEBUG") == true ? .skipChildren : .visitChildren
  }
}

extension String {
  fileprivate var trimmingOptional: String {
    var text = self[...]
    while let last = text.last, "?!".contains(last) { text = text.dropLast() }
    return String(text)
  }
}
