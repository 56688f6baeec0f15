package import Findings
import RulePacks
package import YAML

/// Standards as `Rules/controls/` holds them: one file each, with the clauses that rules name.
package enum StandardFile {
  /// The standards that ship, in the order of reports: by file name, the app standards first.
  package static func builtIn() throws(StandardFileError) -> [Standard] {
    var standards: [Standard] = []
    for file in RulePacks.controls {
      do throws(YAMLError) {
        standards.append(try standard(yaml: file.text))
      } catch {
        throw StandardFileError(path: file.path, mark: error.mark, detail: error.problem)
      }
    }
    let order = ["masvs", "mastg", "pipl", "gbt35273", "gdpr"]
    return standards.sorted { one, other in
      let (first, second) = (order.firstIndex(of: one.id), order.firstIndex(of: other.id))
      return (first ?? order.count, one.id) < (second ?? order.count, other.id)
    }
  }

  package static func standard(yaml text: String) throws(YAMLError) -> Standard {
    guard let root = try YAMLParser.parse(text) else {
      throw YAMLError("the file is empty", at: YAMLMark(line: 1, column: 1))
    }
    let fields = try root.fields(["id", "title", "edition", "note", "controls"])
    var controls: [Control] = []
    for item in try fields.required("controls").items() {
      let control = try control(item)
      guard !controls.contains(where: { $0.id == control.id }) else {
        throw YAMLError("the control stands here for the second time", at: item.mark)
      }
      controls.append(control)
    }
    return Standard(
      id: try fields.required("id").text(), title: try local(fields.required("title")),
      edition: try fields.required("edition").text(), note: try local(fields.required("note")),
      controls: controls)
  }

  private static func control(_ node: YAMLNode) throws(YAMLError) -> Control {
    let fields = try node.fields(["id", "title", "through", "uncovered"])
    return Control(
      id: try fields.required("id").text(), title: try local(fields.required("title")),
      through: try fields["through"]?.texts() ?? [],
      uncovered: try local(fields.required("uncovered")))
  }

  private static func local(_ node: YAMLNode) throws(YAMLError) -> LocalText {
    let fields = try node.fields(["en", "zh"])
    return LocalText(
      english: try fields.required("en").text(),
      simplifiedChinese: try fields.required("zh").text())
  }
}

/// A file of controls is damaged: where, and what.
package struct StandardFileError: Error, Equatable, Sendable {
  package var path: String
  package var mark: YAMLMark
  package var detail: String
}

extension StandardFileError: Explained {
  package var problem: String { "controls/\(path):\(mark): \(detail)" }
  package var remedy: String { "correct the file; Rules/README.md has its keys" }
}
