import Findings

@_implementationOnly import SwiftSyntax

/// Walks a file once and states facts. What a node means is said beside this file: what encloses a
/// fact in `SwiftWalk+Scopes`, what values do in `SwiftWalk+Values`.
final class SwiftWalk: SyntaxVisitor {
  var maker: FactMaker
  /// Functions of this file that hand their arguments to a log.
  let wrappers: [String: String]
  /// The same with the types they belong to, for other files.
  let callables: [String: String]
  let followsCalls: Bool
  /// Whether the file and a check speak of accessibility classes.
  let followsKeychain: Bool
  /// What the function that is walked knows. Kept apart from the others: changed where it lies.
  var local: Variables
  /// The same of those around it.
  var enclosing: [Variables] = []
  var types: [String] = []
  var functions: [String] = []
  /// What the open functions are given.
  var parameters: [Set<String>] = []
  var scopes: [String] = []

  init(
    _ maker: FactMaker, globals: Variables, wrappers: [String: String],
    callables: [String: String], namesKeychain: Bool
  ) {
    self.maker = maker
    self.wrappers = wrappers
    self.callables = callables
    followsCalls = maker.followsCalls
    followsKeychain = namesKeychain && maker.followsKeychain
    local = Variables(in: globals)
    super.init(viewMode: .sourceAccurate)
  }

  func range(_ node: some SyntaxProtocol) -> Range<Int> {
    let start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    let end = node.endPositionBeforeTrailingTrivia.utf8Offset
    return start..<max(start, end)
  }

  // MARK: What encloses

  override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
    enter(node)
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

  override func visit(_ node: IfConfigClauseSyntax) -> SyntaxVisitorContinueKind {
    scopes.append(Self.scope(of: node) ?? "config")
    return .visitChildren
  }
  override func visitPost(_ node: IfConfigClauseSyntax) { scopes.removeLast() }

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
    enter(node)
    return .visitChildren
  }
  override func visitPost(_ node: VariableDeclSyntax) { functions.removeLast() }

  override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
    bind(node)
    return .visitChildren
  }

  override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
    assign(node)
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    call(node)
    return .visitChildren
  }

  override func visit(_ node: DictionaryExprSyntax) -> SyntaxVisitorContinueKind {
    dictionary(node)
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
}
