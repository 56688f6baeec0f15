import Findings
import YAML

extension Check.Examples {
  init(_ node: YAMLNode, of kind: Check.Kind) throws(YAMLError) {
    let fields = try node.fields(["match", "warn", "clean", "undecided"])
    match = try Self.examples(fields["match"], kind)
    warn = try Self.examples(fields["warn"], kind)
    clean = try Self.examples(fields["clean"], kind)
    undecided = try Self.examples(fields["undecided"], kind)
    guard !match.isEmpty || !warn.isEmpty, !clean.isEmpty else {
      throw YAMLError("a check needs an example of each kind", at: node.mark)
    }
  }

  private static func examples(
    _ node: YAMLNode?, _ kind: Check.Kind
  ) throws(YAMLError) -> [Check.Example] {
    var examples: [Check.Example] = []
    for item in try node?.items() ?? [] { examples.append(try Check.Example(item, of: kind)) }
    return examples
  }
}

extension Check.Example {
  /// A text; `{Name.m: text}` for one or several named files; or `{facts: […]}`.
  init(_ node: YAMLNode, of kind: Check.Kind) throws(YAMLError) {
    guard case .mapping(let entries) = node.value else {
      files = [File(name: kind.exampleName, text: try node.text())]
      return
    }
    for entry in entries {
      if entry.key == "facts" {
        for item in try entry.value.items() { facts.append(try Fact(example: item)) }
      } else {
        files.append(File(name: entry.key, text: try entry.value.text()))
      }
    }
  }
}

extension Fact {
  /// A fact as an example gives it: `{subject, name, values: {key: text or list}}`.
  fileprivate init(example node: YAMLNode) throws(YAMLError) {
    let fields = try node.fields(["subject", "name", "values", "steps"])
    let subject = try fields.required("subject").word(Subject.self)
    var values: [String: [String]] = [:]
    if let node = fields["values"] {
      guard case .mapping(let entries) = node.value else {
        throw YAMLError("keys with values are wanted here", at: node.mark)
      }
      for entry in entries { values[entry.key] = try entry.value.oneOrMore() }
    }
    self.init(
      subject, try fields.required("name").text(), values: values,
      at: Place(steps: try fields["steps"]?.texts() ?? [], origin: .transformed))
  }
}
