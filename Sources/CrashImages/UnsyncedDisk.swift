/// What the power leaves of changes that were not made durable.
package enum Survival: String, CaseIterable, Sendable {
  case none, all, random, torn
  /// Half of every write: no two copies of anything may wait at the same time.
  case allTorn = "all-torn"
}

/// A disk whose cache is lost with the power: contents reach it by the sync of a file, names by the
/// sync of their folder.
///
/// A content belongs to a file, not to its name: a log that is removed and made anew is another file,
/// and what was synced of the new one does not go when the removal of the old one reaches the disk.
package struct UnsyncedDisk {
  /// Names as programs see them, and as the disk has them.
  private var live = FileTree()
  private var durable = FileTree()
  /// What the disk has of each file, whether it has a name there or not.
  private var bytes: [Int: [UInt8]] = [:]
  /// Changes of content that wait for the sync of their file, in order.
  private var contents: [(file: Int, change: FileChange)] = []
  /// Changes of names that wait for the sync of a folder, in order.
  private var names: [NameChange] = []
  private var lastNumber = 0
  /// Folders above the image: they are there, and no part of it.
  private var outside: Set<Int> = []
  /// The paths that files had in the image.
  private var first: [Int: String] = [:]

  /// One name that goes, one that comes, or both.
  private struct NameChange {
    var gone: FileTree.Entry?
    var come: FileTree.Entry?
    var number: Int

    /// The folder whose sync makes it durable.
    var folder: Int? { come?.folder ?? gone?.folder }
  }

  package init(_ image: DiskImage) {
    for folder in image.folders.sorted() {
      let number = nextNumber()
      if let entry = live.entry(folder) {
        place(number, entry, isFolder: true)
      } else {
        addTop(folder, number)
      }
    }
    for (path, content) in image.files.sorted(by: { $0.key < $1.key }) {
      let number = nextNumber()
      bytes[number] = content
      first[number] = path
      place(number, entry(path), isFolder: false)
    }
  }

  // MARK: Taking changes

  package mutating func take(_ change: FileChange) {
    switch change {
    case .write(let path, _, _), .truncate(let path, _), .extend(let path, _):
      contents.append((file(path), change))
    case .create(let path): _ = file(path)
    case .makeFolder(let path):
      if live.number(path) == nil { add(nextNumber(), at: entry(path), isFolder: true) }
    case .remove(let path), .removeFolder(let path):
      guard let entry = live.entry(path), let number = live[entry] else { return }
      live[entry] = nil
      names.append(NameChange(gone: entry, number: number))
    case .rename(let from, let to):
      guard let old = live.entry(from), let number = live[old] else { return }
      let new = entry(to)
      live[old] = nil
      live[new] = number
      names.append(NameChange(gone: old, come: new, number: number))
    case .link(let from, let to):
      guard let number = live.number(from) else { return }
      add(number, at: entry(to), isFolder: false)
    case .sync(let path):
      guard let file = live.number(path) else { return }
      for waiting in contents where waiting.file == file { apply(waiting.change, to: file) }
      contents.removeAll { $0.file == file }
    case .syncFolder(let path):
      guard let folder = live.number(path) else { return }
      syncNames(in: folder)
    }
  }

  private mutating func syncNames(in folder: Int) {
    var waiting: [NameChange] = []
    for change in names {
      guard change.folder == folder else {
        waiting.append(change)
        continue
      }
      apply(change)
      // What has moved away on the disk does not get the name it had before that.
      if let gone = change.gone, change.come != nil {
        waiting.removeAll { $0.come == gone && $0.number == change.number }
      }
    }
    names = waiting
  }

  private mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private mutating func addTop(_ path: String, _ number: Int) {
    live.addTop(path, number)
    durable.addTop(path, number)
  }

  /// Where a name stands. A folder that nobody made was there before, outside of the image.
  private mutating func entry(_ path: String) -> FileTree.Entry {
    if let entry = live.entry(path) { return entry }
    let number = nextNumber()
    outside.insert(number)
    addTop(path.enclosingFolder, number)
    return live.entry(path) ?? FileTree.Entry(folder: number, name: path)
  }

  /// The file at a path; it is made where there is none.
  private mutating func file(_ path: String) -> Int {
    if let known = live.number(path) { return known }
    let number = nextNumber()
    add(number, at: entry(path), isFolder: false)
    return number
  }

  private mutating func add(_ number: Int, at entry: FileTree.Entry, isFolder: Bool) {
    if isFolder { live.addFolder(number) }
    live[entry] = number
    names.append(NameChange(come: entry, number: number))
  }

  /// A name that is durable from the start.
  private mutating func place(_ number: Int, _ entry: FileTree.Entry, isFolder: Bool) {
    if isFolder {
      live.addFolder(number)
      durable.addFolder(number)
    }
    live[entry] = number
    durable[entry] = number
  }

  private mutating func apply(_ change: NameChange) {
    if let gone = change.gone, durable[gone] == change.number { durable[gone] = nil }
    guard let come = change.come else { return }
    durable[come] = change.number
    if live.folders[change.number] != nil { durable.addFolder(change.number) }
  }

  /// The change's path does not count: it is the file's.
  private mutating func apply(_ change: FileChange, to file: Int) {
    bytes[file, default: []].apply(change)
  }

  // MARK: Losing the power

  package func afterPowerLoss(_ survival: Survival, seed: UInt64) -> DiskImage {
    var disk = self
    var random = SplitMix(state: seed)
    switch survival {
    case .none: break
    case .all, .allTorn:
      for (file, change) in contents {
        disk.apply(survival == .allTorn ? change.halved : change, to: file)
      }
      for change in names { disk.apply(change) }
    case .random, .torn:
      for (file, change) in contents where random.next() & 1 == 0 {
        disk.apply(survival == .torn ? change.halved : change, to: file)
      }
      // A file system keeps the order of names.
      let kept = names.isEmpty ? 0 : Int(random.next() % UInt64(names.count + 1))
      for change in names.prefix(kept) { disk.apply(change) }
    }
    return disk.image
  }

  /// What undeletion would bring back: files of the image that have no name any more, with what the disk
  /// has of them. What was written over them and not synced never reached the disk.
  package var remains: [String: [UInt8]] {
    var named: Set<Int> = []
    durable.walk { _, number in named.insert(number) }
    var remains: [String: [UInt8]] = [:]
    for (number, path) in first where !named.contains(number) { remains[path] = bytes[number] }
    return remains
  }

  /// What names on the disk lead to: the rest is nowhere.
  private var image: DiskImage {
    var image = DiskImage()
    durable.walk { path, number in
      if durable.folders[number] == nil {
        image.files[path] = bytes[number] ?? []
      } else if !outside.contains(number) {
        image.folders.insert(path)
      }
    }
    return image
  }
}

extension FileChange {
  fileprivate var halved: FileChange {
    guard case .write(let path, let offset, let bytes) = self else { return self }
    return .write(path, offset: offset, bytes: Array(bytes.prefix(bytes.count / 2)))
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
