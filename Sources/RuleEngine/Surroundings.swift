import Bytes
package import Findings

/// What is known about searched bytes beyond themselves, from the reader that lifted them.
package struct Surroundings: Sendable {
  /// The bytes are one whole value of a record, dictionary or list.
  package var isWholeField = false
  /// Names the value stands under and short texts beside it.
  package var names: [String] = []

  /// The name of the field, where the value is one: what would stand before `=` in a file of settings.
  package var fieldName: String?

  package init() {}

  /// The surroundings of a fragment.
  package init(of context: Context, isWholeField: Bool = true) {
    self.isWholeField = isWholeField
    let column = context.attribute ?? context.column?.withoutCoreDataPrefix
    let own = context.key ?? column
    fieldName = own
    names = [context.key, column, context.entity ?? context.table?.withoutCoreDataPrefix]
      .compactMap(\.self)
    // Where the name says nothing ("value", "data") the record itself names it: a `name` beside it.
    // Names of other fields must not: `apiKey` beside `encryptionKey` does not make that one an API key.
    guard own.map({ Self.neutralNames.contains($0.lowercased()) }) ?? true else { return }
    names += context.neighbours
    fieldName = context.neighbours.first(where: Self.isName) ?? own
  }

  /// Names of columns and keys that hold anything.
  private static let neutralNames: Set<String> = [
    "value", "val", "v", "data", "string", "text", "content", "blob", "raw", "payload", "body",
    "setting", "stringvalue", "item", "zvalue",
  ]

  private static func isName(_ text: String) -> Bool {
    text.utf8.count <= 64 && text.utf8.contains { $0.isASCIILetter }
      && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "_-.".utf8.contains($0) }
  }
}
