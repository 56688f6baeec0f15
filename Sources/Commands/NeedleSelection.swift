import RuleEngine
import Scanning

/// The needles of a command line.
enum NeedleSelection {
  static func needles(_ arguments: Arguments, and others: [Needle]) throws -> [Needle] {
    var needles = others
    for path in arguments.all("--needles") {
      needles += try NeedleFile.needles(in: try InputFile.text(at: path), path: path)
    }
    for (index, argument) in arguments.all("--needle").enumerated() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let kind = Needle.Kind(rawValue: String(parts[0])) else {
        let known = Needle.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError.badValue("--needle", "must be KIND=VALUE, with a kind of \(known)")
      }
      let value = try SecretArgument.value(String(parts[1]))
      guard !value.isEmpty else { throw UsageError.badValue("--needle", "has an empty value") }
      needles.append(Needle(id: "\(kind.rawValue)-\(index + 1)", kind: kind, value: value))
    }
    var seen: Set<String> = []
    for needle in needles where !seen.insert(needle.id).inserted {
      throw UsageError.badValue("--needles", "hold the id \"\(needle.id)\" twice")
    }
    return needles
  }
}

/// A secret on the command line: itself, `@FILE`, or `env:NAME`, so that it need not stand in argv.
enum SecretArgument {
  static func value(_ argument: String) throws -> String {
    if argument.hasPrefix("@") {
      var text = try InputFile.text(at: String(argument.dropFirst()))
      while text.hasSuffix("\n") || text.hasSuffix("\r\n") { text.removeLast() }
      return text
    }
    if argument.hasPrefix("env:") {
      let name = String(argument.dropFirst(4))
      guard let value = Terminal.variable(name) else {
        throw UsageError.badValue("env:\(name)", "is not set in the environment")
      }
      return value
    }
    return argument
  }
}
