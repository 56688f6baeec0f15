/// What the power leaves of changes that were not made durable.
package enum Survival: String, CaseIterable, Sendable {
  case none, all, random, torn
  /// Half of every write: no two copies of anything may wait at the same time.
  case allTorn = "all-torn"
}

/// A disk whose cache is lost with the power: contents reach it by the sync of a file, names by the
/// sync of their folder.
package struct UnsyncedDisk {
  private var durable: DiskImage
  /// Changes of content that wait for a sync, in order, by the name the file had then.
  private var contents: [FileChange] = []
  /// Changes of names that wait for the sync of a folder, in order.
  private var names: [FileChange] = []
  /// What is at each path as programs see it: where a waiting content belongs after a rename.
  package init(_ image: DiskImage) {
    durable = image
  }

  package mutating func take(_ change: FileChange) {
    switch change {
    case .write, .truncate, .extend: contents.append(change)
    case .create, .remove, .rename, .makeFolder, .removeFolder, .link: names.append(change)
    case .sync(let path): sync(path)
    case .syncFolder(let path): syncFolder(path)
    }
  }

  /// A file whose name is not durable has durable content all the same: it comes with the name.
  private mutating func sync(_ path: String) {
    for change in contents where change.path == path { durable.apply(change) }
    contents.removeAll { $0.path == path }
    if !durable.folders.contains(path.enclosingFolder) || isNewName(path) { hidden.insert(path) }
  }

  /// Files with durable content under a name that is not.
  private var hidden: Set<String> = []

  private func isNewName(_ path: String) -> Bool {
    names.contains { $0 == .create(path) }
  }

  private mutating func syncFolder(_ folder: String) {
    var waiting: [FileChange] = []
    for change in names {
      if Self.folder(of: change) == folder { applyName(change) } else { waiting.append(change) }
    }
    names = waiting
  }

  private static func folder(of change: FileChange) -> String {
    switch change {
    case .rename(_, let to), .link(_, let to): return to.enclosingFolder
    default: return change.path.enclosingFolder
    }
  }

  private mutating func applyName(_ change: FileChange) {
    durable.apply(change)
    switch change {
    case .create(let path): hidden.remove(path)
    case .remove(let path): contents.removeAll { $0.path == path }
    case .rename(let from, let to):
      hidden.remove(from)
      contents = contents.map { $0.renamed(from, to) }
    case .write, .truncate, .sync, .syncFolder, .makeFolder, .removeFolder, .link, .extend: break
    }
  }

  package func afterPowerLoss(_ survival: Survival, seed: UInt64) -> DiskImage {
    var disk = self
    var random = SplitMix(state: seed)
    switch survival {
    case .none: break
    case .all:
      for change in disk.contents { disk.durable.apply(change) }
      disk.contents = []
      for change in disk.names { disk.applyName(change) }
    case .allTorn:
      for change in disk.contents { disk.durable.apply(change.halved) }
      disk.contents = []
      for change in disk.names { disk.applyName(change) }
    case .random, .torn:
      for change in disk.contents where random.next() & 1 == 0 {
        disk.durable.apply(survival == .torn ? change.halved : change)
      }
      disk.contents = []
      // A file system keeps the order of names.
      let kept = disk.names.isEmpty ? 0 : Int(random.next() % UInt64(disk.names.count + 1))
      for change in disk.names.prefix(kept) { disk.applyName(change) }
    }
    for path in disk.hidden { disk.durable.files[path] = nil }
    // Content that was written to a file whose name never became durable is nowhere.
    for change in disk.names {
      if case .create(let path) = change { disk.durable.files[path] = nil }
    }
    return disk.durable
  }
}

extension FileChange {
  fileprivate var halved: FileChange {
    guard case .write(let path, let offset, let bytes) = self else { return self }
    return .write(path, offset: offset, bytes: Array(bytes.prefix(bytes.count / 2)))
  }

  fileprivate func renamed(_ from: String, _ to: String) -> FileChange {
    func moved(_ path: String) -> String {
      path == from || path.hasPrefix(from + "/") ? to + path.dropFirst(from.count) : path
    }
    switch self {
    case .write(let path, let offset, let bytes):
      return .write(moved(path), offset: offset, bytes: bytes)
    case .truncate(let path, let count): return .truncate(moved(path), count: count)
    case .extend(let path, let count): return .extend(moved(path), count: count)
    default: return self
    }
  }
}

/// A small generator with a seed: the same images in each run.
package struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
