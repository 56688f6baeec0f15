import Findings
package import YAML

/// Needles as users give them: a YAML or JSON list of `{id, kind, value[, severity][, note]}`, or one
/// on the command line.
package enum NeedleFile {
  private static let keys = ["id", "kind", "value", "severity", "note"]

  /// The needles in a file's text. Errors name the place, never a value.
  package static func needles(in text: String, path: String) throws(NeedleFileError) -> [Needle] {
    do throws(YAMLError) {
      guard let root = try YAMLParser.parse(text) else {
        throw YAMLError("the file is empty", at: YAMLMark(line: 1, column: 1))
      }
      var needles: [Needle] = []
      for item in try root.items() {
        let needle = try needle(item)
        guard !needles.contains(where: { $0.id == needle.id }) else {
          throw YAMLError("an id stands here for the second time", at: item.mark)
        }
        needles.append(needle)
      }
      return needles
    } catch {
      throw NeedleFileError(path: path, mark: error.mark, detail: error.problem)
    }
  }

  private static func needle(_ node: YAMLNode) throws(YAMLError) -> Needle {
    let fields = try node.fields(keys, echoes: false)
    let kindNode = try fields.required("kind")
    guard let kind = Needle.Kind(rawValue: try kindNode.text()) else {
      let known = Needle.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw YAMLError("kind must be one of \(known)", at: kindNode.mark)
    }
    let value = try fields.required("value")
    let text = try value.text()
    guard !text.isEmpty else { throw YAMLError("the value is empty", at: value.mark) }
    var needle = Needle(id: try fields.required("id").text(), kind: kind, value: text)
    if let node = fields["severity"] {
      guard let severity = Severity(rawValue: try node.text()) else {
        throw YAMLError("severity must be low, medium, high or critical", at: node.mark)
      }
      needle.severity = severity
    }
    needle.note = try fields["note"]?.text()
    return needle
  }
}

/// A needle file is damaged: where, and what. Values are never part of it.
package struct NeedleFileError: Error, Equatable, Sendable {
  package var path: String
  package var mark: YAMLMark
  package var detail: String
}

extension NeedleFileError: Explained {
  package var problem: String { "\(path):\(mark): \(detail)" }
  package var remedy: String {
    "write a list of entries with id, kind and value, in YAML or JSON"
  }
}
