import Findings
import YAML

extension Baseline {
  private static let version = "1"

  /// The file of a baseline: one line an entry, sorted, without lines, offsets or times, so that two
  /// branches seldom touch the same line.
  package var text: String {
    var text = """
      # Findings accepted so far. `vestige baseline update` takes out what is gone and keeps the reasons.
      vestige-baseline: \(Self.version)
      fingerprint-key: \(Self.quoted(fingerprintKey))
      accepted:

      """
    if entries.isEmpty { text = text.replacing("accepted:\n", with: "accepted: []\n") }
    for entry in entries.sorted(by: Self.precedes) { text += "  - \(Self.line(entry))\n" }
    return text
  }

  private static func precedes(_ one: Entry, _ other: Entry) -> Bool {
    if !one.path.utf8.elementsEqual(other.path.utf8) {
      return one.path.utf8.lexicographicallyPrecedes(other.path.utf8)
    }
    return (one.rule, one.fingerprint) < (other.rule, other.fingerprint)
  }

  private static func line(_ entry: Entry) -> String {
    var members = [
      "fingerprint: \(quoted(entry.fingerprint))", "rule: \(quoted(entry.rule))",
      "path: \(quoted(entry.path))", "count: \(entry.count)", "reason: \(quoted(entry.reason))",
    ]
    if let until = entry.until { members.append("until: \(quoted(until))") }
    return "{" + members.joined(separator: ", ") + "}"
  }

  /// A text between double quotes, as YAML and JSON both read it.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{0}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{2028}"..."\u{202e}",
        "\u{2066}"..."\u{2069}", "\u{feff}", "\u{fffe}", "\u{ffff}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// The baseline in a file.
  package init(yaml text: String, path: String) throws(GateFileError) {
    do throws(YAMLError) {
      try self.init(yaml: text)
    } catch {
      throw GateFileError(
        path: path, mark: error.mark, detail: error.problem,
        remedy: "correct the line, or write the file anew with vestige baseline create")
    }
  }

  private init(yaml text: String) throws(YAMLError) {
    guard let root = try YAMLParser.parse(text) else {
      throw YAMLError("the file is empty", at: YAMLMark(line: 1, column: 1))
    }
    let fields = try root.fields(["vestige-baseline", "fingerprint-key", "accepted"])
    let version = try fields.required("vestige-baseline")
    guard try version.text() == Self.version else {
      throw YAMLError("the version must be \(Self.version)", at: version.mark)
    }
    self.init(fingerprintKey: try fields["fingerprint-key"]?.text() ?? "published")
    var seen: Set<String> = []
    for node in try fields.required("accepted").items() {
      let entry = try Entry(node)
      guard seen.insert(entry.fingerprint).inserted else {
        throw YAMLError("a fingerprint stands here for the second time", at: node.mark)
      }
      entries.append(entry)
    }
  }
}

extension Baseline.Entry {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    let fields = try node.fields(["fingerprint", "rule", "path", "count", "reason", "until"])
    self.init(
      fingerprint: try fields.required("fingerprint").words(),
      count: try fields["count"]?.integer() ?? 1, rule: try fields.required("rule").text(),
      path: try fields.required("path").text(), reason: try fields.required("reason").words(),
      until: try fields["until"]?.day())
    guard count >= 1 else { throw YAMLError("the count must be at least 1", at: node.mark) }
    line = node.mark.line
  }
}
