import Synchronization
import VaultKeys

/// What a store looked like before an operation, and every change the operation made: enough to build
/// what the disk holds if the power, or the process, had ended at any point of it.
package struct WriteLog: Sendable {
  package var before: DiskImage
  package var changes: [FileChange]

  package init(before: DiskImage, changes: [FileChange]) {
    self.before = before
    self.changes = changes
  }

  /// Runs an operation on the store below `root` and records it.
  package static func record(
    _ root: String, _ body: () async throws -> Void
  ) async throws -> WriteLog {
    let before = try DiskImage(of: root)
    let recorder = Recorder(before)
    try await FaultInjector.watching(
      root, judge: { recorder.add($0) }, during: body)
    return WriteLog(before: before, changes: recorder.changes)
  }

  /// The log of a program that forgot this one change: a mutant.
  package func forgetting(_ index: Int) -> WriteLog {
    var log = self
    log.changes.remove(at: index)
    return log
  }

  /// What is there after the process was killed before change `count`, or, `torn`, in the middle of it:
  /// the system keeps everything that was written until then.
  package func killed(after count: Int, torn: Bool) -> DiskImage {
    var image = before
    for change in changes[..<count] { image.apply(change) }
    if torn, count < changes.count, case .write(let path, let offset, let bytes) = changes[count] {
      let half = Array(bytes[..<(bytes.count / 2)])
      image.apply(.write(path, offset: offset, bytes: half))
    }
    return image
  }

  /// What the power leaves of changes that were not made durable.
  package enum Survival: CaseIterable, Sendable {
    case none, all, random, torn
    /// Half of every write: no two copies of anything may wait at the same time.
    case allTorn
  }

  /// What is there after the power failed before change `count`: what was synced, and of the rest
  /// whatever `survival` says.
  package func withoutPower(after count: Int, _ survival: Survival, seed: UInt64) -> DiskImage {
    var disk = UnsyncedDisk(before)
    for change in changes[..<count] { disk.take(change) }
    return disk.afterPowerLoss(survival, seed: seed)
  }
}

/// Writes changes down in order; a write to a file that is not there yet makes it first.
private final class Recorder: Sendable {
  private struct State {
    var changes: [FileChange] = []
    var names: DiskImage
  }
  private let state: Mutex<State>
  var changes: [FileChange] { state.withLock { $0.changes } }

  init(_ before: DiskImage) {
    var names = before
    for path in before.files.keys { names.files[path] = [] }
    state = Mutex(State(names: names))
  }

  func add(_ change: FileChange) -> FaultInjector.Verdict {
    state.withLock { state in
      if case .write(let path, _, _) = change, state.names.files[path] == nil {
        state.changes.append(.create(path))
        state.names.apply(.create(path))
      }
      if change.changesNames { state.names.apply(change) }
      state.changes.append(change)
    }
    return .pass
  }
}

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

/// A disk whose cache is lost with the power: contents reach it by the sync of a file, names by the
/// sync of their folder.
struct UnsyncedDisk {
  private var durable: DiskImage
  /// Changes of content that wait for a sync, in order, by the name the file had then.
  private var contents: [FileChange] = []
  /// Changes of names that wait for the sync of a folder, in order.
  private var names: [FileChange] = []
  /// What is at each path as programs see it: where a waiting content belongs after a rename.
  init(_ image: DiskImage) {
    durable = image
  }

  mutating func take(_ change: FileChange) {
    switch change {
    case .write, .truncate: contents.append(change)
    case .create, .remove, .rename, .makeFolder, .removeFolder: names.append(change)
    case .sync(let path): sync(path)
    case .syncFolder(let path): syncFolder(path)
    }
  }

  /// A file whose name is not durable has durable content all the same: it comes with the name.
  private mutating func sync(_ path: String) {
    for change in contents where change.path == path { durable.apply(change) }
    contents.removeAll { $0.path == path }
    if !durable.folders.contains(path.parentFolder) || isNewName(path) { hidden.insert(path) }
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
    if case .rename(_, let to) = change { return to.parentFolder }
    return change.path.parentFolder
  }

  private mutating func applyName(_ change: FileChange) {
    durable.apply(change)
    switch change {
    case .create(let path): hidden.remove(path)
    case .remove(let path): contents.removeAll { $0.path == path }
    case .rename(let from, let to):
      hidden.remove(from)
      contents = contents.map { $0.renamed(from, to) }
    case .write, .truncate, .sync, .syncFolder, .makeFolder, .removeFolder: break
    }
  }

  func afterPowerLoss(_ survival: WriteLog.Survival, seed: UInt64) -> DiskImage {
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
    default: return self
    }
  }
}

/// A small generator with a seed: the same images in each run.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
