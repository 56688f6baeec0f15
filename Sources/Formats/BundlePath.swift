/// The bundles that a path leads through: folders whose name says that they are one unit to the system.
package enum BundlePath {
  /// Endings of bundle folders. Archives and xcframeworks hold other bundles and are units too.
  private static let endings = [
    ".app", ".appex", ".framework", ".xcframework", ".xcarchive", ".bundle", ".xctest", ".dSYM",
  ]

  /// Whether a folder name is that of a bundle.
  package static func isBundle(_ name: some StringProtocol) -> Bool {
    endings.contains { name.hasSuffix($0) && name.count > $0.count }
  }

  /// The innermost bundle that holds the file at `path`, and the way from it; nothing outside bundles.
  /// `!/` of locators counts as a border like any other.
  package static func innermost(of path: String) -> (bundle: String, inside: String)? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard let last = parts.dropLast().lastIndex(where: { isBundle($0) }) else { return nil }
    return (
      parts[...last].joined(separator: "/"), parts[(last + 1)...].joined(separator: "/")
    )
  }

  /// The innermost app, extension or test bundle that holds the file: what has a process of its own.
  package static func program(of path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let last = parts.dropLast().lastIndex {
      $0.hasSuffix(".app") || $0.hasSuffix(".appex") || $0.hasSuffix(".xctest")
    }
    return last.map { parts[...$0].joined(separator: "/") }
  }
}
