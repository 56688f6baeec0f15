@_implementationOnly import SwiftSyntax

/// What code makes of a call: who takes its result, and who its error.
extension FunctionCallExprSyntax {
  /// What becomes of the result, in the words of rule files.
  var use: String {
    var current = Syntax(self)
    while let parent = current.parent {
      if parent.is(TryExprSyntax.self) || parent.is(AwaitExprSyntax.self) {
        current = parent
        continue
      }
      if let item = parent.as(CodeBlockItemSyntax.self) { return Self.use(asStatement: item) }
      if let sequence = parent.as(ExprListSyntax.self)?.parent?.as(SequenceExprSyntax.self),
        sequence.elements.first?.is(DiscardAssignmentExprSyntax.self) == true
      {
        return "discarded"
      }
      return "used"
    }
    return "used"
  }

  /// The only statement of a closure or function may be what it returns.
  private static func use(asStatement item: CodeBlockItemSyntax) -> String {
    let list = item.parent?.as(CodeBlockItemListSyntax.self)
    guard list?.count == 1 else { return "unused" }
    if list?.parent?.is(ClosureExprSyntax.self) == true { return "returned" }
    if let body = list?.parent?.as(CodeBlockSyntax.self),
      let function = body.parent?.as(FunctionDeclSyntax.self),
      function.signature.returnClause != nil
    {
      return "returned"
    }
    return "unused"
  }

  /// What becomes of an error: `throws`, `forced`, `optional` where it turns into nothing, and
  /// `rethrown` where nothing turns into an error again.
  var kindOfTry: String? {
    var current = Syntax(self)
    while let parent = current.parent {
      if let attempt = parent.as(TryExprSyntax.self) {
        guard let mark = attempt.questionOrExclamationMark else { return "throws" }
        guard mark.text == "?" else { return "forced" }
        return Self.isThrownAgain(Syntax(attempt)) ? "rethrown" : "optional"
      }
      guard
        parent.is(AwaitExprSyntax.self) || parent.is(MemberAccessExprSyntax.self)
          || parent.is(FunctionCallExprSyntax.self) || parent.is(OptionalChainingExprSyntax.self)
      else { return nil }
      current = parent
    }
    return nil
  }

  /// `guard let text = try? open(box) else { throw Damaged() }`
  private static func isThrownAgain(_ attempt: Syntax) -> Bool {
    var current = attempt
    while let parent = current.parent {
      if let condition = parent.as(GuardStmtSyntax.self) {
        return condition.body.statements.contains { $0.item.is(ThrowStmtSyntax.self) }
      }
      if parent.is(CodeBlockItemSyntax.self) || parent.is(ClosureExprSyntax.self) { return false }
      current = parent
    }
    return false
  }
}
