import Foundation

// embed-rules FOLDER OUTPUT TYPE EXTENSION,... NAME...: writes one Swift file with an enum TYPE that holds
// every file below the folders NAME of FOLDER that has one of the extensions as text, one list a name.
// What is below veiled:NAME is written so that nobody takes it for what it shows (see `veiled`).

let arguments = CommandLine.arguments
let root = URL(filePath: arguments[1], directoryHint: .isDirectory)
let output = URL(filePath: arguments[2])
let extensions = Set(arguments[4].split(separator: ",").map { "." + $0 })

/// Raw string delimiters long enough that no file can end the literal.
let fence = "#####"

/// Every printable character of ASCII moved by half their number (ROT47). Rules hold examples of what they
/// find; in clear, every program with these rules in it would look to scanners as if it leaked.
func veiled(_ text: String) -> String {
  let bytes = text.utf8.map { byte in
    (0x21...0x7e).contains(byte) ? (byte - 0x21 + 47) % 94 + 0x21 : byte
  }
  return String(decoding: bytes, as: UTF8.self)
}

var source = "enum \(arguments[3]) {\n"
for argument in arguments.dropFirst(5) {
  let isVeiled = argument.hasPrefix("veiled:")
  let name = isVeiled ? String(argument.dropFirst("veiled:".count)) : argument
  let folder = root.appending(path: name, directoryHint: .isDirectory)
  let list = name.lowercased()
  let paths = (FileManager.default.subpaths(atPath: folder.path(percentEncoded: false)) ?? [])
    .filter { path in extensions.contains { path.hasSuffix($0) } }
    .sorted()
  for (number, path) in paths.enumerated() {
    var text = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    if isVeiled { text = veiled(text) }
    source += "  static let \(list)\(number): (path: StaticString, text: StaticString) = (\n"
    source += "    \(fence)\"\(path)\"\(fence),\n\(fence)\"\"\"\n\(text)\n\"\"\"\(fence))\n"
  }
  source += "  static let \(list): [(path: StaticString, text: StaticString)] = [\n"
  source += paths.indices.map { "    \(list)\($0)" }.joined(separator: ",\n")
  source += "\n  ]\n"
}
source += "}\n"
try source.write(to: output, atomically: true, encoding: .utf8)
