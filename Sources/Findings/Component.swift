/// A part that somebody else wrote, as lock files and embedded bundles name it: an entry of the bill of
/// materials.
package struct Component: Equatable, Sendable {
  package var name: String
  package var version: String?
  /// Who resolved it: `swiftpm`, `cocoapods`, `carthage`, `framework`.
  package var manager: String
  /// Package URL.
  package var packageURL: String
  package var revision: String?
  /// SHA-256 of the part as it lies there, in hexadecimal, where it is one file.
  package var sha256: String?
  /// SPDX identifiers, or names of licences, as far as they are known.
  package var licences: [String] = []
  /// Locators of the files that name it.
  package var places: [String] = []
  /// What is known against it, by advisories that were given.
  package var vulnerabilities: [Vulnerability] = []

  package init(
    name: String, version: String?, manager: String, packageURL: String, revision: String? = nil
  ) {
    self.name = name
    self.version = version
    self.manager = manager
    self.packageURL = packageURL
    self.revision = revision
  }

  /// The order of bills: by package URL.
  package static func precedes(_ one: Component, _ other: Component) -> Bool {
    (one.packageURL, one.name) < (other.packageURL, other.name)
  }
}

/// An advisory that is about a component in its version.
package struct Vulnerability: Equatable, Sendable {
  package var id: String
  package var aliases: [String]
  package var summary: String
  package var severity: Severity
  /// Versions from which on it is repaired.
  package var fixed: [String]

  package init(
    id: String, aliases: [String], summary: String, severity: Severity, fixed: [String]
  ) {
    self.id = id
    self.aliases = aliases
    self.summary = summary
    self.severity = severity
    self.fixed = fixed
  }
}
