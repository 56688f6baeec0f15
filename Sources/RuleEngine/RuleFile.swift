import Bytes
import Findings
package import YAML

extension Rule {
  private static let keys = [
    "id", "title", "severity", "kind", "pattern", "needle", "ignore-case", "anchors",
    "anchors-hex", "run", "finder", "lookback", "checksum", "entropy", "context", "within",
    "context-after", "context-not", "block-not", "where", "in-code", "not", "text-not", "known-by",
    "gives-way-to", "remedy", "controls", "references", "profiles", "examples",
  ]

  /// The rule in a YAML document. `path` is the file's path below its packs folder and must agree with
  /// the rule's id.
  package init(_ root: YAMLNode, path: String) throws(YAMLError) {
    let fields = try root.fields(Self.keys)
    let id = try fields.required("id")
    self.init(
      id: try id.text(), title: try fields.required("title").text(),
      severity: try Severity(fields.required("severity")),
      remedy: try fields.required("remedy").text())
    guard self.id == RulePack.id(of: path) else {
      throw YAMLError(
        "the id must be \"\(RulePack.id(of: path))\", as the file's path says", at: id.mark)
    }
    try readShape(fields)
    try readJudgement(fields)
    try readWords(fields)
  }

  /// What the rule looks for.
  private mutating func readShape(_ fields: YAMLFields) throws(YAMLError) {
    ignoresCase = try fields["ignore-case"]?.boolean() ?? false
    for anchor in try fields["anchors"]?.texts() ?? [] { anchors.append(Array(anchor.utf8)) }
    for node in try fields["anchors-hex"]?.items() ?? [] { anchors.append(try Self.bytes(node)) }
    if let node = fields["needle"] {
      let needle = try node.text()
      pattern = Self.quoted(needle)
      anchors.append(Array(needle.utf8))
    } else if let node = fields["finder"] {
      finder = try Self.finder(node)
    } else {
      pattern = try fields.required("pattern").text()
    }
    if let node = fields["run"] {
      run = try Self.run(node)
      // A run is the value itself: what stands before it in the match is a name and quotes.
      lookback = 72
    }
    guard !anchors.isEmpty || run != nil || finder != nil else {
      throw YAMLError("a rule needs anchors, a run or a finder to be found by", at: fields.mark)
    }
    if let short = anchors.first(where: { $0.count < 3 }) {
      throw YAMLError("an anchor of \(short.count) bytes would be everywhere", at: fields.mark)
    }
    if let node = fields["lookback"] { lookback = try Self.integer(node, in: 0...4_096) }
  }

  /// How sure it must be.
  private mutating func readJudgement(_ fields: YAMLFields) throws(YAMLError) {
    if let node = fields["checksum"] {
      let name = try node.text()
      guard Checksum.named(name) != nil else {
        let known = Checksum.builtIn.map(\.name).joined(separator: ", ")
        throw YAMLError("unknown checksum \"\(name)\"; known are \(known)", at: node.mark)
      }
      checksum = name
    }
    entropy = try fields["entropy"]?.number()
    context = try fields["context"]?.texts() ?? []
    contextNot = try fields["context-not"]?.texts() ?? []
    blockNot = try fields["block-not"]?.texts() ?? []
    if let node = fields["within"] { within = try Self.integer(node, in: 1...4_096) }
    contextAfter = try fields["context-after"]?.boolean() ?? false
    if let node = fields["where"] {
      switch try node.text() {
      case "any": wantsField = false
      case "field": wantsField = true
      default: throw YAMLError("where must be any or field", at: node.mark)
      }
    }
    severityInCode = try fields["in-code"].map(Severity.init)
    not = try fields["not"]?.texts() ?? []
    textNot = try fields["text-not"]?.texts() ?? []
    if let node = fields["known-by"] { knownBy = try Self.knowledge(node) }
    givesWayTo = try fields["gives-way-to"]?.texts() ?? []
  }

  private static func knowledge(_ node: YAMLNode) throws(YAMLError) -> Knowledge {
    guard let known = Knowledge(rawValue: try node.text()) else {
      let names = Knowledge.allCases.map(\.rawValue).joined(separator: ", ")
      throw YAMLError("known-by must be one of \(names)", at: node.mark)
    }
    return known
  }

  private mutating func readWords(_ fields: YAMLFields) throws(YAMLError) {
    controls = try fields["controls"]?.texts() ?? []
    references = try fields["references"]?.texts() ?? []
    profiles = try fields["profiles"]?.texts() ?? []
    let node = try fields.required("examples")
    let given = try node.fields(["match", "clean", "match-hex", "clean-hex"])
    examples.match = try Self.examples(given["match"], given["match-hex"])
    examples.clean = try Self.examples(given["clean"], given["clean-hex"])
    guard !examples.match.isEmpty, !examples.clean.isEmpty else {
      throw YAMLError("a rule needs an example of each kind", at: node.mark)
    }
  }

  /// Examples as text, and as hexadecimal where they are bytes.
  private static func examples(
    _ text: YAMLNode?, _ hexadecimal: YAMLNode?
  ) throws(YAMLError) -> [[UInt8]] {
    var examples: [[UInt8]] = []
    for example in try text?.texts() ?? [] { examples.append(Array(example.utf8)) }
    for node in try hexadecimal?.items() ?? [] { examples.append(try bytes(node)) }
    return examples
  }

  private static func run(_ node: YAMLNode) throws(YAMLError) -> Run {
    let fields = try node.fields(["alphabet", "min", "max"])
    let alphabet = try fields.required("alphabet")
    guard let known = Alphabet(rawValue: try alphabet.text()) else {
      let names = Alphabet.allCases.map(\.rawValue).joined(separator: ", ")
      throw YAMLError("alphabet must be one of \(names)", at: alphabet.mark)
    }
    let minimum = try integer(fields.required("min"), in: RunFinder.shortestRun...65_536)
    let maximum = try fields["max"]?.integer() ?? 65_536
    guard maximum >= minimum else { throw YAMLError("max is below min", at: node.mark) }
    return Run(alphabet: known, minimum: minimum, maximum: maximum)
  }

  private static func finder(_ node: YAMLNode) throws(YAMLError) -> Finder {
    guard let finder = Finder(rawValue: try node.text()) else {
      let names = Finder.allCases.map(\.rawValue).joined(separator: ", ")
      throw YAMLError("finder must be one of \(names)", at: node.mark)
    }
    return finder
  }

  private static func integer(
    _ node: YAMLNode, in range: ClosedRange<Int>
  ) throws(YAMLError) -> Int {
    let value = try node.integer()
    guard range.contains(value) else {
      throw YAMLError("must be \(range.lowerBound) to \(range.upperBound)", at: node.mark)
    }
    return value
  }

  private static func bytes(_ node: YAMLNode) throws(YAMLError) -> [UInt8] {
    guard let bytes = [UInt8](hexadecimal: try node.text()) else {
      throw YAMLError("an even number of hexadecimal digits is wanted here", at: node.mark)
    }
    return bytes
  }

  /// The text as a pattern that matches just it.
  private static func quoted(_ literal: String) -> String {
    "(\\Q" + literal.replacing("\\E", with: "\\E\\\\E\\Q") + "\\E)"
  }
}
