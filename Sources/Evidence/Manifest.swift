import Bytes

/// The list in an evidence bundle that the signature covers: what made the report, with what, and the
/// hash of every member. One line an entry, so that two can be compared line by line.
///
///     vestige-bundle 1
///     tool vestige 0.1.0
///     made 2026-11-30T05:12:00Z
///     with Debian GNU/Linux 12 (bookworm)
///     option --packs=secrets
///     rule 9f86d081… secrets/jwt.yaml
///     member 60303ae2… 4711 report.json
package struct Manifest: Equatable, Sendable {
  package static let name = "MANIFEST"
  package static let signatureName = "MANIFEST.sig"
  private static let firstLine = "vestige-bundle 1"

  package var tool = ""
  package var made = ""
  /// The system and its libraries.
  package var environment: [String] = []
  /// How the scan was asked for, without anything secret: enough to do it again.
  package var options: [String] = []
  package var rules: [Rule] = []
  package var members: [Member] = []

  package struct Rule: Equatable, Sendable {
    package var sha256: String
    package var path: String

    package init(path: String, text: String) {
      self.path = path
      sha256 = SHA256.digest(of: Array(text.utf8).span.bytes).hexadecimal
    }

    init(sha256: String, path: String) {
      self.sha256 = sha256
      self.path = path
    }
  }

  package struct Member: Equatable, Sendable {
    package var sha256: String
    package var bytes: Int
    package var name: String

    init(sha256: String, bytes: Int, name: String) {
      self.sha256 = sha256
      self.bytes = bytes
      self.name = name
    }

    init(_ member: Tar.Member) {
      name = member.name
      bytes = member.bytes.count
      sha256 = SHA256.digest(of: member.bytes.span.bytes).hexadecimal
    }
  }

  package init() {}

  package var text: String {
    var lines = [Self.firstLine, "tool \(Self.line(tool))", "made \(Self.line(made))"]
    lines += environment.map { "with \(Self.line($0))" }
    lines += options.map { "option \(Self.line($0))" }
    lines += rules.map { "rule \($0.sha256) \(Self.line($0.path))" }
    lines += members.map { "member \($0.sha256) \($0.bytes) \(Self.line($0.name))" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A text that stays on its line.
  private static func line(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\n", with: "%0A").replacing("\r", with: "%0D")
  }

  private static func unescaped(_ text: Substring) -> String {
    String(text).replacing("%0D", with: "\r").replacing("%0A", with: "\n").replacing(
      "%25", with: "%")
  }

  /// Nothing where a line is not one of these.
  package init?(text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first.map({ $0 == Self.firstLine }) == true, lines.popLast() == "" else {
      return nil
    }
    for line in lines.dropFirst() {
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      let rest = parts[1]
      switch parts[0] {
      case "tool": tool = Self.unescaped(rest)
      case "made": made = Self.unescaped(rest)
      case "with": environment.append(Self.unescaped(rest))
      case "option": options.append(Self.unescaped(rest))
      case "rule":
        let fields = rest.split(separator: " ", maxSplits: 1)
        guard fields.count == 2 else { return nil }
        rules.append(Rule(sha256: String(fields[0]), path: Self.unescaped(fields[1])))
      case "member":
        let fields = rest.split(separator: " ", maxSplits: 2)
        guard fields.count == 3, let bytes = Int(fields[1]) else { return nil }
        members.append(
          Member(sha256: String(fields[0]), bytes: bytes, name: Self.unescaped(fields[2])))
      default: return nil
      }
    }
  }
}
