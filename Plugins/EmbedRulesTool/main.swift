import Foundation

// embed-rules FOLDER OUTPUT: writes one Swift file that holds every rule file below FOLDER as text.

let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
let output = URL(filePath: CommandLine.arguments[2])

/// Raw string delimiters long enough that no rule file can end the literal.
let fence = "#####"

var source = "enum EmbeddedRules {\n"
let paths = (FileManager.default.subpaths(atPath: folder.path(percentEncoded: false)) ?? [])
  .filter { $0.hasSuffix(".yaml") }
  .sorted()
for (number, path) in paths.enumerated() {
  let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
  source += "  static let file\(number): (path: StaticString, text: StaticString) = (\n"
  source += "    \(fence)\"\(path)\"\(fence),\n\(fence)\"\"\"\n\(text)\n\"\"\"\(fence))\n"
}
source += "  static let files: [(path: StaticString, text: StaticString)] = [\n"
source += paths.indices.map { "    file\($0)" }.joined(separator: ",\n")
source += "\n  ]\n}\n"
try source.write(to: output, atomically: true, encoding: .utf8)
