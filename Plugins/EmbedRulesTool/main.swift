import Foundation

// embed-rules FOLDER OUTPUT TYPE EXTENSION,... NAME...: writes one Swift file with an enum TYPE that holds
// every file below the folders NAME of FOLDER that has one of the extensions as text, one list a name.

let arguments = CommandLine.arguments
let root = URL(filePath: arguments[1], directoryHint: .isDirectory)
let output = URL(filePath: arguments[2])
let extensions = Set(arguments[4].split(separator: ",").map { "." + $0 })

/// Raw string delimiters long enough that no file can end the literal.
let fence = "#####"

var source = "enum \(arguments[3]) {\n"
for name in arguments.dropFirst(5) {
  let folder = root.appending(path: name, directoryHint: .isDirectory)
  let list = name.lowercased()
  let paths = (FileManager.default.subpaths(atPath: folder.path(percentEncoded: false)) ?? [])
    .filter { path in extensions.contains { path.hasSuffix($0) } }
    .sorted()
  for (number, path) in paths.enumerated() {
    let text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    source += "  static let \(list)\(number): (path: StaticString, text: StaticString) = (\n"
    source += "    \(fence)\"\(path)\"\(fence),\n\(fence)\"\"\"\n\(text)\n\"\"\"\(fence))\n"
  }
  source += "  static let \(list): [(path: StaticString, text: StaticString)] = [\n"
  source += paths.indices.map { "    \(list)\($0)" }.joined(separator: ",\n")
  source += "\n  ]\n"
}
source += "}\n"
try source.write(to: output, atomically: true, encoding: .utf8)
