package import Findings

/// The inputs as `sha256sum` writes them, so that `sha256sum -c` checks them without this program.
package enum InputList {
  package static let name = "inputs.sha256"

  package static func text(of report: Report) -> String {
    var text = ""
    for input in report.inputs {
      guard let sha256 = input.sha256 else { continue }
      // The escapes of sha256sum: a mark before the line, and backslashes within the name.
      let isEscaped = input.path.contains { $0 == "\\" || $0 == "\n" || $0 == "\r\n" }
      let path =
        isEscaped
        ? input.path.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") : input.path
      text += "\(isEscaped ? "\\" : "")\(sha256)  \(path)\n"
    }
    return text
  }
}
