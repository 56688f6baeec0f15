import Bytes
import Findings

/// A component that somebody else wrote, as a lock file or an embedded bundle names it.
struct Dependency {
  var name: String
  var version: String?
  /// Who resolved it: `swiftpm`, `cocoapods`, `carthage`, `framework`.
  var manager: String
  /// Repository or bundle identifier.
  var identifier: String
  var revision: String?
  var branch: String?
  /// Checksum that the lock file keeps, with its kind in front: `sha1:…`.
  var checksum: String?

  init(
    name: String, version: String?, manager: String, identifier: String, revision: String? = nil,
    branch: String? = nil, checksum: String? = nil
  ) {
    self.name = name
    self.version = version
    self.manager = manager
    self.identifier = identifier
    self.revision = revision
    self.branch = branch
    self.checksum = checksum
  }

  /// The package URL (purl-spec: types `swift`, `cocoapods`, `github`, `generic`).
  var packageURL: String {
    let version = (version ?? revision).map { "@" + Self.escaped($0) } ?? ""
    switch manager {
    case "swiftpm": return "pkg:swift/\(Self.repository(identifier))\(version)"
    case "cocoapods":
      let parts = name.split(separator: "/", maxSplits: 1).map(String.init)
      let sub = parts.count > 1 ? "#" + Self.escaped(parts[1], keeping: "/") : ""
      return "pkg:cocoapods/\(Self.escaped(parts[0]))\(version)\(sub)"
    case "carthage":
      let repository = Self.repository(identifier)
      if repository.hasPrefix("github.com/") {
        return "pkg:github/\(repository.dropFirst(11).lowercased())\(version)"
      }
      return "pkg:generic/\(Self.escaped(name))\(version)"
    default: return "pkg:generic/\(Self.escaped(name))\(version)"
    }
  }

  /// Host and path of a repository, without scheme, user and `.git`: `github.com/apple/swift-nio`.
  static func repository(_ location: String) -> String {
    var text = location[...]
    if let scheme = text.firstRange(of: "://") {
      text = text[scheme.upperBound...]
      if let at = text.firstIndex(of: "@"), !text[..<at].contains("/") {
        text = text[text.index(after: at)...]
      }
    } else if let at = text.firstIndex(of: "@"), let colon = text[at...].firstIndex(of: ":") {
      text = text[text.index(after: at)..<colon] + "/" + text[text.index(after: colon)...]
    }
    while text.hasSuffix("/") { text = text.dropLast() }
    if text.hasSuffix(".git") { text = text.dropLast(4) }
    let parts = text.split(separator: "/").map(String.init)
    guard let host = parts.first else { return String(text) }
    return ([host.lowercased()] + parts.dropFirst()).map { escaped($0) }.joined(separator: "/")
  }

  private static func escaped(_ text: String, keeping kept: String = "") -> String {
    var result = ""
    for byte in text.utf8 {
      let scalar = Character(UnicodeScalar(byte))
      if byte < 0x80,
        scalar.isLetter || scalar.isNumber || ".-_~".contains(scalar)
          || kept.contains(scalar)
      {
        result.append(scalar)
      } else {
        result += "%" + [byte].hexadecimal.uppercased()
      }
    }
    return result
  }

  func fact(at place: Place) -> Fact {
    var values = [
      "manager": [manager], "identifier": [identifier], "purl": [packageURL],
    ]
    if let version { values["version"] = [version] }
    if let revision { values["revision"] = [revision] }
    if let branch { values["branch"] = [branch] }
    if let checksum { values["checksum"] = [checksum] }
    return Fact(.dependency, name, values: values, at: place)
  }
}
