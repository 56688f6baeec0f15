import Glibc

/// Files and folders as they are, by path.
package struct DiskImage: Equatable, Sendable {
  package var files: [String: [UInt8]] = [:]
  package var folders: Set<String> = []

  /// Nothing at all.
  package init() {}

  package init(of root: String) throws(Folder.Failure) {
    try read(root)
  }

  private mutating func read(_ folder: String) throws(Folder.Failure) {
    folders.insert(folder)
    for name in try Folder.names(folder) {
      let path = folder + "/" + name
      switch Folder.kind(path) {
      case .folder: try read(path)
      // The shared index of a log is rebuilt from the log.
      case .file where !name.hasSuffix("-shm"): files[path] = try Folder.read(path)
      case .file, .other: break
      }
    }
  }

  package mutating func apply(_ change: FileChange) {
    switch change {
    case .create(let path): files[path] = files[path] ?? []
    case .write(let path, _, _), .truncate(let path, _), .extend(let path, _):
      files[path, default: []].apply(change)
    case .remove(let path): files[path] = nil
    case .makeFolder(let path): folders.insert(path)
    case .removeFolder(let path): folders.remove(path)
    case .rename(let from, let to): rename(from, to)
    // Both names show the same bytes from here on only if neither is written to.
    case .link(let from, let to): files[to] = files[from]
    case .sync, .syncFolder: break
    }
  }

  private mutating func rename(_ from: String, _ to: String) {
    if let content = files.removeValue(forKey: from) {
      files[to] = content
      return
    }
    func moved(_ path: String) -> String { to + path.dropFirst(from.count) }
    func isInside(_ path: String) -> Bool { path == from || path.hasPrefix(from + "/") }
    for folder in folders where isInside(folder) {
      folders.remove(folder)
      folders.insert(moved(folder))
    }
    for (path, content) in files where isInside(path) {
      files[path] = nil
      files[moved(path)] = content
    }
  }

  /// Writes the image below another folder than it was taken from.
  package func write(from root: String, to target: String) throws(Folder.Failure) {
    // What is in a folder whose own name did not survive is nowhere.
    var made: Set<String> = []
    for folder in folders.sorted()
    where folder == root || made.contains(folder.enclosingFolder) {
      try Folder.make(target + folder.dropFirst(root.count))
      made.insert(folder)
    }
    for (path, content) in files where made.contains(path.enclosingFolder) {
      try Folder.write(content, to: target + path.dropFirst(root.count))
    }
  }
}

extension [UInt8] {
  /// Changes a file's content; what changes names changes nothing here.
  mutating func apply(_ change: FileChange) {
    switch change {
    case .write(_, let offset, let bytes):
      grow(to: offset + bytes.count)
      replaceSubrange(offset..<offset + bytes.count, with: bytes)
    case .truncate(_, let size):
      grow(to: size)
      removeLast(count - size)
    case .extend(_, let size): grow(to: size)
    case .create, .remove, .rename, .link, .makeFolder, .removeFolder, .sync, .syncFolder: break
    }
  }

  /// Bytes that nobody wrote read as zeros.
  private mutating func grow(to size: Int) {
    if size > count { self += [UInt8](repeating: 0, count: size - count) }
  }
}
