/// What the place of a file in an app's container says of it: which part of the container it is in, and
/// whether backups take it along.
package struct ContainerPath: Equatable, Sendable {
  /// Parts of a container; raw values are the words of rule files.
  package enum Area: String, CaseIterable, Sendable {
    case documents, preferences, caches, cookies, webkit, snapshots, keyboard, pasteboard, logs
    case applicationSupport = "application-support"
    case savedState = "saved-state"
    case httpCache = "http-cache"
    case library
    case temporary = "tmp"
  }

  package var area: Area?
  /// Names of the folders on the way, inside the container where there is one.
  package var folders: [String] = []
  package var name = ""

  package init(_ path: String) {
    var parts = path.split(separator: "/").map(String.init)
    name = parts.popLast() ?? ""
    folders = parts
    area = Self.area(of: parts, name: name)
    if area != nil, let start = parts.lastIndex(where: { Self.roots[$0] != nil }) {
      folders = Array(parts[start...])
    }
  }

  private static let roots: [String: Area] = [
    "Documents": .documents, "Library": .library, "tmp": .temporary,
  ]

  private static func area(of folders: [String], name: String) -> Area? {
    guard let start = folders.lastIndex(where: { roots[$0] != nil }),
      let root = roots[folders[start]]
    else { return nil }
    if isLog(name) { return .logs }
    guard root == .library else { return root }
    let inner = folders[(start + 1)...]
    if inner.contains("Snapshots") { return .snapshots }
    switch inner.first {
    case "Preferences", "SyncedPreferences": return .preferences
    case "Caches":
      if name.hasPrefix("Cache.db") || inner.contains("fsCachedData") { return .httpCache }
      if inner.contains("com.apple.Pasteboard") { return .pasteboard }
      if inner.contains("Logs") { return .logs }
      return inner.contains("WebKit") ? .webkit : .caches
    case "Cookies", "HTTPStorages": return .cookies
    case "WebKit": return .webkit
    case "Application Support": return .applicationSupport
    case "Keyboard": return .keyboard
    case "Logs": return .logs
    case "Saved Application State": return .savedState
    default: return .library
    }
  }

  private static func isLog(_ name: String) -> Bool {
    name.lowercased().hasSuffix(".log") || name.contains(".log.")
  }

  /// Backups leave out caches and temporary files (FORMATS.md, "Finder/iTunes backup").
  package var isBackedUp: Bool? {
    switch area {
    case nil: nil
    case .caches, .httpCache, .pasteboard, .temporary: false
    case .snapshots, .webkit, .logs: folders.contains("Caches") ? false : !folders.contains("tmp")
    case .documents, .preferences, .cookies, .keyboard, .applicationSupport, .savedState, .library:
      true
    }
  }

  /// As values of a fact.
  package var values: [String: [String]] {
    var values = ["folder": folders]
    values["area"] = area.map { [$0.rawValue] }
    values["backup"] = isBackedUp.map { [$0 ? "included" : "left-out"] }
    if let dot = name.lastIndex(of: "."), dot != name.startIndex {
      values["extension"] = [name[name.index(after: dot)...].lowercased()]
    }
    return values
  }
}
