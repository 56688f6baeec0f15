import Artifacts
import Bytes
import Glibc
import RuleEngine

extension Scanner {
  /// The system and the libraries that a scan worked with, for who wants to do it again. Nothing that
  /// names the machine or its user.
  package static var environment: [String] {
    var name = utsname()
    uname(&name)
    func text(_ field: some Any) -> String {
      withUnsafeBytes(of: field) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
    }
    var lines: [String] = []
    if let release = try? InputFile.text(at: "/etc/os-release"),
      let line = release.split(separator: "\n").first(where: { $0.hasPrefix("PRETTY_NAME=") })
    {
      lines.append(String(line.dropFirst("PRETTY_NAME=".count)).replacing("\"", with: ""))
    }
    lines.append("\(text(name.sysname)) \(text(name.release)) \(text(name.machine))")
    return lines + [SHA256.library, Pattern.library, Readers.library]
  }
}
