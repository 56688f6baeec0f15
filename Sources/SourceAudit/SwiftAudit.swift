import Findings

@_implementationOnly import SwiftParser
@_implementationOnly import SwiftSyntax

/// The audit of Swift: parsed once by SwiftParser and walked once for all checks.
package enum SwiftAudit {
  /// The facts of a source file that `filter` asks for.
  package static func audit(
    _ input: AuditInput, filter: @escaping FactFilter
  ) -> AuditedSource {
    var result = AuditedSource()
    let bytes = input.bytes
    let tree = bytes.withUnsafeBufferPointer { Parser.parse(source: $0) }
    let file = SourceFile(bytes, name: input.name, path: input.path)
    let summaries = SwiftSummaries(of: tree)
    var wrappers = summaries.logWrappers
    for name in input.logFunctions { wrappers[name] = "log" }
    let walk = SwiftWalk(
      FactMaker(language: "swift", file: file, isSensitive: input.isSensitive, filter: filter),
      globals: summaries.variables, wrappers: wrappers, callables: summaries.callables,
      namesKeychain: KeychainHelper.isNamed(in: bytes))
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
