import Foundation

// embed-rules FOLDER OUTPUT NAME...: writes one Swift file that holds every rule file below the folders
// NAME of FOLDER as text, one list a name.

let root = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
let output = URL(filePath: CommandLine.arguments[2])

/// Raw string delimiters long enough that no rule file can end the literal.
let fence = "#####"

var source = "enum EmbeddedRules {\n"
for name in CommandLine.arguments.dropFirst(3) {
  let folder = root.appending(path: name, directoryHint: .isDirectory)
  let paths = (FileManager.default.subpaths(atPath: folder.path(percentEncoded: false)) ?? [])
    .filter { $0.hasSuffix(".yaml") }
    .sorted()
  for (number, path) in paths.enumerated() {
    let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    source += "  static let \(name)\(number): (path: StaticString, text: StaticString) = (\n"
    source += "    \(fence)\"\(path)\"\(fence),\n\(fence)\"\"\"\n\(text)\n\"\"\"\(fence))\n"
  }
  source += "  static let \(name): [(path: StaticString, text: StaticString)] = [\n"
  source += paths.indices.map { "    \(name)\($0)" }.joined(separator: ",\n")
  source += "\n  ]\n"
}
source += "}\n"
try source.write(to: output, atomically: true, encoding: .utf8)
