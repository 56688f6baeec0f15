package import YAML

/// Word lists as they stand in `Rules/lexicon/`, or as a project adds its own.
///
///     classes:
///       credential: [password, passcode, {term: pin, with: [user, app]}]
///     harmless-after: [length, count]
///     harmless-before: [is, has]
///     harmless: [token bucket]
///     log-functions: [Tracer.note]
package enum LexiconFile {
  /// Adds what a file says to a lexicon.
  package static func add(
    _ text: String, path: String, to lexicon: inout Lexicon
  ) throws(RuleFileError) {
    do throws(YAMLError) {
      guard let root = try YAMLParser.parse(text) else {
        throw YAMLError("the file is empty", at: YAMLMark(line: 1, column: 1))
      }
      try read(root, into: &lexicon)
    } catch {
      throw RuleFileError(path: path, mark: error.mark, detail: error.problem)
    }
  }

  /// Adds what a part of another file says, laid out like one of these.
  package static func add(
    _ node: YAMLNode, path: String, to lexicon: inout Lexicon
  ) throws(RuleFileError) {
    do throws(YAMLError) {
      try read(node, into: &lexicon)
    } catch {
      throw RuleFileError(path: path, mark: error.mark, detail: error.problem)
    }
  }

  /// The lexicon of several files, in their order.
  package static func lexicon(
    of files: [(path: String, text: String)]
  ) throws(RuleFileError) -> Lexicon {
    var lexicon = Lexicon()
    for file in files { try add(file.text, path: file.path, to: &lexicon) }
    return lexicon
  }

  private static func read(_ root: YAMLNode, into lexicon: inout Lexicon) throws(YAMLError) {
    let fields = try root.fields([
      "language", "classes", "harmless-after", "harmless-before", "harmless", "log-functions",
    ])
    _ = try fields["language"]?.text()
    if let node = fields["classes"] {
      guard case .mapping(let entries) = node.value else {
        throw YAMLError("classes with lists of names are wanted here", at: node.mark)
      }
      for entry in entries {
        for item in try entry.value.items() { try addTerm(item, entry.key, to: &lexicon) }
      }
    }
    lexicon.add(logFunctions: try fields["log-functions"]?.texts() ?? [])
    lexicon.add(
      heads: try fields["harmless-after"]?.texts() ?? [],
      openings: try fields["harmless-before"]?.texts() ?? [],
      harmless: try fields["harmless"]?.texts() ?? [])
  }

  private static func addTerm(
    _ node: YAMLNode, _ name: String, to lexicon: inout Lexicon
  ) throws(YAMLError) {
    guard case .mapping = node.value else {
      let text = try node.text()
      guard !text.isEmpty else { throw YAMLError("the name is empty", at: node.mark) }
      lexicon.add(text, [name])
      return
    }
    let fields = try node.fields(["term", "with", "alone"])
    lexicon.add(
      try fields.required("term").text(), [name],
      with: Set(try fields["with"]?.texts() ?? []), isAlone: try fields["alone"]?.boolean() ?? false
    )
  }
}
