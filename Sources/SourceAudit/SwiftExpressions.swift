@_implementationOnly import SwiftSyntax

/// Turns Swift's syntax into expressions.
enum SwiftExpressions {
  /// Deeper nesting than this is not looked into.
  private static let deepest = 40

  static func expression(_ node: ExprSyntax, depth: Int = 0) -> Expression {
    guard depth < deepest else { return .unknown }
    let next = depth + 1
    switch node.as(ExprSyntaxEnum.self) {
    case .declReferenceExpr(let name):
      // A binding shows what it binds: `$password`.
      let text = name.baseName.text.withoutBackticks
      return .name(text.hasPrefix("$") && text.count > 2 ? String(text.dropFirst()) : text)
    case .memberAccessExpr(let member): return self.member(member, next)
    case .functionCallExpr(let call):
      return .call(expression(call.calledExpression, depth: next), arguments(call, next))
    case .subscriptCallExpr(let element):
      return .element(
        of: expression(element.calledExpression, depth: next), arguments(element.arguments, next))
    case .stringLiteralExpr(let literal): return text(literal, next)
    case .integerLiteralExpr(let literal): return .number(literal.literal.text)
    case .floatLiteralExpr(let literal): return .number(literal.literal.text)
    case .booleanLiteralExpr(let literal): return .number(literal.literal.text)
    case .nilLiteralExpr: return .nothing
    case .arrayExpr(let array):
      return .array(array.elements.prefix(4_096).map { expression($0.expression, depth: next) })
    case .dictionaryExpr(let dictionary): return self.dictionary(dictionary, next)
    case .tupleExpr(let tuple):
      let items = tuple.elements.map { expression($0.expression, depth: next) }
      return items.count == 1 ? items[0] : .combined(items)
    case .closureExpr: return .closure
    default: return transparent(node, next)
    }
  }

  /// What leaves no trace, and operators.
  private static func transparent(_ node: ExprSyntax, _ depth: Int) -> Expression {
    switch node.as(ExprSyntaxEnum.self) {
    case .forceUnwrapExpr(let inner): expression(inner.expression, depth: depth)
    case .optionalChainingExpr(let inner): expression(inner.expression, depth: depth)
    case .tryExpr(let inner): expression(inner.expression, depth: depth)
    case .awaitExpr(let inner): expression(inner.expression, depth: depth)
    case .inOutExpr(let inner): expression(inner.expression, depth: depth)
    case .asExpr(let inner): expression(inner.expression, depth: depth)
    case .prefixOperatorExpr(let inner):
      inner.operator.text == "!" ? .truth : expression(inner.expression, depth: depth)
    case .postfixOperatorExpr(let inner): expression(inner.expression, depth: depth)
    case .genericSpecializationExpr(let inner): expression(inner.expression, depth: depth)
    case .superExpr: .name("super")
    case .ternaryExpr(let inner):
      .combined([
        expression(inner.thenExpression, depth: depth),
        expression(inner.elseExpression, depth: depth),
      ])
    case .sequenceExpr(let sequence): combined(sequence, depth)
    case .isExpr: .truth
    case .macroExpansionExpr(let macro):
      .call(
        .name("#" + macro.macroName.text), arguments(macro.arguments, depth))
    default: .unknown
    }
  }

  private static func member(_ member: MemberAccessExprSyntax, _ depth: Int) -> Expression {
    let name = member.declName.baseName.text.withoutBackticks
    return .member(member.base.map { expression($0, depth: depth) }, name)
  }

  private static func dictionary(_ node: DictionaryExprSyntax, _ depth: Int) -> Expression {
    guard case .elements(let elements) = node.content else { return .dictionary([]) }
    return .dictionary(
      elements.prefix(4_096).map {
        Expression.Entry(
          key: expression($0.key, depth: depth), value: expression($0.value, depth: depth))
      })
  }

  static func arguments(_ call: FunctionCallExprSyntax, _ depth: Int = 0) -> [Expression.Argument] {
    var result = arguments(call.arguments, depth)
    if call.trailingClosure != nil {
      result.append(Expression.Argument(label: "closure", value: .closure, isTrailing: true))
    }
    return result
  }

  private static func arguments(
    _ list: LabeledExprListSyntax, _ depth: Int
  ) -> [Expression.Argument] {
    list.prefix(256).map {
      Expression.Argument(
        label: $0.label?.text.withoutBackticks, value: expression($0.expression, depth: depth))
    }
  }

  private static func text(_ literal: StringLiteralExprSyntax, _ depth: Int) -> Expression {
    var segments: [Expression.Segment] = []
    var plain = ""
    for segment in literal.segments {
      switch segment {
      case .stringSegment(let text):
        plain += text.content.text
      case .expressionSegment(let inner):
        if !plain.isEmpty { segments.append(Expression.Segment(text: plain)) }
        plain = ""
        segments.append(interpolation(inner, depth))
      @unknown default:
        segments.append(Expression.Segment(value: .unknown))
      }
    }
    guard !segments.isEmpty else { return .literal(plain) }
    if !plain.isEmpty { segments.append(Expression.Segment(text: plain)) }
    return .interpolated(segments)
  }

  private static func interpolation(
    _ segment: ExpressionSegmentSyntax, _ depth: Int
  ) -> Expression.Segment {
    var result = Expression.Segment()
    for argument in segment.expressions {
      switch argument.label?.text {
      case "privacy":
        result.privacy = expression(argument.expression, depth: depth).lastName ?? "auto"
      case nil where result.value == nil, "describing", "reflecting", "verbatim", "hex":
        result.value = expression(argument.expression, depth: depth)
      default: break
      }
    }
    return result
  }

  /// Operators between values: comparisons show a truth, choices and sums what they choose from.
  private static func combined(_ sequence: SequenceExprSyntax, _ depth: Int) -> Expression {
    var values: [Expression] = []
    var skips = false
    for element in sequence.elements.prefix(512) {
      switch element.as(ExprSyntaxEnum.self) {
      case .binaryOperatorExpr(let symbol):
        if ["==", "!=", "<", ">", "<=", ">=", "&&", "||", "===", "!==", "~="].contains(
          symbol.operator.text)
        {
          return .truth
        }
      case .unresolvedTernaryExpr(let choice):
        // What stands before the question mark is the question.
        values.removeAll()
        values.append(expression(choice.thenExpression, depth: depth))
      case .unresolvedAsExpr: skips = true
      case .unresolvedIsExpr: return .truth
      case .typeExpr where skips: skips = false
      case .assignmentExpr: break
      default:
        // The type behind `as` may read like a name.
        if skips { skips = false } else { values.append(expression(element, depth: depth)) }
      }
    }
    return values.count == 1 ? values[0] : .combined(values)
  }
}

extension String {
  fileprivate var withoutBackticks: String {
    hasPrefix("`") && hasSuffix("`") && count > 2 ? String(dropFirst().dropLast()) : self
  }
}
