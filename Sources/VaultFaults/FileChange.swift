package import VaultKeys

/// One change to a file or folder, as both file layers (the vault's own and SQLite's) make them.
package enum FileChange: Equatable, Sendable {
  case create(String)
  case write(String, offset: Int, bytes: [UInt8])
  case truncate(String, count: Int)
  case sync(String)
  case syncFolder(String)
  case remove(String)
  case rename(String, to: String)
  case makeFolder(String)
  case removeFolder(String)

  package init(_ change: Disk.Change) {
    self =
      switch change {
      case .write(let path, let offset, let bytes): .write(path, offset: offset, bytes: bytes)
      case .truncate(let path, let count): .truncate(path, count: count)
      case .sync(let path): .sync(path)
      case .syncFolder(let path): .syncFolder(path)
      case .remove(let path): .remove(path)
      case .removeFolder(let path): .removeFolder(path)
      case .makeFolder(let path): .makeFolder(path)
      case .rename(let from, let to): .rename(from, to: to)
      }
  }

  package var path: String {
    switch self {
    case .create(let path), .write(let path, _, _), .truncate(let path, _), .sync(let path),
      .syncFolder(let path), .remove(let path), .rename(let path, _), .makeFolder(let path),
      .removeFolder(let path):
      path
    }
  }

  /// Whether it makes, removes or moves a name.
  package var changesNames: Bool {
    switch self {
    case .create, .remove, .rename, .makeFolder, .removeFolder: true
    case .write, .truncate, .sync, .syncFolder: false
    }
  }
}
