extension ScanOptions {
  /// Whether the scan reads the file at that path: whether it lies in one of the folders, or is one of the
  /// files, and no pattern leaves it out.
  package func reads(_ path: String) -> Bool {
    guard let file = FileSystem.resolved(RawPath(path)) else { return false }
    return paths.contains { path in
      let given = RawPath(path)
      guard let root = FileSystem.resolved(given) else { return false }
      if file == root { return true }
      // With an empty name the path ends in a slash.
      let folder = root.appending([]).bytes
      guard file.bytes.starts(with: folder) else { return false }
      let inner = RawPath(bytes: Array(file.bytes.dropFirst(folder.count)))
      let name = (paths.count > 1 ? given.appending(inner.bytes) : inner).description
      return !exclude.contains { $0.matches(name) }
        && (include.isEmpty || include.contains { $0.matches(name) })
    }
  }
}
