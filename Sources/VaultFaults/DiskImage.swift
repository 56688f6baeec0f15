import VaultKeys

/// Files and folders as they are, by path.
package struct DiskImage: Equatable, Sendable {
  package var files: [String: [UInt8]] = [:]
  package var folders: Set<String> = []

  package init(of root: String) throws {
    try read(root)
  }

  private mutating func read(_ folder: String) throws {
    folders.insert(folder)
    for name in try Disk.names(in: folder) {
      let path = folder + "/" + name
      if Disk.isFolder(path) {
        try read(path)
      } else if !name.hasSuffix("-shm") {
        // The shared index of a log is rebuilt from the log.
        files[path] = try Disk.read(path, limit: Disk.size(path) ?? 0)
      }
    }
  }

  package mutating func apply(_ change: FileChange) {
    switch change {
    case .create(let path): files[path] = files[path] ?? []
    case .write(let path, let offset, let bytes):
      var content = files[path] ?? []
      if content.count < offset + bytes.count {
        content += [UInt8](repeating: 0, count: offset + bytes.count - content.count)
      }
      content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      files[path] = content
    case .truncate(let path, let count):
      files[path] = Array((files[path] ?? []).prefix(count))
    case .remove(let path): files[path] = nil
    case .makeFolder(let path): folders.insert(path)
    case .removeFolder(let path): folders.remove(path)
    case .rename(let from, let to): rename(from, to)
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
  package func write(from root: String, to target: String) throws {
    // What is in a folder whose own name did not survive is nowhere.
    var made: Set<String> = []
    for folder in folders.sorted()
    where folder == root || made.contains(folder.parentFolder) {
      try Disk.makeFolder(target + folder.dropFirst(root.count))
      made.insert(folder)
    }
    for (path, content) in files where made.contains(path.parentFolder) {
      try Disk.write(content, to: target + path.dropFirst(root.count))
    }
  }
}
